import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readClocks } from '@corral/base/clock-reading';
import { HeldLease } from '../../src/core/held-lease.ts';
import { LeaseLost } from '../../src/core/leases.ts';
import type { RequestContext } from '../../src/core/request-context.ts';

/** A request context in which the lease is still ours, or not. */
const deskThatSays = (isOurs: boolean): RequestContext =>
  ({ writeOutcome: () => Promise.resolve(isOurs) }) as unknown as RequestContext;

const held = (isOurs: boolean): HeldLease =>
  new HeldLease(deskThatSays(isOurs), { name: 'switch/1', holder: 'me', fence: 1 }, 1_000, readClocks());

describe('a lease that this process holds', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
  afterEach(() => vi.useRealTimers());

  it('counts until its time is over since it was last confirmed', () => {
    const lease = held(true);
    vi.advanceTimersByTime(999);
    expect(lease.check).not.toThrow();
    vi.advanceTimersByTime(1);
    expect(lease.check).toThrow(LeaseLost);
    expect(lease.lost.aborted).toBe(true);
  });

  it('does not count after a sleep in which only the time of day went on', () => {
    const lease = held(true);
    vi.setSystemTime(Date.now() + 5_000);
    expect(lease.check).toThrow(LeaseLost);
  });

  it('survives a time of day that is set back', () => {
    const lease = held(true);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(lease.check).not.toThrow();
    vi.advanceTimersByTime(1_000);
    expect(lease.check).toThrow(LeaseLost);
  });

  it('is asked for again before a call to a device, and lost if it is somebody else’s', async () => {
    const ours = held(true);
    const theirs = held(false);
    vi.advanceTimersByTime(600);
    await ours.confirm();
    vi.advanceTimersByTime(600);
    expect(ours.check).not.toThrow();
    await expect(theirs.confirm()).rejects.toThrow(LeaseLost);
  });
});
