import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { authorization } from './installation.ts';

/** Read requests in a thread of their own: what a careful tenant would notice. */
export interface ProbeOrder {
  readonly url: string;
  readonly paths: readonly string[];
  readonly seconds: number;
  /** So many requests a second, whether or not those before are answered. Null: one at a time, with short pauses. */
  readonly perSecond: number | null;
}

const pauseMs = 2;
const { url, paths, seconds, perSecond } = workerData as ProbeOrder;
const agent = new Agent({ keepAlive: true, maxSockets: perSecond === null ? 1 : 50 });
const times: number[] = [];
const start = performance.now();
const end = start + seconds * 1000;

/** `due`: when it was to be sent, so that a request that had to wait counts from there. */
const ask = (count: number, due: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const path = `${url}${paths[count % paths.length] ?? ''}`;
    get(path, { agent, headers: { authorization } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode ?? 0}`));
      response
        .on('end', () => {
          times.push(performance.now() - due);
          resolve();
        })
        .resume();
    }).on('error', reject);
  });

const oneByOne = async (): Promise<void> => {
  for (let count = 0; performance.now() < end; count += 1) {
    await ask(count, performance.now());
    await pause(pauseMs);
  }
};

const steadily = async (rate: number): Promise<void> => {
  const underWay: Promise<void>[] = [];
  for (let count = 0; count < rate * seconds; count += 1) {
    const due = start + (1000 * count) / rate;
    while (performance.now() < due) await pause(1);
    underWay.push(ask(count, due));
  }
  await Promise.all(underWay);
};

await (perSecond === null ? oneByOne() : steadily(perSecond));
agent.destroy();
parentPort?.postMessage(times);
