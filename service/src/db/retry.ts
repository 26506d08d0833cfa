import { setTimeout as sleep } from 'node:timers/promises';
import type { Statistics } from './db.ts';
import { verdictOf } from './constraints.ts';

const mostAttempts = 40;
const longestPauseMs = 50;

/**
 * Runs a transaction again when it lost against another one. A constraint's verdict also earns one more
 * try: the check inside the operation then sees what the other transaction wrote, and names it.
 */
export const retrying = async <T>(
  attempt: (attempts: number) => Promise<T>,
  lost: (error: unknown) => boolean,
  statistics: Statistics,
): Promise<T> => {
  statistics.writes += 1;
  let judged = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(attempts);
    } catch (error) {
      const isVerdict = !judged && verdictOf(error) !== null;
      if (isVerdict) judged = true;
      else if (!lost(error) || attempts >= mostAttempts) throw error;
      statistics.retries += 1;
      await sleep(Math.random() * Math.min(longestPauseMs, 2 ** attempts));
    }
  }
};
