import { boundTo, rawOf } from './bound-kysely.ts';
import { ChangeNotifier } from './change-notifier.ts';
import { connectionAs } from './postgres-connection-options.ts';
import type { Db, Statistics } from './database.ts';
import { Condition, DatabaseUnavailable, toDatabaseError } from './database-fault.ts';
import { sql } from 'kysely';
import { PostgresAnnouncer } from './postgres-announcer.ts';
import { listenTo } from './postgres-listener.ts';
import { bringUpToDate, idleInTransactionMs, loadDriver, lockSpace, sessionOptions } from './postgres-session.ts';
import { type Lock, PostgresTransactions, holding, postgresDialect } from './postgres-transactions.ts';
import type { ProgramTables, Opening } from './program-tables.ts';
import { postgresFaultOf } from './postgres-fault.ts';
import { retryTransaction } from './transaction-retry.ts';
import type { Statement } from './prepared-statement.ts';
import { WriteTurns } from './write-turns.ts';

/** After this many lost attempts a transaction queues with the other losers instead of fighting on. */
const attemptsBeforeQueueing = 3;

const isLost = (error: unknown): boolean => {
  const { code } = error as { code?: string };
  return code === '40001' || code === '40P01';
};

const startsReadOnly = 'transactions are read-only: a standby, or the setting default_transaction_read_only';
const serializable = 'begin isolation level serializable';

/** Longer than the server lets a statement take: one that is not answered by then went to a server that is gone. */
const answerWithinMs = 35_000;

const notify = 'select pg_notify($1, topic) from unnest($2::text[]) as topic';

/** Which process of the server answers a connection; 0 if the driver does not report it. */
const serverProcessOf = (client: object): number =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : 0;

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
    pipeline: true,
    // A statement of an operator's tool may take as long as it takes.
    ...(opening === 'up to date' ? { query_timeout: answerWithinMs } : {}),
  });
  const condition = new Condition();
  const changes = new ChangeNotifier<Topic>();
  // An idle connection that the server closes is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => undefined);
  // What this process changes it knows by itself: to hear of it once more would make everybody look twice.
  const ours = new Set<number>();
  pool.on('connect', (client) => ours.add(serverProcessOf(client)));
  pool.on('remove', (client) => ours.delete(serverProcessOf(client)));
  const listener = listenTo(
    driver,
    url,
    tables.name,
    ({ payload, processId }) => {
      const topic = ours.has(processId) ? undefined : tables.topics.find((candidate) => candidate === payload);
      if (topic) changes.notify(topic);
    },
    () => tables.topics.forEach((topic) => changes.notify(topic)),
  );
  const statistics: Statistics = { reads: 0, writes: 0, retries: 0 };

  const unbound = boundTo<Schema>(postgresDialect, () => Promise.reject(new Error('a question is only compiled here')));
  // Named, so that each connection plans a text that comes again only once.
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `corral ${names.size}`;
    names.set(text, name);
    return name;
  };

  const named = <Values extends object>(question: Statement<Schema, Values, unknown>, values: Values) => {
    const { sql: text, parametersFor } = question.compiledFor(unbound);
    return { name: nameOf(text), text, values: parametersFor(values) };
  };

  const transactions = new PostgresTransactions<Schema>(pool, nameOf);
  // Sessions that began while the server only read go on refusing changes after that.
  condition.onChange(({ fault }) => {
    if (fault === null) transactions.renew();
  });
  const turns = new WriteTurns(connections);
  const announcer = new PostgresAnnouncer((announced) =>
    pool.query({ name: 'corral notify', text: notify, values: [tables.name, announced] }),
  );

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

  return {
    engine: 'postgres',
    statistics,
    condition,
    changes,
    now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    read: (work) => {
      statistics.reads += 1;
      return transactions
        .read(work)
        .catch((error: unknown) => Promise.reject(toDatabaseError(error, postgresFaultOf) as Error));
    },
    query: async <Values extends object, Row>(question: Statement<Schema, Values, Row>, values: Values) => {
      statistics.reads += 1;
      try {
        const { rows } = await pool.query(named(question, values));
        return rows as Row[];
      } catch (error) {
        throw toDatabaseError(error, postgresFaultOf);
      }
    },
    queryPair: async <First extends object, FirstRow, Second extends object, SecondRow>(
      first: readonly [Statement<Schema, First, FirstRow>, First],
      second: readonly [Statement<Schema, Second, SecondRow>, Second],
    ): Promise<[FirstRow[], SecondRow[]]> => {
      statistics.reads += 2;
      try {
        // On one connection: each is a transaction of its own, in this order.
        const answers = await transactions.withClient(({ connection }) =>
          Promise.all([connection.ask(named(...first)), connection.ask(named(...second))]),
        );
        return [answers[0].rows as FirstRow[], answers[1].rows as SecondRow[]];
      } catch (error) {
        throw toDatabaseError(error, postgresFaultOf);
      }
    },
    write: (work, options) =>
      noting(
        retryTransaction(
          (attempts) => {
            const locks: Lock[] = options?.queue === undefined ? [] : [[lockSpace.queue, options.queue]];
            if (attempts > attemptsBeforeQueueing) locks.push([lockSpace.contended, '']);
            const attempt = (): ReturnType<typeof work> =>
              transactions.withClient((loan) => holding(loan, locks, () => transactions.run(loan, serializable, work)));
            // Who waits for a turn has no connection: the others need them.
            return options?.isUrgent === true ? attempt() : turns.run(attempt, isLost);
          },
          { isLost, isVerdict: tables.isVerdict },
          statistics,
        ),
      ),
    probe: () =>
      noting(
        transactions.withClient((loan) =>
          transactions.run(loan, serializable, async () => {
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
    announce: async (tx, notified) => {
      if (notified.length > 0) await rawOf(tx).send(notify, [tables.name, notified], 'all');
    },
    announceSoon: (topic) => announcer.add(topic),
    close: async () => {
      await listener.close();
      await announcer.idle();
      await pool.end();
    },
  };
};
