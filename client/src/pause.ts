/** The longest time, of 24 days, that a timer takes: a longer one would ring at once. */
const longestTimerMs = 2 ** 31 - 1;

/** How long a timer is to be set for a limit, which may be infinite. */
export const timerFor = (limitMs: number): number => Math.min(limitMs, longestTimerMs);

/** Waits; an abort ends it with its reason. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
