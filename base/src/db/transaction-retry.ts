import { setTimeout as sleep } from 'node:timers/promises';
import type { Statistics } from './database.ts';

const mostAttempts = 40;
const longestPauseMs = 50;

/** How a transaction can fail and still be worth another try. */
interface Losses {
  /** It lost against another one. */
  readonly isLost: (error: unknown) => boolean;
  /** A constraint spoke. */
  readonly isVerdict: (error: unknown) => boolean;
}

/**
 * Runs a transaction again when it lost against another one. A constraint's verdict also earns one more
 * try: the check inside the operation then sees what the other transaction wrote, and names it.
 */
export const retryTransaction = async <T>(
  attempt: (attempts: number) => Promise<T>,
  { isLost, isVerdict }: Losses,
  statistics: Statistics,
): Promise<T> => {
  statistics.writes += 1;
  let isVerdictSeen = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(attempts);
    } catch (error) {
      const isFirstVerdict = !isVerdictSeen && isVerdict(error);
      if (isFirstVerdict) isVerdictSeen = true;
      else if (!isLost(error) || attempts >= mostAttempts) throw error;
      statistics.retries += 1;
      await sleep(Math.random() * Math.min(longestPauseMs, 2 ** attempts));
    }
  }
};
