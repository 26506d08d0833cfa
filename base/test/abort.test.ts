import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { firstOf, onAbort, TimedOut, unlessAborted, withDeadline } from '../src/abort.ts';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
const never = new Promise<never>(() => undefined);

describe('work that is given up', () => {
  it('rejects at once with the reason, and ends what was begun after that', async () => {
    const order: string[] = [];
    const controller = new AbortController();
    const work = unlessAborted(never, controller.signal, { giveUp: () => order.push('given up') });
    controller.abort(new Error('enough'));
    expect(order).toEqual(['given up']);
    await expect(work).rejects.toThrow('enough');
  });

  it('does not begin after the abort', async () => {
    const begin = vi.fn(() => Promise.resolve());
    await expect(unlessAborted(begin, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(begin).not.toHaveBeenCalled();
  });

  it('keeps its reason when giving up makes the work fail, too', async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    const given = unlessAborted(work, controller.signal, {
      error: (cause) => new Error('gave up the call', { cause }),
      giveUp: () => fail(new Error('the line broke')),
    });
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('gave up the call');
  });
});

describe('a deadline', () => {
  it('holds even if the work ignores its signal', async () => {
    await expect(withDeadline({ ms: 5 }, () => never)).rejects.toThrow(TimedOut);
  });

  it('leaves no listener on a signal that lives longer', async () => {
    const long = new AbortController();
    await withDeadline({ ms: 60_000, signals: [long.signal] }, () => Promise.resolve('done'));
    await withDeadline({ ms: 60_000, signals: [long.signal] }, () => Promise.reject(new Error('no'))).catch(() => null);
    await withDeadline({ ms: 1, signals: [long.signal] }, () => never).catch(() => null);
    await turn();
    expect(listenersOf(long.signal)).toBe(0);
  });

  it('ends with any of the signals, for its reason', async () => {
    const lost = new AbortController();
    const work = withDeadline({ ms: 60_000, signals: [lost.signal] }, () => never);
    lost.abort(new Error('the lease is lost'));
    await expect(work).rejects.toThrow('the lease is lost');
  });
});

describe('one signal of several', () => {
  it('aborts with the first of them, until it is released', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const { signal, release } = firstOf(one.signal, two.signal);
    release();
    one.abort();
    expect(signal.aborted).toBe(false);
    expect(listenersOf(two.signal)).toBe(0);
    expect(firstOf(two.signal, one.signal).signal.reason).toBe(one.signal.reason);
  });

  it('calls at once what is to be called after an abort', () => {
    const act = vi.fn();
    onAbort(AbortSignal.abort(), act);
    expect(act).toHaveBeenCalledOnce();
  });
});
