import type pg from 'pg';
import { boundTo } from './bound-kysely.ts';
import { ChangeNotifier } from './change-notifier.ts';
import { connectionAs } from './postgres-connection-options.ts';
import type { Db, Statistics, Tx } from './database.ts';
import { Condition, DatabaseUnavailable, toDatabaseError, type CommitPhase } from './database-fault.ts';
import { PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely';
import { listenerOf, listenTo } from './postgres-listener.ts';
import { type MigrationSession, migrate } from './migrations.ts';
import type { ProgramTables, Opening } from './program-tables.ts';
import { postgresFaultOf } from './postgres-fault.ts';
import { retryTransaction } from './transaction-retry.ts';
import type { Statement } from './prepared-statement.ts';

const words = { id: 'id bigint generated always as identity primary key', bigint: 'bigint' };
const dialect = { adapter: () => new PostgresAdapter(), compiler: () => new PostgresQueryCompiler(), locksRows: true };

/** Keys of the advisory locks; any constants do, as long as every replica has the same. */
const lockSpace = { migration: 0x436f7201, events: 0x436f7202, queue: 0x436f7203, contended: 0x436f7204 } as const;

/** After this many lost attempts a transaction queues with the other losers instead of fighting on. */
const attemptsBeforeQueueing = 3;

/** Loaded when such a database is opened: it takes a twentieth of the time to start. */
const loadDriver = async (): Promise<typeof pg> => (await import('pg')).default;

const isLost = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return code === '40001' || code === '40P01';
};

/** A connection that is not in the pool now. With an error it does not go back there. */
interface Loan {
  readonly client: pg.PoolClient;
  broken: Error | null;
  /** How many locks it has outside of transactions. */
  locks: number;
}

/** A hot standby has no serializable transactions, and says so by a code that means other things later on. */
const toldByStandby = (error: unknown): never => {
  const { code } = error as { code?: unknown };
  throw code === '0A000' ? new DatabaseUnavailable('read-only', error) : error;
};

const startsReadOnly = 'transactions are read-only: a standby, or the setting default_transaction_read_only';

/** Longer than the server lets a statement take: one that is not answered by then went to a server that is gone. */
const answerWithinMs = 35_000;

/** Connection settings that every session of ours has: a client that dies must not hold locks for ever. */
const sessionOptions = (driver: typeof pg) => {
  // Ids and times are bigint; all of them are far below 2^53.
  const types = new driver.TypeOverrides();
  types.setTypeParser(driver.types.builtins.INT8, Number);
  return { types, connectionTimeoutMillis: 10_000, statement_timeout: 30_000 };
};

/**
 * A process that is stopped (SIGSTOP, a paused machine) keeps its connections, and with them its locks: other processes
 * wait for them so long. One that runs is never silent for so long within a transaction.
 */
const longestSilenceMs = 5_000;

/** An operator's tool may wait within a transaction for what it reads from or writes to. */
const idleInTransactionMs: Readonly<Record<Opening, number>> = { 'up to date': longestSilenceMs, 'as it is': 30_000 };

const silence = `set_config('idle_session_timeout', $3::text, false)`;
const takeLock = `select pg_advisory_lock($1, hashtext($2)), ${silence}`;
const letGoOfLock = `select pg_advisory_unlock($1, hashtext($2)), ${silence}`;

