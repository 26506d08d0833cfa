import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeShare } from '../src/time-share.ts';

describe('a share of the time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(1_000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const share = () => new TimeShare({ share: 1 / 10, atOnceMs: 5, longestWaitMs: 50 });

  it('does not make wait who takes little', () => {
    const time = share();
    expect(time.waitMs).toBe(0);
    for (let count = 0; count < 100; count += 1) {
      time.took(1);
      expect(time.waitMs).toBe(0);
      vi.advanceTimersByTime(10);
    }
  });

  it('lets some follow at once after a quiet time, and then makes them wait for what they took', () => {
    const time = share();
    for (let count = 0; count < 5; count += 1) {
      expect(time.waitMs).toBe(0);
      time.took(1);
    }
    time.took(1);
    expect(time.waitMs).toBeCloseTo(10);
    vi.advanceTimersByTime(10);
    expect(time.waitMs).toBe(0);
    time.took(2);
    expect(time.waitMs).toBeCloseTo(20);
  });

  it('makes nobody wait longer than the longest wait, however long it took', () => {
    const time = share();
    time.took(60_000);
    expect(time.waitMs).toBeCloseTo(50);
    time.took(60_000);
    expect(time.waitMs).toBeCloseTo(50);
  });

  it('keeps no more of a quiet time than what may be taken at once', () => {
    const time = share();
    vi.advanceTimersByTime(3_600_000);
    time.took(5);
    expect(time.waitMs).toBe(0);
    time.took(1);
    expect(time.waitMs).toBeCloseTo(10);
  });
});
