import { Writable } from 'node:stream';
import type pg from 'pg';
import { PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import { type RunStatement, boundTo } from './bound-kysely.ts';
import type { Tx } from './transaction.ts';
import { type CommitPhase, DatabaseUnavailable, toDatabaseError } from './database-fault.ts';
import { postgresFaultOf } from './postgres-fault.ts';
import { longestSilenceMs } from './postgres-session.ts';

export const postgresDialect = {
  adapter: () => new PostgresAdapter(),
  compiler: () => new PostgresQueryCompiler(),
  locksRows: true,
};

/** An advisory lock: its space and a name in it. */
export type Lock = readonly [number, string];

/** A connection that is not in the pool now. With an error it does not go back there. */
export interface Loan<Schema> {
  readonly client: pg.PoolClient;
  readonly connection: PipelinedConnection<Schema>;
  broken: Error | null;
  /** What it has outside of transactions. */
  locks: readonly Lock[];
}

const silence = `set_config('idle_session_timeout', $3::text, false)`;
const takeLock = { name: 'corral lock', text: `select pg_advisory_lock($1, hashtext($2)), ${silence}` };
const letGoOfLock = { name: 'corral unlock', text: `select pg_advisory_unlock($1, hashtext($2)), ${silence}` };

/** A hot standby has no serializable transactions, and says so by a code that means other things later on. */
const toldByStandby = (error: unknown): never => {
  const { code } = error as { code?: unknown };
  throw code === '0A000' ? new DatabaseUnavailable('read-only', error) : error;
};

/** A statement before it failed. Whether the transaction is worth another try is for that one's error to say. */
const isRefusedAfterFailure = (error: unknown): boolean => (error as { code?: unknown }).code === '25P02';

/** The server ended the session, which was silent within a transaction for `longestSilenceMs`. */
const hasIdled = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && (error.cause as { code?: unknown }).code === '25P03';

const reading = 'begin isolation level repeatable read read only';

const nobodyWaits = (): undefined => undefined;

/** Where a client writes to; null if the driver does not show it. */
const streamOf = (client: object): Writable | null => {
  const connection: unknown = 'connection' in client ? client.connection : null;
  const stream: unknown =
    typeof connection === 'object' && connection !== null && 'stream' in connection ? connection.stream : null;
  return stream instanceof Writable ? stream : null;
};

/** Writes in one piece what is sent within one turn of the event loop: a write takes longer than making a statement. */
class TurnWriter {
  readonly #stream: Writable | null;
  #isHolding = false;

  constructor(stream: Writable | null) {
    this.#stream = stream;
  }

  /** Before each statement: it goes with what follows at once. */
  hold(): void {
    const stream = this.#stream;
    if (stream === null || this.#isHolding) return;
    this.#isHolding = true;
    stream.cork();
    process.nextTick(() => {
      this.#isHolding = false;
      stream.uncork();
    });
  }
}

/**
 * What is said on one connection. Statements are sent without waiting for the answers to those before them (pipelining):
 * the server takes them in order, and after a failed one refuses all others of the transaction.
 */
class PipelinedConnection<Schema> {
  readonly tx: Tx<Schema>;
  readonly #client: pg.PoolClient;
  readonly #writer: TurnWriter;
  readonly #nameOf: (text: string) => string;
  /** The begin of the transaction, as long as it is not answered; rejected for ever if it failed. */
  #begun: Promise<unknown> | null = null;
  #unanswered: Promise<unknown>[] = [];

  constructor(client: pg.PoolClient, nameOf: (text: string) => string) {
    this.#client = client;
    this.#writer = new TurnWriter(streamOf(client));
    this.#nameOf = nameOf;
    this.tx = boundTo<Schema>(postgresDialect, this.#run, async (...statement) => {
      const answer = this.#run(...statement);
      answer.catch(nobodyWaits);
      if (this.#begun !== null) await answer;
      this.#unanswered.push(answer);
    });
  }

  /** Goes with the first statement. */
  begin(text: string): void {
    this.#unanswered = [];
    const begun = this.ask(text).then(() => {
      if (this.#begun === begun) this.#begun = null;
    }, toldByStandby);
    begun.catch(nobodyWaits);
    this.#begun = begun;
  }

  /** Sends a statement. Everything that a transaction says goes through here. */
  ask(statement: string | pg.QueryConfig): Promise<pg.QueryResult<object>> {
    this.#writer.hold();
    return this.#client.query<object>(statement);
  }

  async begun(): Promise<void> {
    await this.#begun;
  }

  /** Why the server refuses the rest of the transaction: the first failure of those that nobody waited for. */
  async failure(otherwise: unknown): Promise<unknown> {
    for (const answer of this.#unanswered) {
      try {
        await answer;
      } catch (error) {
        return error;
      }
    }
    return otherwise;
  }

  readonly #run: RunStatement = async (text, parameters, use) => {
    // What changes something would, after a begin that failed, be a transaction of its own.
    if (this.#begun !== null && !text.startsWith('select ')) await this.#begun;
    const values = [...parameters];
    const answer = this.ask(use === 'once' ? { text, values } : { name: this.#nameOf(text), text, values });
    if (this.#begun !== null) {
      answer.catch(nobodyWaits);
      await this.#begun;
    }
    const { rows, rowCount } = await answer;
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  };
}

/** Transactions on the connections of a pool. */
export class PostgresTransactions<Schema> {
  readonly #pool: pg.Pool;
  readonly #nameOf: (text: string) => string;
  readonly #connections = new WeakMap<pg.PoolClient, PipelinedConnection<Schema>>();
  /** Connections of before `renew`: sessions keep what they began with. */
  #outdated = new WeakSet<pg.PoolClient>();
  readonly #known = new Set<pg.PoolClient>();

  constructor(pool: pg.Pool, nameOf: (text: string) => string) {
    this.#pool = pool;
    this.#nameOf = nameOf;
    pool.on('connect', (client) => {
      this.#known.add(client);
      // A server can end a session with the bytes that open it, before anybody has the connection. The next statement
      // on it fails; without a listener the process would end here.
      client.on('error', () => undefined);
    });
    pool.on('remove', (client) => this.#known.delete(client));
  }

  /** Every connection is replaced before it is used again. */
  renew(): void {
    this.#outdated = new WeakSet(this.#known);
  }

  /** Lends a connection. */
  async withClient<T>(work: (loan: Loan<Schema>) => Promise<T>): Promise<T> {
    const { loan, giveBack } = await this.#lend();
    try {
      return await work(loan);
    } finally {
      giveBack();
    }
  }

  /** Runs one transaction, and lets go of the locks with its end. */
  async run<T>(loan: Loan<Schema>, begin: string, work: (tx: Tx<Schema>) => Promise<T>): Promise<T> {
    const { connection } = loan;
    let phase: CommitPhase = 'before commit';
    let isOver = false;
    try {
      connection.begin(begin);
      const result = await work(connection.tx);
      await connection.begun();
      phase = 'at commit';
      const committed = connection.ask('commit');
      const unlocked = letGo(loan);
      const { command } = await committed.finally(() => unlocked);
      if (command !== 'ROLLBACK') return result;
      [phase, isOver] = ['before commit', true];
      throw await connection.failure(new Error('a statement failed, and the transaction went on as if it had not'));
    } catch (caught) {
      const error = isRefusedAfterFailure(caught) ? await connection.failure(caught) : caught;
      if (isOver) noteBroken(loan, error);
      else await rollBack(loan, error);
      throw toDatabaseError(error, postgresFaultOf, phase);
    }
  }

  /**
   * Runs one transaction that only reads. One that the server ended because this process stood still is run once more: a
   * reader loses nothing by a later moment.
   */
  async read<T>(work: (tx: Tx<Schema>) => Promise<T>): Promise<T> {
    try {
      return await this.#readOnce(work);
    } catch (error) {
      if (!hasIdled(error)) throw error;
      return this.#readOnce(work);
    }
  }

  /** The result is known before the end of the transaction, so nobody waits for that. */
  async #readOnce<T>(work: (tx: Tx<Schema>) => Promise<T>): Promise<T> {
    const { loan, giveBack } = await this.#lend();
    const { connection } = loan;
    try {
      connection.begin(reading);
      const result = await work(connection.tx);
      await connection.begun();
      void connection
        .ask('commit')
        .catch((error: unknown) => (loan.broken = error as Error))
        .then(giveBack);
      return result;
    } catch (error) {
      // The server says why it ended a session to nobody in particular, if nothing was asked at that moment.
      const cause = postgresFaultOf(error) === null ? error : (loan.broken ?? error);
      await rollBack(loan, cause);
      giveBack();
      throw toDatabaseError(cause, postgresFaultOf);
    }
  }

  async #lend(): Promise<{ readonly loan: Loan<Schema>; readonly giveBack: () => void }> {
    let client = await this.#pool.connect();
    while (this.#outdated.has(client)) {
      client.release(true);
      client = await this.#pool.connect();
    }
    const connection = this.#connections.get(client) ?? new PipelinedConnection<Schema>(client, this.#nameOf);
    this.#connections.set(client, connection);
    const loan: Loan<Schema> = { client, connection, broken: null, locks: [] };
    // The first one says why; after it the connection is only said to have ended.
    const spoil = (error: Error): void => {
      loan.broken ??= error;
    };
    // A connection that breaks while it is ours reports it twice: here, and to the query that waits.
    client.on('error', spoil);
    const giveBack = (): void => {
      client.off('error', spoil);
      client.release(loan.broken ?? undefined);
    };
    return { loan, giveBack };
  }
}

/** Nothing more can be said on the connection; or it leads to a server that only reads, and another may lead elsewhere. */
const noteBroken = <Schema>(loan: Loan<Schema>, error: unknown): void => {
  const fault = error instanceof DatabaseUnavailable ? error.kind : postgresFaultOf(error);
  if (fault === 'unreachable' || fault === 'read-only') loan.broken = error as Error;
};

const rollBack = async <Schema>(loan: Loan<Schema>, error: unknown): Promise<void> => {
  noteBroken(loan, error);
  if (loan.broken !== null) return;
  await loan.connection.ask('rollback').catch((unfinished: unknown) => (loan.broken = unfinished as Error));
};

/*
 * Locks are taken before the transaction begins: under SERIALIZABLE the snapshot would otherwise be
 * older than the lock, and the one who waited would abort all the same. So the server ends a session that is silent
 * with a lock outside of a transaction, too.
 */
export const holding = async <Schema, T>(
  loan: Loan<Schema>,
  locks: readonly Lock[],
  work: () => Promise<T>,
): Promise<T> => {
  for (const lock of locks) {
    await loan.client.query({ ...takeLock, values: [...lock, longestSilenceMs] });
    loan.locks = [...loan.locks, lock];
  }
  try {
    return await work();
  } finally {
    await letGo(loan);
  }
};

/** A connection that cannot let go of a lock must not go back to the pool with it. A broken one does not. */
const letGo = async <Schema>(loan: Loan<Schema>): Promise<void> => {
  const { locks } = loan;
  loan.locks = [];
  if (loan.broken !== null) return;
  const answers = locks.map((lock, index) =>
    loan.connection.ask({ ...letGoOfLock, values: [...lock, index + 1 < locks.length ? longestSilenceMs : 0] }),
  );
  await Promise.all(answers).catch((error: unknown) => (loan.broken = error as Error));
};
