import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LeaseSightings } from '../../src/db/lease-sightings.ts';

const lengthMs = 1_000;
let now = 0;

beforeEach(() => {
  now = 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

it('an expired lease may be taken after its row was the same for half its length', () => {
  const sightings = new LeaseSightings();
  const wait = (version: string) => sightings.waitMs('a', { version, leftMs: -60_000 }, lengthMs);
  expect(wait('1')).toBe(500);
  now += 499;
  expect(wait('1')).toBe(1);
  // Its holder renews: only the clock was set forward.
  expect(wait('2')).toBe(500);
  now += 500;
  expect(wait('2')).toBe(0);
});

it('a lease that has not expired is waited for, but no longer than three times its length', () => {
  const sightings = new LeaseSightings();
  const wait = (leftMs: number) => sightings.waitMs('a', { version: '1', leftMs }, lengthMs);
  expect([wait(0), wait(700), wait(86_400_000)]).toEqual([1, 701, 3_000]);
  now += 3_000;
  expect(wait(86_400_000)).toBe(0);
});

it('leases are seen apart, and one that was given back is seen anew', () => {
  const sightings = new LeaseSightings();
  const wait = (name: string) => sightings.waitMs(name, { version: '1', leftMs: -1 }, lengthMs);
  wait('a');
  now += 500;
  expect([wait('b'), wait('a')]).toEqual([500, 0]);
  sightings.forget('a');
  expect(wait('a')).toBe(500);
});
