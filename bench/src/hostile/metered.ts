import { once } from 'node:events';
import { limitFigure } from '../report.ts';
import type { Measured } from '../process.ts';
import type { Figure } from '../report.ts';
import type { Installation } from '../installation.ts';
import type { Blocks } from './block-meter.ts';

/** A service that says how long its event loop was held up. */
export interface Metered extends Measured {
  /** Since the last time that it was asked. */
  blocks(): Promise<Blocks>;
}

/** How long nothing may hold up the service. */
const longestBlockMs = 100;

export const startMetered = async (installation: Installation): Promise<Metered> => {
  const service = await installation.start({ preload: new URL('./block-meter.js', import.meta.url) });
  return {
    ...service,
    blocks: async () => {
      const answer = once(service.child, 'message');
      service.child.send('blocks?');
      const [blocks] = (await answer) as [Blocks];
      return blocks;
    },
  };
};

/** The longest block of a scenario. What the machine's other programs or the disk did is shown beside it. */
export const blockFigure = (what: string, { delay, worked, slept, queued }: Blocks): Figure =>
  limitFigure(
    `${what}: longest block`,
    worked,
    longestBlockMs,
    'ms',
    `delay ${rounded(delay)}, asleep ${rounded(slept)}, no processor ${rounded(queued)} ms`,
  );

const rounded = (ms: number): string => String(Math.max(0, Math.round(ms)));
