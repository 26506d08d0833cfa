import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Ownership } from '../../src/core/bmc-ownership.ts';
import { type Db, openDatabase, type Tx } from '../../src/db/open-obmd-database.ts';

const nothing = (): Promise<void> => Promise.resolve();

it('a daemon whose database does not answer asks again after a pause', async () => {
  let questions = 0;
  const refuse = (): Promise<never> => {
    questions += 1;
    return Promise.reject(new Error('the disk is full'));
  };
  const db = { read: refuse, write: refuse } as unknown as Db;
  const ownership = new Ownership(db, { gained: nothing, lost: nothing, failed: () => undefined });
  onTestFinished(() => ownership.stop());
  await ownership.start();
  await setTimeout(300);
  expect(questions).toBeLessThanOrEqual(2);
  expect(ownership.check).toThrow();
});

it('a daemon that slept longer than its hold lasts does nothing before it has asked for it again', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-ownership-'));
  const db = await openDatabase({ engine: 'sqlite', path: join(directory, 'obmd.db') });
  const lost = vi.fn(nothing);
  const ownership = new Ownership(db, { gained: nothing, lost, failed: () => undefined });
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await ownership.stop();
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });
  await ownership.start();
  expect(ownership.check).not.toThrow();
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  expect(ownership.check).toThrow();
  // Nobody else has it: what the process has in memory is still true.
  await vi.waitFor(ownership.check, { timeout: 10_000, interval: 50 });
  expect(lost).not.toHaveBeenCalled();
});

it('a change that was begun under an earlier hold is refused, also by the same process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-ownership-'));
  const db = await openDatabase({ engine: 'sqlite', path: join(directory, 'obmd.db') });
  const holds: ((tx: Tx) => Promise<void>)[] = [];
  const gained = (): Promise<void> => {
    holds.push(ownership.requirementOfHold());
    return Promise.resolve();
  };
  const ownership: Ownership = new Ownership(db, { gained, lost: nothing, failed: () => undefined });
  onTestFinished(async () => {
    await ownership.stop();
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });
  await ownership.start();
  await db.write((tx) => tx.deleteFrom('obmd_owner').execute());
  await vi.waitFor(() => expect(holds).toHaveLength(2), { timeout: 10_000, interval: 50 });
  const refusals = await Promise.all(holds.map((hold) => db.write(hold).then(() => null, String)));
  expect(refusals).toEqual([expect.stringContaining('another process'), null]);
});
