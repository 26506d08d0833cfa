import { LeaseSightings } from '@corral/base/db/lease-sightings';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/service-database.ts';

/** A lease that can be taken now: it is free, or its holder is dead. Only a read creates one. */
export interface FreeLease {
  readonly name: string;
  /** The row as it was seen; a claim requires that it is still the same. null: there was none. */
  readonly seen: { readonly fence: number; readonly expiresAt: number } | null;
}

/** What a look at a lease told: it can be had, or not before so long. */
export type LeaseLook =
  { readonly free: FreeLease; readonly waitMs?: never } | { readonly free: null; readonly waitMs: number };

/** Reads leases, without a write. */
export class LeaseWatch {
  readonly #sightings = new LeaseSightings();

  /** Looks at several at once; `ms` is for how long they are taken. */
  async look(tx: Tx, now: Db['now'], names: readonly string[], ms: number): Promise<(name: string) => LeaseLook> {
    if (names.length === 0) return (name) => ({ free: { name, seen: null } });
    const rows = await tx
      .selectFrom('leases')
      .select(['name', 'fence', 'expires_at'])
      .select(sql<number>`expires_at - ${now}`.as('leftMs'))
      .where('name', 'in', names)
      .execute();
    const byName = new Map(rows.map((row) => [row.name, row]));
    return (name) => {
      const row = byName.get(name);
      if (row === undefined) return { free: { name, seen: null } };
      const waitMs = this.#waitFor(name, row, ms);
      if (waitMs > 0) return { free: null, waitMs };
      return { free: { name, seen: { fence: row.fence, expiresAt: row.expires_at } } };
    };
  }

  #waitFor(name: string, row: { fence: number; expires_at: number; leftMs: number }, ms: number): number {
    if (row.expires_at !== 0) {
      return this.#sightings.waitMs(name, { version: `${row.fence} ${row.expires_at}`, leftMs: row.leftMs }, ms);
    }
    this.#sightings.forget(name);
    return 0;
  }
}

/** One for each database: what was seen is about its rows. */
export const leaseWatchOf = (db: Db): LeaseWatch => {
  const known = watches.get(db);
  if (known) return known;
  const made = new LeaseWatch();
  watches.set(db, made);
  return made;
};
const watches = new WeakMap<Db, LeaseWatch>();
