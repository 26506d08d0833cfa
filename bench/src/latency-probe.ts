import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { authorization } from './installation.ts';

/** Read requests at a steady rate, one at a time, in a thread of their own: what a careful tenant would notice. */
export interface ProbeOrder {
  readonly url: string;
  readonly paths: readonly string[];
  readonly seconds: number;
}

const pauseMs = 2;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const once = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    get(url, { agent, headers: { authorization } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode ?? 0}`));
      response.on('end', () => resolve(performance.now() - began)).resume();
    }).on('error', reject);
  });

const { url, paths, seconds } = workerData as ProbeOrder;
const times: number[] = [];
const end = performance.now() + seconds * 1000;
for (let count = 0; performance.now() < end; count += 1) {
  times.push(await once(`${url}${paths[count % paths.length] ?? ''}`));
  await pause(pauseMs);
}
agent.destroy();
parentPort?.postMessage(times);
