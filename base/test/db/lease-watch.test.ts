import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LeaseTable } from '../../src/db/lease-table.ts';
import { LeaseWatch } from '../../src/db/lease-watch.ts';
import type { Tx } from '../../src/db/transaction.ts';

const lengthMs = 1_000;
let now = 0;

beforeEach(() => {
  now = 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

/** How long a lease has to be waited for, whose row says this; 0: it is free. */
const waiting = () => {
  const rows: unknown[] = [];
  const table = { read: () => Promise.resolve(rows) } as unknown as LeaseTable<object, object>;
  const watch = new LeaseWatch(table, ({ holder }) => holder === 'gone');
  return async (name: string, row: { expires_at: number; leftMs: number; holder?: string }): Promise<number> => {
    rows.splice(0, 1, { name, holder: 'me', fence: 1, ...row });
    const stateOf = await watch.inspect({ tx: {} as Tx<object>, now: sql<number>`0` }, [name], lengthMs);
    const { free, waitMs } = stateOf(name);
    return free === null ? waitMs : 0;
  };
};

it('an expired lease may be taken after its row was the same for half its length', async () => {
  const waitFor = waiting();
  const wait = (expires_at: number) => waitFor('a', { expires_at, leftMs: -60_000 });
  expect(await wait(1)).toBe(500);
  now += 499;
  expect(await wait(1)).toBe(1);
  // Its holder renews: only the clock was set forward.
  expect(await wait(2)).toBe(500);
  now += 500;
  expect(await wait(2)).toBe(0);
});

it('a lease that has not expired is waited for, but no longer than three times its length', async () => {
  const waitFor = waiting();
  const wait = (leftMs: number) => waitFor('a', { expires_at: 1, leftMs });
  expect([await wait(0), await wait(700), await wait(86_400_000)]).toEqual([1, 701, 3_000]);
  now += 3_000;
  expect(await wait(86_400_000)).toBe(0);
});

it('leases are seen apart, and one that was given back is seen anew', async () => {
  const waitFor = waiting();
  const wait = (name: string) => waitFor(name, { expires_at: 1, leftMs: -1 });
  await wait('a');
  now += 500;
  expect([await wait('b'), await wait('a')]).toEqual([500, 0]);
  expect(await waitFor('a', { expires_at: 0, leftMs: -9 })).toBe(0);
  expect(await wait('a')).toBe(500);
});

it('a holder that is known to be gone is not waited for', async () => {
  const waitFor = waiting();
  const row = { expires_at: 1, leftMs: 700 };
  expect([await waitFor('a', row), await waitFor('a', { ...row, holder: 'gone' })]).toEqual([701, 0]);
});
