import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readClocks } from '../../src/clock-reading.ts';
import { HeldLease } from '../../src/db/held-lease.ts';

class LeaseLost extends Error {}

const heldWith = (renew: () => Promise<boolean>, more: { readonly endsOnTime?: true } = {}): HeldLease =>
  new HeldLease({
    ...more,
    lease: { name: 'switch/1', holder: 'me', fence: 1 },
    ms: 1_000,
    asked: readClocks(),
    renew,
    lost: () => new LeaseLost(),
  });

/** The database says that it is still ours, or not. */
const held = (isOurs: boolean): HeldLease => heldWith(() => Promise.resolve(isOurs));

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

describe('a lease that is kept', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is renewed three times within its length, until it is let go', async () => {
    let renewals = 0;
    const lease = heldWith(() => Promise.resolve((renewals += 1) > 0));
    const letGo = lease.keep();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(renewals).toBe(30);
    expect(lease.lost.aborted).toBe(false);
    letGo();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([renewals, lease.lost.aborted]).toEqual([30, false]);
  });

  it.each([
    ['at the next tick after its time is over', {}, 335],
    ['the moment its time is over, where that is wanted', { endsOnTime: true } as const, 1],
  ])('is lost %s if the database does not answer, which is asked only once', async (_, more, withinMs) => {
    let renewals = 0;
    const lease = heldWith(() => {
      renewals += 1;
      return new Promise(() => undefined);
    }, more);
    lease.keep();
    await vi.advanceTimersByTimeAsync(999);
    expect([renewals, lease.lost.aborted]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(withinMs);
    expect([renewals, lease.lost.reason]).toEqual([1, expect.any(LeaseLost)]);
  });

  it('is kept by a renewal that succeeds after the process slept', async () => {
    const lease = heldWith(() => Promise.resolve(true));
    lease.keep();
    vi.setSystemTime(Date.now() + 5_000);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(lease.lost.aborted).toBe(false);
  });

  it('survives renewals that fail, if one succeeds before its time is over', async () => {
    const refused = new Error('the disk is full');
    let answers = [refused, refused];
    const lease = heldWith(() => {
      const error = answers.shift();
      return error ? Promise.reject(error) : Promise.resolve(true);
    });
    const failed = vi.fn();
    lease.keep(failed);
    await vi.advanceTimersByTimeAsync(1_500);
    expect([failed.mock.calls, lease.lost.aborted]).toEqual([[[refused], [refused]], false]);
    answers = [refused, refused, refused, refused];
    await vi.advanceTimersByTimeAsync(1_500);
    expect(lease.lost.aborted).toBe(true);
  });
});
