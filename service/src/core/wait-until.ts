import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 4;
const longestPauseMs = 100;

/** Asks again and again, with growing pauses, until the answer is yes; false if it never was in this time. */
export const waitUntil = async (ms: number, isSettled: () => Promise<boolean>): Promise<boolean> => {
  const deadline = performance.now() + ms;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
    await sleep(pause);
    if (await isSettled()) return true;
    if (performance.now() > deadline) return false;
  }
};
