import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';

/** What PostgreSQL says to a transaction that lost against another. */
const lost = (): Error => Object.assign(new Error('could not serialize access'), { code: '40001' });

describe.runIf(engines.includes('postgres'))('writes to PostgreSQL that wait for their turn', () => {
  /** Two connections, and losses until one write runs at a time. */
  const contended = async (): Promise<Db> => {
    const db = await openDatabase({
      engine: 'postgres',
      url: await migratedPostgres('corral', openDatabase),
      connections: 2,
    });
    onTestFinished(() => db.close());
    let losses = 0;
    await db.write(() => {
      losses += 1;
      return losses < 4 ? Promise.reject(lost()) : Promise.resolve();
    });
    return db;
  };

  it('have no connection meanwhile: reads and renewals of leases go on', async () => {
    const db = await contended();
    // Who waits for long goes without a turn: not in this test, however long it takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const order: string[] = [];
    let end = (): void => undefined;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const running = db.write(async () => {
      begin();
      await new Promise<void>((resolve) => (end = resolve));
      order.push('the one that runs');
    });
    await begun;
    const waiting = [1, 2, 3].map(() => db.write(() => Promise.resolve(order.push('one that waits'))));
    await db.read(() => Promise.resolve(order.push('a read')));
    await db.write(() => Promise.resolve(order.push('a renewal')), { isUrgent: true });
    end();
    await Promise.all([running, ...waiting]);
    expect(order.slice(0, 3)).toEqual(['a read', 'a renewal', 'the one that runs']);
    expect(order).toHaveLength(6);
  });
});
