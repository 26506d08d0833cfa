import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';

const growth = { firstMs: 200, longestMs: 2_000 };

/** Tries again, for so long, what fails in a way that passes. */
export const retryFor = async <T>(
  forMs: number,
  isPassing: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> => {
  const last = performance.now() + forMs;
  const failures = new Backoff(growth);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() > last) throw error;
    }
    await sleep(failures.failed());
  }
};
