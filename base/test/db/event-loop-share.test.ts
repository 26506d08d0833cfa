import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Tx } from '../../src/db/database.ts';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/open-database.ts';
import { Statement } from '../../src/db/prepared-statement.ts';

interface Schema {
  rows: { id: number };
}

/** Enough turns to be no accident, and how long a caller that lets nobody have one is given. */
const enough = 6;
const longestMs = 10_000;

describe('a caller that queries the embedded database repeatedly', () => {
  let directory: string;
  let db: Db<Schema, 'rows'>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'corral-share-'));
    db = await openDatabase<Schema, 'rows'>(
      { engine: 'sqlite', path: join(directory, 'test.db') },
      {
        ...{ name: 'test', history: 'migrations', tables: [], topics: ['rows'], isVerdict: () => false },
        migrations: [{ version: 1, name: 'rows', statements: () => ['create table rows (id integer primary key)'] }],
      },
    );
  });
  afterAll(async () => {
    await db.close();
    await rm(directory, { recursive: true });
  });

  const look = (tx: Tx<Schema>): Promise<unknown> => sql`select count(*) from rows`.execute(tx);
  const count = new Statement<Schema, object, { count: number }>(
    (tx) => tx.selectFrom('rows').select(({ fn }) => fn.countAll<number>().as('count')),
    true,
  );

  /** How often a timer had its turn while this was done over and over, by so many at once, until that was enough. */
  const turnsBeside = async (callers: number, once: () => Promise<unknown>): Promise<number> => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const end = performance.now() + longestMs;
    const caller = async (): Promise<void> => {
      while (turns < enough && performance.now() < end) await once();
    };
    await Promise.all(Array.from({ length: callers }, caller));
    clearInterval(timer);
    return turns;
  };

  it.each([
    ['reads', 1, () => db.read(look)],
    ['reads, with others', 30, () => db.read(look)],
    ['writes', 1, () => db.write(look)],
    ['asks', 1, () => db.query(count, {})],
    ['asks, with others', 30, () => db.query(count, {})],
  ])('%s: lets everybody else have a turn in between', async (_what, callers, once) => {
    expect(await turnsBeside(callers, once)).toBeGreaterThanOrEqual(enough);
  });

  it('is answered in the order of asking', async () => {
    const answered: number[] = [];
    const work = async (index: number): Promise<void> => {
      await db.read(async (tx) => {
        const until = performance.now() + 20;
        while (performance.now() < until) await look(tx);
      });
      answered.push(index);
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => work(index)));
    expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
