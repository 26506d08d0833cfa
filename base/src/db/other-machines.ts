import type { Db } from './database.ts';
import { sql } from 'kysely';

/** Who uses a database from other machines than this one. */
export interface OtherMachines {
  readonly addresses: readonly string[];
  /** Connections of other database users, whose addresses may not be seen. */
  readonly hidden: number;
}

interface Session {
  /** Null: the machine that the database is on. */
  readonly address: string | null;
  readonly isHidden: boolean;
  readonly isHere: boolean;
}

/**
 * The other machines that the same program is connected from. Only addresses are compared: one machine with two of
 * them counts as two.
 */
export const findOtherMachines = async <Schema, Topic extends string>(
  db: Db<Schema, Topic>,
): Promise<OtherMachines> => {
  // A file is used from the machine that has it.
  if (db.engine === 'sqlite') return { addresses: [], hidden: 0 };
  const place = (address: string) => sql`case
    when ${sql.raw(address)} in (inet '127.0.0.1', inet '::1') or ${sql.raw(address)} = inet_server_addr() then null
    else host(${sql.raw(address)}) end`;
  // An idle program has only its listener connected. What may not be seen is null, also the kind of process.
  const sessions = await db.read(async (tx) => {
    const { rows } =
      await sql<Session>`select s.address, s."isHidden", s.address is not distinct from s.ours as "isHere"
      from (select ${place('client_addr')} as address, ${place('inet_client_addr()')} as ours,
          backend_type is null as "isHidden"
        from pg_stat_activity
        where datname = current_database() and coalesce(backend_type, 'client backend') = 'client backend'
          and application_name in (current_setting('application_name'), current_setting('application_name') || ' listener')
      ) s`.execute(tx);
    return rows;
  });
  const others = sessions.filter(({ isHidden, isHere }) => !isHidden && !isHere);
  return {
    addresses: [...new Set(others.map(({ address }) => address ?? 'the machine of the database'))].sort(),
    hidden: sessions.filter(({ isHidden }) => isHidden).length,
  };
};
