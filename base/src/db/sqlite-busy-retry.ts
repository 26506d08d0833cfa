import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './sqlite-fault.ts';

/** How long a change waits for another process (an operator's tool) to let go of the file. */
export const busyTimeoutMs = 5_000;
/** After this long the wait is reported, while it continues. */
const tellAfterMs = 500;
const firstPauseMs = 1;
const longestPauseMs = 100;

/** Tries again, with growing pauses that block nobody, for as long as the file is locked and `until` has not come. */
export const whileBusy = async <T>(
  attempt: () => Promise<T>,
  until: number,
  waiting: (error: unknown) => void = () => undefined,
): Promise<T> => {
  const tellAt = performance.now() + tellAfterMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      return await attempt();
    } catch (error) {
      const now = performance.now();
      if (!isBusy(error) || now >= until) throw error;
      if (now >= tellAt) waiting(error);
    }
    await sleep(pauseMs * (0.5 + Math.random() / 2));
  }
};

/** Begins a transaction that writes. `waiting` is called when another process has held the lock for a while. */
export const begun = async (
  connection: { beginWrite(): void },
  until: number,
  waiting: (error: unknown) => void,
): Promise<void> => {
  const begin = (): Promise<void> => {
    connection.beginWrite();
    return Promise.resolve();
  };
  await whileBusy(async () => begin(), until, waiting);
};