/** Opens a PostgreSQL database. Any number of replicas may share it. */
export const openPostgres = async <Schema, Topic extends string>(
  url: string,
  connections: number,
  tables: ProgramTables<Topic>,
  opening: Opening,
): Promise<Db<Schema, Topic>> => {
  if (opening === 'up to date') await bringUpToDate(url, tables);
  const driver = await loadDriver();
  const pool = new driver.Pool({
    ...connectionAs(tables.name, url),
    ...sessionOptions(driver),
    idle_in_transaction_session_timeout: idleInTransactionMs[opening],
    max: connections,
    keepAlive: true,
    // A statement of an operator's tool may take as long as it takes.
    ...(opening === 'up to date' ? { query_timeout: answerWithinMs } : {}),
  });
  const condition = new Condition();
  const changes = new ChangeNotifier<Topic>();
  // An idle connection that the server closes is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  const listener = listenTo(driver, url, tables.name, (payload) => {
    const topic = tables.topics.find((candidate) => candidate === payload);
    if (topic) changes.notify(topic);
  });
  const statistics: Statistics = { reads: 0, writes: 0, retries: 0 };
  const bound = new WeakMap<pg.PoolClient, Tx<Schema>>();

  const unbound = boundTo<Schema>(dialect, () => Promise.reject(new Error('a question is only compiled here')));
  // Named, so that each connection plans a text that comes again only once.
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `corral ${names.size}`;
    names.set(text, name);
    return name;
  };

  const txOf = (client: pg.PoolClient): Tx<Schema> => {
    const known = bound.get(client);
    if (known) return known;
    const made = boundTo<Schema>(dialect, async (text, parameters, use) => {
      const values = [...parameters];
      const { rows, rowCount } = await client.query(
        use === 'once' ? { text, values } : { name: nameOf(text), text, values },
      );
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
    });
    bound.set(client, made);
    return made;
  };

  const withClient = async <T>(work: (loan: Loan) => Promise<T>) => {
    const client = await pool.connect();
    const loan: Loan = { client, broken: null, locks: 0 };
    const spoil = (error: Error): void => {
      loan.broken = error;
    };
    // A connection that breaks while it is ours reports it twice: here, and to the query that waits.
    client.on('error', spoil);
    try {
      return await work(loan);
    } finally {
      client.off('error', spoil);
      client.release(loan.broken ?? undefined);
    }
  };

  const inTransaction = async <T>(loan: Loan, begin: string, work: (tx: Tx<Schema>) => Promise<T>) => {
    const { client } = loan;
    let phase: CommitPhase = 'before commit';
    try {
      await client.query(begin).catch(toldByStandby);
      const result = await work(txOf(client));
      phase = 'at commit';
      await client.query('commit');
      return result;
    } catch (error) {
      const fault = error instanceof DatabaseUnavailable ? error.kind : postgresFaultOf(error);
      // Nothing more can be said on it; or it leads to a server that only reads, and another may lead elsewhere.
      if (fault === 'unreachable' || fault === 'read-only') loan.broken = error as Error;
      else await client.query('rollback').catch((unfinished: unknown) => (loan.broken = unfinished as Error));
      throw toDatabaseError(error, postgresFaultOf, phase);
    }
  };

  const noting = async <T>(attempt: Promise<T>): Promise<T> => {
    try {
      const result = await attempt;
      condition.succeeded();
      return result;
    } catch (error) {
      const databaseError = toDatabaseError(error, postgresFaultOf);
      condition.failed(databaseError);
      throw databaseError;
    }
  };

  /*
   * The lock is taken before the transaction begins: under SERIALIZABLE the snapshot would otherwise be
   * older than the lock, and the one who waited would abort all the same. So the server ends a session that is silent
   * with the lock outside of a transaction, too.
   */
  const holding = async <T>(loan: Loan, lock: readonly [number, string] | null, work: () => Promise<T>): Promise<T> => {
    if (lock === null) return work();
    await loan.client.query(takeLock, [...lock, longestSilenceMs]);
    loan.locks += 1;
    try {
      return await work();
    } finally {
      loan.locks -= 1;
      // A connection that cannot let go of the lock must not go back to the pool with it. A broken one does not.
      if (loan.broken === null) {
        await loan.client
          .query(letGoOfLock, [...lock, loan.locks > 0 ? longestSilenceMs : 0])
          .catch((error: unknown) => (loan.broken = error as Error));
      }
    }
  };

  return {
    engine: 'postgres',
    statistics,
    condition,
    changes,
    now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    read: (work) => {
      statistics.reads += 1;
      return withClient((loan) => inTransaction(loan, 'begin isolation level repeatable read read only', work)).catch(
        (error: unknown) => Promise.reject(toDatabaseError(error, postgresFaultOf) as Error),
      );
    },
    query: async <Values extends object, Row>(question: Statement<Schema, Values, Row>, values: Values) => {
      statistics.reads += 1;
      const { sql: text, parametersFor } = question.compiledFor(unbound);
      try {
        const { rows } = await pool.query({ name: nameOf(text), text, values: parametersFor(values) });
        return rows as Row[];
      } catch (error) {
        throw toDatabaseError(error, postgresFaultOf);
      }
    },
    write: (work, options) =>
      noting(
        retryTransaction(
          (attempts) => {
            const queue = options?.queue === undefined ? null : ([lockSpace.queue, options.queue] as const);
            const contended = attempts > attemptsBeforeQueueing ? ([lockSpace.contended, ''] as const) : null;
            return withClient((loan) =>
              holding(loan, queue, () =>
                holding(loan, contended, () => inTransaction(loan, 'begin isolation level serializable', work)),
              ),
            );
          },
          { isLost, isVerdict: tables.isVerdict },
          statistics,
        ),
      ),
    probe: () =>
      noting(
        withClient((loan) =>
          inTransaction(loan, 'begin isolation level serializable', async () => {
            const { rows } = await loan.client.query<{ mode: string }>(
              "select current_setting('transaction_read_only') as mode",
            );
            if (rows[0]?.mode === 'on') {
              // A session keeps what it began with: only a new one tells whether that is over.
              loan.broken = new Error(startsReadOnly);
              throw new DatabaseUnavailable('read-only', loan.broken);
            }
            // Takes a number, whose commit is stored: only then is it known that something can be.
            if (condition.fault !== null) await loan.client.query('select pg_current_xact_id()');
          }),
        ),
      ),
    orderEvents: async (tx) => {
      await sql`select pg_advisory_xact_lock(${lockSpace.events})`.execute(tx);
    },
    announce: async (tx, notified) => {
      for (const topic of notified) await sql`select pg_notify(${tables.name}, ${topic})`.execute(tx);
    },
    close: async () => {
      await listener.close();
      await pool.end();
    },
  };
};

