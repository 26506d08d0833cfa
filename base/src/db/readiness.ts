import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './database.ts';
import { sql } from 'kysely';

/** Those who ask whether a process is ready seldom wait longer. */
const answerWithinMs = 2_000;
/** More frequent callers get the same answer again. */
const lastsMs = 500;

interface ReadinessCheck {
  readonly answer: Promise<string | null>;
  /** Not before it is answered. */
  endsAt: number;
}

const checks = new WeakMap<object, ReadinessCheck>();

/** Why a database is of no use now, in a sentence; null: it can be read and written. One check serves all who ask. */
export const unreadiness = <Schema, Topic extends string>(db: Db<Schema, Topic>): Promise<string | null> => {
  const last = checks.get(db);
  if (last !== undefined && performance.now() < last.endsAt) return last.answer;
  const made: ReadinessCheck = { answer: check(db), endsAt: Number.POSITIVE_INFINITY };
  checks.set(db, made);
  void made.answer.finally(() => (made.endsAt = performance.now() + lastsMs));
  return made.answer;
};

const check = async <Schema, Topic extends string>(db: Db<Schema, Topic>): Promise<string | null> => {
  const late = new AbortController();
  const tooLate = sleep(answerWithinMs, 'late' as const, { signal: late.signal, ref: false });
  const tried = db
    .read((tx) => sql`select 1`.execute(tx))
    .then(() => db.probe())
    .then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  const answer = await Promise.race([tried, tooLate]);
  late.abort();
  if (answer !== 'late') return answer;
  return db.condition.fault?.message ?? `the database has not answered for ${answerWithinMs / 1000} seconds`;
};
