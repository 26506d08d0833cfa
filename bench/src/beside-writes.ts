import { Worker } from 'node:worker_threads';
import type { ProbeOrder } from './latency-probe.ts';
import { keepReserving } from './reserve.ts';
import { quantile } from './statistics.ts';

/** How long reads took, in ms. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export const probe = (order: ProbeOrder): Promise<Latency> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./latency-probe.js', import.meta.url), { workerData: order });
    worker.on('error', reject);
    worker.on('message', (times: number[]) => {
      resolve({ p50: quantile(times, 0.5), p99: quantile(times, 0.99), longest: quantile(times, 1) });
    });
  });

/** How long show_node takes without other work, and while twenty callers reserve and release all the time. */
export const readsBesideWrites = async (
  url: string,
  paths: readonly string[],
  seconds: number,
): Promise<{ readonly idle: Latency; readonly beside: Latency; readonly writes: number }> => {
  await probe({ url, paths, seconds: 2, perSecond: null });
  const idle = await probe({ url, paths, seconds, perSecond: null });
  const writing = keepReserving(url, seconds + 1);
  const beside = await probe({ url, paths, seconds, perSecond: null });
  return { idle, beside, writes: await writing };
};
