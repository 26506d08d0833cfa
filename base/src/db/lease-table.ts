import { type RawBuilder, sql } from 'kysely';
import { locksRows } from './bound-kysely.ts';
import { ListStatement, Statement } from './prepared-statement.ts';
import type { Tx } from './transaction.ts';

/** The right to be the only one to work on something, for a short time that can be renewed. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Increases with every new holder; a result with an old fence is refused. 0 in a table without fences. */
  readonly fence: number;
}

/** A lease as its row was read. */
export interface LeaseRow extends Lease {
  /** 0: it was given back. */
  readonly expires_at: number;
  /** Until it ends, by the database's clock. */
  readonly leftMs: number;
}

/** A lease that can be taken now: it is free, or its holder is dead. Only a read creates one. */
export interface FreeLease {
  readonly name: string;
  /** The row as it was seen; a claim requires that it is still the same. null: there was none. */
  readonly seen: Omit<LeaseRow, 'leftMs'> | null;
}

/** A transaction, and the database's clock. */
export interface LeaseOp<Schema> {
  readonly tx: Tx<Schema>;
  readonly now: RawBuilder<number>;
}

/** A statement takes 32,766 values at most (SQLite), and all switches of a site may be due at once. */
const namesPerStatement = 1_000;

/** A table of leases, one row for each name. */
export class LeaseTable<Schema, Details extends object> {
  readonly #table: RawBuilder<unknown>;
  readonly #fence: RawBuilder<unknown>;
  readonly #details: Details;
  readonly #held: Statement<Schema, Lease, unknown>;
  /** By the clock that they ask: that of PostgreSQL is always the same expression, that of SQLite a value of its own. */
  readonly #reads = new WeakMap<RawBuilder<number>, ListStatement<Schema, string, object, LeaseRow & Details>>();

  /**
   * `details`: what a new row has beside name, holder and expiry. A `fence` grows from there; without one, every holder
   * needs a name of its own.
   */
  constructor(table: string, details: Details) {
    this.#table = sql`${sql.table(table)} as lease`;
    this.#fence = 'fence' in details ? sql`lease.fence` : sql`0`;
    this.#details = details;
    this.#held = new Statement(
      (tx, lease) => ({
        compile: () =>
          sql`select 1 from ${this.#table} where ${this.#isOurs(lease)} ${locksRows(tx) ? sql`for share` : sql``}`.compile(
            tx,
          ),
      }),
      false,
    );
  }

  async read({ tx, now }: LeaseOp<Schema>, names: readonly string[]): Promise<(LeaseRow & Details)[]> {
    const found: (LeaseRow & Details)[] = [];
    for (let from = 0; from < names.length; from += namesPerStatement) {
      found.push(...(await this.#readBy(now).all(tx, names.slice(from, from + namesPerStatement), {})));
    }
    return found;
  }

  #readBy(now: RawBuilder<number>): ListStatement<Schema, string, object, LeaseRow & Details> {
    const known = this.#reads.get(now);
    if (known) return known;
    const made = new ListStatement<Schema, string, object, LeaseRow & Details>((tx, names) => ({
      compile: () =>
        sql<LeaseRow & Details>`
          select lease.*, ${this.#fence} as fence, lease.expires_at - ${now} as "leftMs"
          from ${this.#table} where lease.name in (${sql.join([...names])})`.compile(tx),
    }));
    this.#reads.set(now, made);
    return made;
  }

  /** Takes a lease that was seen to be free, and raises its fence; null if somebody else was quicker. */
  async claim(op: LeaseOp<Schema>, { name, seen }: FreeLease, holder: string, ms: number): Promise<Lease | null> {
    const values = { name, holder, expires_at: sql`${op.now} + ${ms}`, ...this.#details };
    const columns = Object.keys(values).map((column) => sql.ref(column));
    const next = Object.keys(values).map((column) =>
      column === 'fence' ? sql`fence = lease.fence + 1` : sql`${sql.ref(column)} = excluded.${sql.ref(column)}`,
    );
    const isAsSeen = seen ? sql`${this.#is(seen)} and lease.expires_at = ${seen.expires_at}` : sql`false`;
    const { rows } = await sql<Partial<Lease>>`
      insert into ${this.#table} (${sql.join(columns)}) values (${sql.join(Object.values(values))})
      on conflict (name) do update set ${sql.join(next)} where ${isAsSeen}
      returning *`.execute(op.tx);
    return rows[0] ? { name, holder, fence: rows[0].fence ?? 0 } : null;
  }

  /** Prolongs a lease that is still ours; false if it passed to someone else, or was given back meanwhile. */
  async renew({ tx, now }: LeaseOp<Schema>, lease: Lease, ms: number): Promise<boolean> {
    const { numAffectedRows } =
      await sql`update ${this.#table} set expires_at = ${now} + ${ms} where ${this.#isOurs(lease)}`.execute(tx);
    return numAffectedRows === 1n;
  }

  /** Gives a lease back. The row stays, so that fences keep growing. */
  async release(tx: Tx<Schema>, lease: Lease): Promise<void> {
    await sql`update ${this.#table} set expires_at = 0 where ${this.#is(lease)}`.execute(tx);
  }

  /**
   * Is the lease still ours? Asked in the transaction that settles what was done under it, and held until that ends, so
   * that nobody takes the lease before. Otherwise a process that is stopped before its commit could wake up and commit
   * after another one has planned from what was there before.
   */
  async isHeld(tx: Tx<Schema>, lease: Lease): Promise<boolean> {
    return (await this.#held.all(tx, lease)).length > 0;
  }

  /** A renewal may still be under way when the lease is given back: it does not bring the lease back. */
  #isOurs(lease: Lease): RawBuilder<unknown> {
    return sql`${this.#is(lease)} and lease.expires_at <> 0`;
  }

  #is({ name, holder, fence }: Lease): RawBuilder<unknown> {
    return sql`lease.name = ${name} and lease.holder = ${holder} and ${this.#fence} = ${fence}`;
  }
}
