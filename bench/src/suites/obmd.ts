import { besideHanging, besideStopped } from '../obmd/hanging.ts';
import { ipmiLeaks, mockLeaks } from '../obmd/leaks.ts';
import { rate } from '../obmd/obmd-rate.ts';
import { streaming } from '../obmd/streaming.ts';
import { isQuick, say } from '../options.ts';
import type { Figure, Results } from '../report.ts';

/*
 * The OBM daemon, as a process of its own: what BMCs that hang cost the others, what many consoles cost, and what is
 * left of those that were closed. `--quick`: a tenth of it.
 */

const hanging = {
  callers: isQuick ? 6 : 30,
  seconds: isQuick ? 2 : 4,
  pairs: isQuick ? 1 : 8,
  hungCalls: 2,
  timeoutSeconds: 2,
};
// Every call is a process. So few of them that the processor, which all share, is not what they wait for.
const stopped = { callers: 2, seconds: isQuick ? 3 : 5, pairs: isQuick ? 1 : 6, hungCalls: 1, timeoutSeconds: 5 };
const parts: readonly (readonly [string, string, () => Promise<readonly Figure[]>])[] = [
  ['a', 'one BMC in ten hangs', () => besideHanging({ bmcs: isQuick ? 50 : 500, load: hanging })],
  [
    'b',
    'real ones, some stopped',
    () => besideStopped({ bmcs: isQuick ? 10 : 20, stopped: isQuick ? 2 : 4, load: stopped }),
  ],
  [
    'c',
    'consoles that stream',
    () => streaming(isQuick ? 20 : 200, isQuick ? { rounds: 1, seconds: 3 } : { rounds: 3, seconds: 8 }),
  ],
  ['d', 'consoles opened and closed', () => mockLeaks(isQuick ? 1_000 : 10_000)],
  ['d', 'consoles opened and closed by ipmitool', () => ipmiLeaks(isQuick ? 20 : 200)],
  ['e', 'calls a second', () => rate(isQuick ? 50 : 500)],
];

export const measure = async (): Promise<Results> => {
  const figures: Figure[] = [];
  for (const [letter, what, measure] of parts) {
    say(`(${letter}) ${what}`);
    const measured = await measure();
    if (measured.length === 0) say('  left out: ipmitool or ipmi_sim is not installed here, or this is not root');
    figures.push(...measured);
  }
  return { figures };
};
