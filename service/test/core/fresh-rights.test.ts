import { readClocks } from '@corral/base/clock-reading';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allOf, FreshRights, withFreshRights } from '../../src/core/fresh-rights.ts';

const muchLaterMs = 60_000;

describe('rights that were read before a call to a device', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('count for a moment only, also if just the time of day went on', () => {
    const rights = new FreshRights(readClocks());
    expect(rights.check).not.toThrow();
    vi.setSystemTime(Date.now() + muchLaterMs);
    expect(rights.check).toThrow();
  });

  it('are read again if the process slept before the call, and the call is made with those', async () => {
    let readings = 0;
    const read = () => Promise.resolve((readings += 1));
    const sent = await withFreshRights(read, (found, rights) => {
      if (found < 3) vi.advanceTimersByTime(muchLaterMs);
      rights.check();
      return Promise.resolve(found);
    });
    expect(sent).toBe(3);
  });

  it('are not read again for ever, nor after another failure', async () => {
    const read = vi.fn(() => Promise.resolve(null));
    const asleep = withFreshRights(read, (_, rights) => {
      vi.advanceTimersByTime(muchLaterMs);
      rights.check();
      return Promise.resolve();
    });
    await expect(asleep).rejects.toMatchObject({ type: 'BlockedError' });
    const readings = read.mock.calls.length;
    expect(readings).toBeLessThan(10);
    await expect(withFreshRights(read, () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    expect(read).toHaveBeenCalledTimes(readings + 1);
  });

  it('are needed together with a lease', () => {
    const lost = new AbortController().signal;
    const lease = { lost, check: vi.fn() };
    const stale = new FreshRights(readClocks());
    expect(allOf(lease, stale).check).not.toThrow();
    vi.advanceTimersByTime(muchLaterMs);
    expect(allOf(lease, stale).check).toThrow();
    lease.check.mockImplementation(() => {
      throw new Error('lost');
    });
    expect(allOf(lease, new FreshRights(readClocks())).check).toThrow('lost');
  });
});