const connected = async <T>(url: string, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const driver = await loadDriver();
  const client = new driver.Client({
    ...connectionAs(name, url),
    ...sessionOptions(driver),
    idle_in_transaction_session_timeout: idleInTransactionMs['as it is'],
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Who only looks is not taken for the program itself. */
const visitor = 'corral-admin';

/** The version of the tables that `history` tells of; 0: there are none. Nothing is made or changed. */
export const versionInPostgres = (url: string, history: string): Promise<number> =>
  connected(url, visitor, async (client) => {
    const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [history]);
    return rows[0]?.there === true ? sessionOf(client, history).version() : 0;
  });

/** Is none of these programs connected, from wherever? */
export const isOnlyPostgresClient = (url: string, names: readonly string[]): Promise<boolean> =>
  connected(url, visitor, async (client) => {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and application_name = any($1) limit 1`,
      [names.flatMap((name) => [name, listenerOf(name)])],
    );
    return rows.length === 0;
  });

const bringUpToDate = (
  url: string,
  { name, history, migrations }: Pick<ProgramTables<string>, 'name' | 'history' | 'migrations'>,
): Promise<void> =>
  connected(url, name, async (client) => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lockSpace.migration]);
    await client.query(
      `create table if not exists ${history} (version integer primary key, name text not null, applied_at text not null)`,
    );
    await migrate(sessionOf(client, history), migrations);
    await client.query('commit');
  });

const sessionOf = (client: pg.Client, history: string): MigrationSession => ({
  types: words,
  run: async (statement) => {
    await client.query(statement);
  },
  version: async () => {
    const { rows } = await client.query<{ version: number }>(
      `select coalesce(max(version), 0)::integer as version from ${history}`,
    );
    return rows[0]?.version ?? 0;
  },
  applied: async ({ version, name }) => {
    await client.query(`insert into ${history} values ($1, $2, $3)`, [version, name, new Date().toISOString()]);
  },
});
