import { Cache } from '@corral/base/cache';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';

/** A lease that can be taken now: it is free, or its holder is dead. Only a read creates one. */
export interface FreeLease {
  readonly name: string;
  /** The row as it was seen; a claim requires that it is still the same. null: there was none. */
  readonly seen: { readonly fence: number; readonly expiresAt: number } | null;
}

/** What a look at a lease told: it can be had, or not before so long. */
export type LeaseLook =
  { readonly free: FreeLease; readonly waitMs?: never } | { readonly free: null; readonly waitMs: number };

interface Sighting {
  readonly fence: number;
  readonly expiresAt: number;
  /** By the monotonic clock: the row has been the same since then. */
  readonly since: number;
}

/** A holder renews three times within the length of a lease: one that did not for half of it is not there. */
const deadAfter = 1 / 2;
/**
 * However far in the future a lease is said to end, nobody waits longer for a holder that never renews: the clock was
 * set back.
 */
const longestWait = 3;
const mostSightings = 10_000;

/**
 * Reads leases, without a write. Expiry is by the database's clock, which an operator may set: so a
 * lease that its holder did not give back is only free if its row also stood still for a while by a clock that runs
 * evenly. A clock that is set forward ends no lease of a holder that renews it; one that is set back keeps none for
 * ever.
 */
export class LeaseWatch {
  readonly #sightings = new Cache<string, Sighting>({ most: mostSightings });

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
    const now = performance.now();
    const before = this.#sightings.get(name);
    this.#sightings.delete(name);
    if (row.expires_at === 0) return 0;
    const isSame = before?.fence === row.fence && before.expiresAt === row.expires_at;
    const since = isSame ? before.since : now;
    this.#sightings.set(name, { fence: row.fence, expiresAt: row.expires_at, since });
    const stoodMs = now - since;
    if (row.leftMs < 0) return Math.ceil(deadAfter * ms - stoodMs);
    return Math.ceil(Math.min(row.leftMs + 1, longestWait * ms - stoodMs));
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
