import { Worker } from 'node:worker_threads';
import type { ProbeOrder } from './latency-probe.ts';
import { keepReserving } from './reserve.ts';

/** The 99th percentile of reads in ms, and how many there were. */
export interface Latency {
  readonly p99: number;
  readonly reads: number;
}

const probe = (order: ProbeOrder): Promise<Latency> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./latency-probe.js', import.meta.url), { workerData: order });
    worker.on('error', reject);
    worker.on('message', (times: number[]) => {
      times.sort((one, other) => one - other);
      resolve({ p99: times[Math.floor(times.length * 0.99)] ?? 0, reads: times.length });
    });
  });

/** How long show_node takes without other work, and while twenty callers reserve and release all the time. */
export const readsBesideWrites = async (
  url: string,
  paths: readonly string[],
  seconds: number,
): Promise<{ readonly idle: Latency; readonly beside: Latency; readonly writes: number }> => {
  await probe({ url, paths, seconds: 2 });
  const idle = await probe({ url, paths, seconds });
  const writing = keepReserving(url, seconds + 1);
  const beside = await probe({ url, paths, seconds });
  return { idle, beside, writes: await writing };
};
