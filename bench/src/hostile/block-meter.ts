import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * Loaded into the service before it starts: how long its event loop was held up, and by what. Node's own measure says
 * how long; what the kernel counts of the main thread says whether it worked, waited for a processor that others had,
 * or slept in a call (SQLite's flush to the disk). Sent to the parent on request, and reset.
 */

/** What a parent gets to its question. All in ms. */
export interface Blocks {
  /** The longest delay that `monitorEventLoopDelay` saw, without its own interval. */
  readonly delay: number;
  /** The longest work between two looks. */
  readonly worked: number;
  /** The longest sleep between two looks: the disk, or another thread. */
  readonly slept: number;
  /** The longest wait for a processor between two looks: other programs on the machine. */
  readonly queued: number;
}

const resolution = 1;
const everyMs = 5;
const histogram = monitorEventLoopDelay({ resolution });
histogram.enable();

interface Times {
  readonly at: number;
  readonly worked: number;
  readonly queued: number;
}

const look = (): Times => {
  const [worked = 0, queued = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
  return { at: performance.now(), worked: worked / 1e6, queued: queued / 1e6 };
};

const nothing = { worked: 0, slept: 0, queued: 0 };
let longest = { ...nothing };
let last = look();

setInterval(() => {
  const now = look();
  const worked = now.worked - last.worked;
  const queued = now.queued - last.queued;
  const slept = now.at - last.at - worked - queued - everyMs;
  longest = {
    worked: Math.max(longest.worked, worked),
    slept: Math.max(longest.slept, slept),
    queued: Math.max(longest.queued, queued),
  };
  last = now;
}, everyMs).unref();

process.on('message', () => {
  const blocks: Blocks = { delay: histogram.max / 1e6 - resolution, ...longest };
  histogram.reset();
  longest = { ...nothing };
  process.send?.(blocks);
});
process.channel?.unref();
