import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LogCheckpoints } from '../../src/db/log-checkpoints.ts';
import { Mutex } from '../../src/db/mutex.ts';
import { SqliteConnection } from '../../src/db/sqlite-connection.ts';

/** The bytes of a file that this process has locked, and how. */
const locksOn = (file: string): string[] =>
  readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(file).ino} `))
    .map((line) => line.replace(/^\d+: \S+ +\S+ +(\S+) +\S+ \S+ (.*)$/, '$1 $2'))
    .sort();

const alwaysFlushed = { hasFailed: false, settled: () => Promise.resolve(), fail: () => undefined };

it('a checkpoint takes no lock from its process: another one would take the log for abandoned', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-checkpoint-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'test.db');
  const connection = new SqliteConnection(path, 'with others');
  onTestFinished(() => connection.close());
  connection.exec('create table rows (id integer primary key)');
  connection.beginWrite();
  connection.exec('insert into rows values (1)');
  const before = [locksOn(path), locksOn(`${path}-shm`)];
  // One of those who write, one of those who read, and one of all who have the log open.
  expect(before[1]).toEqual(['READ 124 124', 'READ 128 128', 'WRITE 120 120']);
  const checkpoints = new LogCheckpoints(path, new Mutex(), alwaysFlushed);
  for (let change = 0; change < 1_000; change += 1) checkpoints.changed();
  await checkpoints.close();
  expect([locksOn(path), locksOn(`${path}-shm`)]).toEqual(before);
  connection.commit();
  expect(connection.all('select id from rows')).toMatchObject([{ id: 1 }]);
});
