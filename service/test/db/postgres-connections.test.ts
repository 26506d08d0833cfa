import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db, Tx } from '../../src/db/service-database.ts';
import type { Topic } from '../../src/db/topics.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';
import { eventually } from '../support/services/world.ts';

const connections = 2;

const openBy = async (url: string): Promise<Db> => {
  const db = await openDatabase({ engine: 'postgres', url, connections });
  onTestFinished(() => db.close());
  return db;
};

describe.each(engines.filter((engine) => engine === 'postgres'))('the connections of a process to %s', () => {
  it('tell other processes of its changes, and not the process itself', async () => {
    const url = await migratedPostgres('corral', openDatabase);
    const [one, other] = [await openBy(url), await openBy(url)];
    const heard: string[] = [];
    for (const topic of ['users', 'actions'] as const) {
      one.changes.on(topic, () => heard.push(`one: ${topic}`));
      other.changes.on(topic, () => heard.push(`other: ${topic}`));
    }
    const tell = (db: Db, topic: Topic) => db.write((tx) => db.announce(tx, [topic]));
    await eventually(async () => {
      await tell(one, 'users');
      await tell(other, 'users');
      return heard.includes('one: users') && heard.includes('other: users') ? true : undefined;
    });
    for (let count = 0; count < 5; count += 1) await tell(one, 'actions');
    // Notifications arrive in the order of the commits.
    await tell(other, 'actions');
    const ofActions = () => heard.filter((entry) => entry.endsWith('actions')).sort();
    await eventually(() => Promise.resolve(ofActions().length >= 6 ? true : undefined));
    expect(ofActions()).toEqual(['one: actions', ...Array<string>(5).fill('other: actions')]);
  });

  it('are given back by reads, whether they fail or not', async () => {
    const db = await openBy(await migratedPostgres('corral', openDatabase));
    for (let count = 0; count < 3 * connections; count += 1) {
      await expect(db.read((tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow(/division by zero/);
      await expect(db.read(() => Promise.reject(new Error('not today')))).rejects.toThrow('not today');
      const [row] = await db.read((tx) =>
        tx.selectFrom('users').select(tx.fn.countAll<number>().as('count')).execute(),
      );
      expect(row?.count).toBe(0);
    }
  });

  /** Says nothing for longer than the server lets it: `still` as a process that stands still, or while others go on. */
  const idle = async (tx: Tx, still: boolean): Promise<void> => {
    await sql`select set_config('idle_in_transaction_session_timeout', '100', false)`.execute(tx);
    if (still) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    else await sleep(1_000);
  };
  const one = async (tx: Tx): Promise<unknown> => (await sql<{ one: number }>`select 1 as one`.execute(tx)).rows;

  it.each([true, false])(
    'are ended by the server in a silent transaction; one that reads is run once more (%s)',
    async (still) => {
      const db = await openBy(await migratedPostgres('corral', openDatabase));
      let attempts = 0;
      const idles = (times: number) => async (tx: Tx) => {
        attempts += 1;
        if (attempts <= times) await idle(tx, still);
        return one(tx);
      };
      expect([await db.read(idles(1)), attempts]).toEqual([[{ one: 1 }], 2]);
      attempts = 0;
      await expect(db.read(idles(2))).rejects.toThrow('the database does not answer: try again in a moment');
      expect(attempts).toBe(2);
      attempts = 0;
      await expect(db.write(idles(1))).rejects.toThrow('the database does not answer: try again in a moment');
      expect(attempts).toBe(1);
      expect(await db.read(one)).toEqual([{ one: 1 }]);
    },
  );
});
