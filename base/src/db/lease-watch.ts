import { Cache } from '../cache.ts';
import type { FreeLease, Lease, LeaseOp, LeaseRow, LeaseTable } from './lease-table.ts';

/** Whether a lease can be taken. */
interface LeaseState<Details> {
  /** null: it cannot be had now. */
  readonly free: FreeLease | null;
  /** Read the lease again after this long at the latest. */
  readonly waitMs: number;
  readonly row: (LeaseRow & Details) | undefined;
}

/** Opens the transactions of a read and a claim. */
interface Transactions<Schema> {
  read<T>(work: (op: LeaseOp<Schema>) => Promise<T>): Promise<T>;
  write<T>(work: (op: LeaseOp<Schema>) => Promise<T>): Promise<T>;
}

/** A holder renews three times within the length of a lease: one that did not for half of it is dead. */
const deadAfter = 1 / 2;
/**
 * However far in the future a lease is said to end, nobody waits longer for a holder that never renews: the clock was
 * set back.
 */
const longestWait = 3;
/** Before the next read of a lease that somebody else took first. */
const shortestWaitMs = 20;

/**
 * Reads the leases of one database, without a write, and takes those that are free. Expiry is by the database's
 * clock, which an operator may set: so the row of a lease that was not given back must also have been the same for a
 * while by the monotonic clock. A clock that is set forward ends no lease of a holder that renews it; one that is set
 * back keeps none for ever.
 */
export class LeaseWatch<Schema, Details extends object> {
  readonly #table: LeaseTable<Schema, Details>;
  readonly #isGone: (row: LeaseRow & Details) => boolean;
  readonly #seen = new Cache<string, { readonly version: string; readonly since: number }>({ most: 10_000 });

  /** `isGone`: is the holder known not to work any more? Then nobody waits for it. */
  constructor(table: LeaseTable<Schema, Details>, isGone: (row: LeaseRow & Details) => boolean = () => false) {
    this.#table = table;
    this.#isGone = isGone;
  }

  /** Reads several at once; `ms` is for how long they are taken. */
  async inspect(
    op: LeaseOp<Schema>,
    names: readonly string[],
    ms: number,
  ): Promise<(name: string) => LeaseState<Details>> {
    const rows = new Map((await this.#table.read(op, names)).map((row) => [row.name, row]));
    return (name) => {
      const row = rows.get(name);
      const waitMs = row === undefined ? 0 : this.#waitFor(row, ms);
      if (waitMs > 0) return { free: null, waitMs, row };
      return { free: { name, seen: row ?? null }, waitMs: shortestWaitMs, row };
    };
  }

  /** Takes a lease if it can be had, after a read that writes nothing. */
  async take(
    db: Transactions<Schema>,
    name: string,
    holder: string,
    ms: number,
  ): Promise<LeaseState<Details> & { readonly lease: Lease | null }> {
    const inspect = () => db.read(async (op) => (await this.inspect(op, [name], ms))(name));
    const seen = await inspect();
    const { free } = seen;
    if (free === null) return { ...seen, lease: null };
    const lease = await db.write((op) => this.#table.claim(op, free, holder, ms));
    // Somebody else may have been quicker, and may be done already.
    return { ...(lease === null ? await inspect() : seen), lease };
  }

  /** 0 or less: it may be taken. */
  #waitFor(row: LeaseRow & Details, ms: number): number {
    const { name, holder, fence, expires_at, leftMs } = row;
    if (expires_at === 0 || this.#isGone(row)) {
      this.#seen.delete(name);
      return 0;
    }
    const now = performance.now();
    // Different after every renewal and every change of hands.
    const version = `${holder} ${fence} ${expires_at}`;
    const before = this.#seen.get(name);
    const since = before?.version === version ? before.since : now;
    this.#seen.set(name, { version, since });
    const sameForMs = now - since;
    if (leftMs < 0) return Math.ceil(deadAfter * ms - sameForMs);
    return Math.ceil(Math.min(leftMs + 1, longestWait * ms - sameForMs));
  }
}
