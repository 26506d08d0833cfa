import { statSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db, Tx } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { Statement } from '../../src/db/prepared-statement.ts';
import { mostWalBytes } from '../../src/db/sqlite-connection.ts';
import { type ControlledFlushes, controlFlushes } from '../support/controlled-flushes.ts';

interface Schema {
  rows: { id: number; text: string };
}

const all = new Statement<Schema, object, { id: number }>(
  (tx) => tx.selectFrom('rows').select('id').orderBy('id'),
  false,
);
const insert =
  (id: number, text = '') =>
  async (tx: Tx<Schema>): Promise<number> => {
    await tx.insertInto('rows').values({ id, text }).execute();
    return id;
  };
const open = (path: string): Promise<Db<Schema, 'rows'>> =>
  openDatabase<Schema, 'rows'>(
    { engine: 'sqlite', path },
    {
      ...{ name: 'test', history: 'migrations', tables: [], topics: ['rows'], isVerdict: () => false },
      migrations: [
        { version: 1, name: 'rows', statements: () => ['create table rows (id integer primary key, text text)'] },
      ],
    },
  );

describe('a commit of the embedded database', () => {
  let directory: string;
  let path: string;
  let flushes: ControlledFlushes;
  let db: Db<Schema, 'rows'>;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'corral-flush-'));
    path = join(directory, 'test.db');
    flushes = controlFlushes();
    db = await open(path);
    await db.write(insert(1));
  });
  afterEach(async () => {
    flushes.letGo();
    await db.close();
    flushes.restore();
    await rm(directory, { recursive: true });
  });

  const idsQueried = async (from = db): Promise<number[]> => (await from.query(all, {})).map(({ id }) => id);
  const idsRead = (from = db): Promise<number[]> =>
    from.read(async (tx) => (await all.all(tx, {})).map(({ id }) => id));
  /** Two that are written at once are never flushed in the event loop: one of them is not alone. */
  const writePair = (first: number): Promise<number[]> =>
    Promise.all([db.write(insert(first)), db.write(insert(first + 1))]);
  const flushBegan = async (): Promise<void> => {
    const before = flushes.begun;
    const end = performance.now() + 10_000;
    while (flushes.begun === before) {
      if (performance.now() > end) throw new Error('no flush began');
      await nextTurn();
    }
  };
  /** A change that changes nothing: when it has begun, those before it are committed. */
  const allCommitted = (): { readonly begun: Promise<void>; readonly done: Promise<void> } => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const change = (): Promise<void> => {
      begin();
      return Promise.resolve();
    };
    return { begun, done: db.write(change) };
  };
  const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    const pending = Symbol('pending');
    return (await Promise.race([promise.catch(() => undefined), Promise.resolve(pending)])) !== pending;
  };

  it('is acknowledged, and seen by readers, only when it is on the disk', async () => {
    flushes.hold();
    const pair = writePair(2);
    await flushBegan();
    expect(await isSettled(pair)).toBe(false);
    expect(await idsQueried()).toEqual([1]);
    expect(await idsRead()).toEqual([1]);
    flushes.letGo();
    await pair;
    expect(await idsQueried()).toEqual([1, 2, 3]);
    expect(await idsRead()).toEqual([1, 2, 3]);
  });

  it('shares its flush with all that wait, and the next ones do not wait for their turn to commit', async () => {
    flushes.hold();
    const first = writePair(2);
    await flushBegan();
    const before = flushes.begun;
    const rest = Promise.all(Array.from({ length: 50 }, (_, index) => db.write(insert(10 + index))));
    const last = allCommitted();
    await last.begun;
    expect(await isSettled(rest)).toBe(false);
    flushes.letGo();
    await Promise.all([first, rest, last.done]);
    expect(flushes.begun).toBe(before + 1);
    expect(await idsQueried()).toHaveLength(53);
  });

  it('is seen after its own flush though newer ones wait for theirs', async () => {
    flushes.hold();
    const first = writePair(2);
    await flushBegan();
    const second = db.write(insert(4));
    const last = allCommitted();
    await last.begun;
    flushes.letGo();
    flushes.hold();
    await first;
    expect(await idsQueried()).toEqual([1, 2, 3]);
    expect(await idsRead()).toEqual([1, 2, 3]);
    flushes.letGo();
    await Promise.all([second, last.done]);
    expect(await idsRead()).toEqual([1, 2, 3, 4]);
  });

  it('leaves a reader that goes on reading where it began', async () => {
    flushes.hold();
    const pair = writePair(2);
    await flushBegan();
    let goOn = (): void => undefined;
    const late = db.read(async (tx) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return (await all.all(tx, {})).length;
    });
    await nextTurn();
    flushes.letGo();
    await pair;
    await db.write(insert(4));
    expect(await idsRead()).toHaveLength(4);
    goOn();
    expect(await late).toBe(1);
  });

  it('leaves a reader that began before it where it began', async () => {
    let goOn = (): void => undefined;
    const early = db.read(async (tx) => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return (await all.all(tx, {})).length;
    });
    await nextTurn();
    flushes.hold();
    const pair = writePair(2);
    await flushBegan();
    goOn();
    expect(await early).toBe(1);
    flushes.letGo();
    await pair;
  });

  it('that fails because of one that is not on the disk yet waits for it', async () => {
    flushes.hold();
    const pair = writePair(2);
    const same = db.write(insert(2));
    same.catch(() => undefined);
    await flushBegan();
    expect(await isSettled(same)).toBe(false);
    flushes.letGo();
    await pair;
    await expect(same).rejects.toThrow(/UNIQUE/);
  });

  it('is in a copy of the files that is taken as soon as it is acknowledged', async () => {
    const copy = join(directory, 'copy.db');
    await Promise.all(Array.from({ length: 20 }, (_, index) => db.write(insert(10 + index))));
    await copyFile(path, copy);
    await copyFile(`${path}-wal`, `${copy}-wal`);
    const other = await open(copy);
    expect(await idsRead(other)).toHaveLength(21);
    await other.close();
  });

  it('is shared by two that have the file open', async () => {
    const other = await open(path);
    flushes.hold();
    const pair = Promise.all([db.write(insert(2)), other.write(insert(3))]);
    await flushBegan();
    expect(await idsQueried(other)).toEqual([1]);
    expect(await isSettled(pair)).toBe(false);
    flushes.letGo();
    await pair;
    await other.close();
    await writePair(4);
    expect(await idsQueried()).toEqual([1, 2, 3, 4, 5]);
  });

  it('that cannot be flushed fails, ends all writing, and is not seen', async () => {
    flushes.hold();
    const pair = Promise.allSettled([db.write(insert(2)), db.write(insert(3))]);
    await flushBegan();
    flushes.letGo(new Error('EIO: i/o error, fdatasync'));
    for (const { status, reason } of (await pair) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toMatchObject({ kind: 'unflushed', reason: 'EIO: i/o error, fdatasync' });
      expect((reason as Error).message).toContain('may have been stored');
    }
    // A disk that flushes again says nothing about what it has lost.
    flushes.letGo();
    await expect(db.write(insert(4))).rejects.toMatchObject({ kind: 'unflushed' });
    await expect(db.probe()).rejects.toMatchObject({ kind: 'unflushed' });
    expect(db.condition.fault).toMatchObject({ kind: 'unflushed' });
    expect(await idsQueried()).toEqual([1]);
    expect(await idsRead()).toEqual([1]);
  });

  it('that is alone fails like any other', async () => {
    flushes.letGo(new Error('EIO: i/o error, fdatasync'));
    await expect(db.write(insert(2))).rejects.toMatchObject({ kind: 'unflushed' });
    flushes.letGo();
    await expect(db.write(insert(3))).rejects.toMatchObject({ kind: 'unflushed' });
    expect(await idsRead()).toEqual([1]);
  });

  it('never makes the log grow without end, while others read', { timeout: 60_000 }, async () => {
    const text = 'x'.repeat(64 * 1024);
    const changes = 1_200;
    const state = { isWriting: true };
    const reading = (async () => {
      while (state.isWriting) {
        await Promise.all([idsRead(), idsQueried()]);
        await nextTurn();
      }
    })();
    let largest = 0;
    for (let id = 2; id < changes; id += 4) {
      await Promise.all([0, 1, 2, 3].map((more) => db.write(insert(id + more, text))));
      largest = Math.max(largest, statSync(`${path}-wal`).size);
    }
    state.isWriting = false;
    await reading;
    // 75 MB were written.
    expect(largest).toBeLessThan(2.5 * mostWalBytes);
    expect((await idsRead()).length).toBeGreaterThanOrEqual(changes);
  });
});
