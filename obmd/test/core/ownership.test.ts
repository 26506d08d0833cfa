import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Ownership } from '../../src/core/bmc-ownership.ts';
import type { Db } from '../../src/db/open-obmd-database.ts';

it('a daemon whose database does not answer asks again after a pause', async () => {
  let questions = 0;
  const refuse = (): Promise<never> => {
    questions += 1;
    return Promise.reject(new Error('the disk is full'));
  };
  const db = { read: refuse, write: refuse } as unknown as Db;
  const nothing = (): Promise<void> => Promise.resolve();
  const ownership = new Ownership(db, { gained: nothing, lost: nothing, failed: () => undefined });
  onTestFinished(() => ownership.stop());
  await ownership.start();
  await setTimeout(300);
  expect(questions).toBeLessThanOrEqual(2);
  expect(ownership.check).toThrow();
});

it('a daemon that slept longer than its hold lasts does nothing before it has asked for it again', async () => {
  const db = { read: () => Promise.resolve(undefined), write: () => Promise.resolve(true) } as unknown as Db;
  const nothing = (): Promise<void> => Promise.resolve();
  const ownership = new Ownership(db, { gained: nothing, lost: nothing, failed: () => undefined });
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await ownership.stop();
  });
  await ownership.start();
  expect(ownership.check).not.toThrow();
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  expect(ownership.check).toThrow();
});
