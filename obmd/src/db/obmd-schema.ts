import type { ColumnType, Generated } from 'kysely';

/*
 * The daemon's tables. Their names say whose they are, so that they can live beside the service's in one PostgreSQL.
 * Whole numbers and text only; times are milliseconds since 1970.
 */

type Fixed<T> = ColumnType<T, T, never>;

export interface Database {
  obmd_nodes: {
    id: Generated<number>;
    label: Fixed<string>;
    type: string;
    /** sealed JSON */
    info: string;
    /** Of the token that is good now; null: none is. */
    token_hash: string | null;
    /** Until when a shutdown is waited for, before the machine is turned off the hard way; null: none was asked for. */
    cycle_until: number | null;
    /** The lasting boot device, while the BMC has forgotten it over one for the next boot; null: it has not. */
    boot_after: string | null;
  };
  /**
   * One row: the process that works with the BMCs. SQLite would take a name that is null, PostgreSQL does not. No row
   * has one, and none that had would ever be read: that is not worth building the table anew under a process that
   * holds its lease there.
   */
  obmd_owner: {
    name: string;
    holder: string;
    host: string;
    pid: number;
    expires_at: number;
    /** Where its daemon listens, for processes of the same `network`; null: it was taken by no daemon. */
    listens_at: string | null;
    network: string | null;
    /** Where all others reach it; null: they do not. */
    url: string | null;
  };
  obmd_settings: { name: string; value: string };
}
