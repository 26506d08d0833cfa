import { readFileSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { authorization, call, type Installation } from './installation.ts';
import { makeSwitch } from './bench-switches.ts';
import type { Measured } from './process.ts';
import { isQuick } from './options.ts';
import { type Figure, limitFigure } from './report.ts';
import { median, quantile } from './statistics.ts';

/** Between two changes: nobody else wants anything meanwhile. */
const pauseMs = 60;

/** How long the service itself takes from the 202 of a change to its DONE: the simulated switch takes no time. */
interface ActionLatency {
  /** Milliseconds at the median, and at the 99th of a hundred. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the service in between, at the median: a busy machine changes it little. */
  readonly processorMs: number;
}

/** The same as figures: with the session open, and with the switch left alone before. */
export const actionFigures = async (
  installation: Installation,
  service: Measured,
  database: string,
): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [session, count] of [
    ['open', isQuick ? 50 : 200],
    ['closed', isQuick ? 20 : 50],
  ] as const) {
    const latency = await actionLatency(installation, service, session, count);
    const what = `202 to DONE on ${database}, session ${session}`;
    figures.push(
      limitFigure(`${what}, p50`, latency.p50, 5, 'ms'),
      limitFigure(`${what}, p99`, latency.p99, null, 'ms'),
      limitFigure(`${what}, processor time`, latency.processorMs, 5, 'ms'),
    );
  }
  return figures;
};

/**
 * One change after the other. `open`: on one switch, whose session stays open in between. `closed`: each on a switch of
 * its own that nobody has worked on, so that it is leased and logged in to first.
 */
const actionLatency = async (
  installation: Installation,
  service: Measured,
  session: 'open' | 'closed',
  count: number,
): Promise<ActionLatency> => {
  const { url } = service;
  const project = `latency-${session}`;
  await call(url, 'PUT', `/project/${project}`);
  await call(url, 'PUT', `/network/${project}`, { owner: project, access: project, net_id: '' });
  const places = session === 'open' ? 1 : count;
  const nodes: string[] = [];
  for (let index = 0; index < places; index += 1) {
    nodes.push(...(await makeSwitch(installation, url, `${project}-${index}`, 1, () => project)));
  }
  const ended = await endings(url);
  try {
    const warmUp = session === 'open' ? count : 0;
    const times: number[] = [];
    const spent: number[] = [];
    for (let index = -warmUp; index < count; index += 1) {
      const verb = session === 'closed' || index % 2 === 0 ? 'connect_network' : 'detach_network';
      const node = nodes[Math.max(0, index) % places] ?? '';
      const path = `/node/${node}/nic/eth0/${verb}`;
      const { status_id: statusId } = (await call(url, 'POST', path, { network: project })) as { status_id: string };
      const accepted = performance.now();
      const before = processorMs(service.child.pid ?? 0);
      const ms = (await ended.of(statusId)) - accepted;
      if (index >= 0) {
        times.push(Math.max(0, ms));
        spent.push(processorMs(service.child.pid ?? 0) - before);
      }
      await sleep(pauseMs);
    }
    return { p50: median(times), p99: quantile(times, 0.99), processorMs: median(spent) };
  } finally {
    ended.close();
  }
};

/** Of all threads of a process, to the nanosecond. */
const processorMs = (pid: number): number => {
  let sum = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    sum += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }
  return sum;
};

/** When the event stream told of the ending of each action. One that failed ends the run. */
const endings = (url: string) =>
  new Promise<{ of: (statusId: string) => Promise<number>; close: () => void }>((resolve, reject) => {
    const heard = new Map<string, number>();
    const waiting = new Map<string, { resolve: (at: number) => void; reject: (error: Error) => void }>();
    const stream = get(`${url}/v0/events/stream`, { headers: { authorization } }, (response) => {
      if (response.statusCode !== 200)
        return reject(new Error(`the event stream answered ${response.statusCode ?? 0}`));
      const lines = createInterface({ input: response });
      // It is cut when the run is over.
      lines.once('error', () => undefined);
      lines.on('line', (line) => {
        const at = performance.now();
        if (!line.startsWith('data: ')) return;
        const { type, detail } = JSON.parse(line.slice('data: '.length)) as {
          type: string;
          detail: { status_id?: string };
        };
        const statusId = detail.status_id ?? '';
        if (type === 'networking_action_failed') waiting.get(statusId)?.reject(new Error(`an action failed: ${line}`));
        if (type !== 'networking_action_done') return;
        const waiter = waiting.get(statusId);
        waiting.delete(statusId);
        if (waiter) waiter.resolve(at);
        else heard.set(statusId, at);
      });
      resolve({
        of: (statusId) => {
          const at = heard.get(statusId);
          if (at !== undefined) {
            heard.delete(statusId);
            return Promise.resolve(at);
          }
          return new Promise((done, failed) => waiting.set(statusId, { resolve: done, reject: failed }));
        },
        close: () => stream.destroy(),
      });
    });
    stream.once('error', reject);
  });
