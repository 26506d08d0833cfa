import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from './database.ts';
import { sql } from 'kysely';

const pollMs = 50;

/**
 * Waits until every transaction that has begun by now is over. `waiting` is called before each further look, with how
 * many there are.
 */
export const olderTransactionsEnd = async <Schema, Topic extends string>(
  db: Db<Schema, Topic>,
  waiting: (count: number) => Promise<void>,
): Promise<void> => {
  if (db.engine === 'sqlite') {
    // There is one writer at a time, so a later writer follows all earlier ones.
    await db.write(() => Promise.resolve());
    return;
  }
  const older = await running(db);
  for (;;) {
    const now = new Set(await running(db));
    const left = older.filter((one) => now.has(one));
    if (left.length === 0) return;
    await waiting(left.length);
    await sleep(pollMs);
  }
};

/** Every transaction locks its own number; also those of other users, whose statements nobody else may see. */
const running = <Schema, Topic extends string>(db: Db<Schema, Topic>): Promise<string[]> =>
  db.read(async (tx) => {
    const { rows } = await sql<{ number: string }>`select l.virtualxid as number
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and a.datname = current_database()
        and a.usesysid is not null and l.pid <> pg_backend_pid()`.execute(tx);
    return rows.map(({ number }) => number);
  });
