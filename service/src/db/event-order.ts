import { setTimeout as sleep } from 'node:timers/promises';
import { locksRows, rawOf } from '@corral/base/db/bound-kysely';
import type { Statement } from '@corral/base/db/prepared-statement';
import { sql } from 'kysely';
import { aggregate, statement } from './service-statement.ts';
import type { Db, Tx } from './service-database.ts';
import type { Database } from './service-schema.ts';

/*
 * Event ids are taken before the commit, so on PostgreSQL a transaction with a smaller id may commit after one with a
 * greater. Nobody is made to wait for that. Instead a reader stops at the newest event that is settled: every transaction
 * that took a smaller id has ended. docs/decisions/0013-event-order-without-a-lock.md has the reasoning.
 *
 * A row is written by a subtransaction whose number is given after the row's id, and a transaction that took a smaller id had
 * its number before it took the id. So that number is smaller than the row's (`xmin`), and a snapshot in which all
 * transactions up to the row's have ended shows all events up to the row's id, for ever.
 */

/** The columns of a snapshot, once for the whole statement. */
const oldestRunning = sql<number>`(select pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`;
const firstUnknown = sql<number>`(select pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`;

/** Rows have the lower 32 bits of a number: is it of those that the snapshot does not know to have ended? */
const isSettled = (oldest: typeof oldestRunning) =>
  sql<boolean>`((events.xmin::text::bigint - ${oldest}) & 4294967295) >= ${firstUnknown} - ${oldest}`;

/**
 * The oldest running transaction that may write events. Others of the same server (of another database, of another
 * program, or prepared) never do, and may take for ever. One that has ended since the snapshot counts.
 */
const oldestOfOurs = sql<number>`(
  select coalesce(min(running::text::bigint), ${firstUnknown}) from pg_snapshot_xip(pg_current_snapshot()) running
  where not exists (
    select from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
      and l.transactionid::text::bigint = (running::text::bigint & 4294967295)
      and (l.pid is null or a.datname <> current_database() or a.application_name <> current_setting('application_name'))))`;

/** Before the events of a transaction are written. Ids for them, in order, or null: the database gives them. */
export const takeEventIds = async (tx: Tx, count: number): Promise<readonly number[] | null> => {
  if (!locksRows(tx)) return null;
  const { run, send } = rawOf(tx);
  // The transaction's own number comes before the ids, and the subtransaction's after them, at the first row.
  await send('select pg_current_xact_id()', [], 'all');
  let ids: number[] | null = null;
  if (count > 1) {
    const { rows } = await run(`select nextval('events_id_seq') as id from generate_series(1, $1)`, [count], 'all');
    ids = (rows as { id: number }[]).map(({ id }) => id).sort((a, b) => a - b);
  }
  await send('savepoint events', [], 'all');
  return ids;
};

/** `held`: a transaction that was the oldest for a while, so it is worth finding out whose it is. */
const newestAndSettled = aggregate((tx, { held }: { held: string }) =>
  locksRows(tx)
    ? tx.selectNoFrom((select) => [
        select
          .selectFrom('events')
          .select(({ fn }) => fn.max<number | null>('id').as('id'))
          .as('newest'),
        select
          .selectFrom('events')
          .select('id')
          .where(
            isSettled(
              sql`(select case when ${oldestRunning}::text = ${held} then ${oldestOfOurs} else ${oldestRunning} end)`,
            ),
          )
          .orderBy('id', 'desc')
          .limit(1)
          .as('settled'),
        sql<string>`${oldestRunning}::text`.as('oldest'),
      ])
    : tx
        .selectFrom('events')
        .select(({ fn }) => [
          fn.max<number | null>('id').as('newest'),
          fn.max<number | null>('id').as('settled'),
          sql<string>`''`.as('oldest'),
        ]),
);

/** A transaction that runs longer than this is checked: is it one of ours? */
const suspiciousMs = 20;
/** Longer than transactions take. What is not settled by then is read later. */
const longestWaitMs = 2_000;

/**
 * Up to which id events can be read in order: no event with a smaller id will ever be added. Waits for the transactions
 * that keep back what is committed already, so whatever was acknowledged before the call is included.
 */
export const settledEvents = async (query: Db['query']): Promise<number> => {
  const begun = performance.now();
  let wanted: number | null = null;
  let oldest = { number: '', since: begun };
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, 16)) {
    const now = performance.now();
    const [found] = await query(newestAndSettled, { held: now - oldest.since >= suspiciousMs ? oldest.number : '' });
    const settled = found?.settled ?? 0;
    wanted ??= found?.newest ?? 0;
    if (settled >= wanted || now - begun >= longestWaitMs) return settled;
    if (found !== undefined && found.oldest !== oldest.number) oldest = { number: found.oldest, since: now };
    await sleep(pauseMs);
  }
};

/**
 * Up to which id events can be read in order, if nothing that is committed is kept back, and the answer to a question
 * that was asked after that. Null: there is something to wait for.
 */
export const settledWith = async <Values extends object, Row>(
  queryPair: Db['queryPair'],
  question: Statement<Database, Values, Row>,
  values: Values,
): Promise<{ readonly settled: number; readonly rows: Row[] } | null> => {
  const [[found], rows] = await queryPair([newestAndSettled, { held: '' }], [question, values]);
  const settled = found?.settled ?? 0;
  return settled >= (found?.newest ?? 0) ? { settled, rows } : null;
};

/** A name for the state of everything that events record: as long as it is the same, no event was committed. */
export const stateOfEvents = async (query: Db['query']): Promise<string> => {
  const [row] = await query(state, {});
  return row === undefined ? '' : `${row.id} ${row.snapshot}`;
};

const state = statement((tx) =>
  tx
    .selectFrom('events')
    .select('id')
    // While an older transaction runs, the same newest event can stand for two states; the same snapshot cannot.
    .select(
      (locksRows(tx)
        ? sql<string>`case when ${isSettled(oldestRunning)} then '' else pg_current_snapshot()::text end`
        : sql<string>`''`
      ).as('snapshot'),
    )
    .orderBy('id', 'desc')
    .limit(1),
);
