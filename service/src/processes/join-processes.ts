import cluster from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsPeers } from '../server/metrics-peers.ts';
import { type Greeting, isForProcess, type ProcessMetrics, type ToSupervisor } from './process-messages.ts';

/** The supervisor waits a little shorter for those that it asks. */
const answerWithinMs = 3_000;

/** This process among those of its supervisor. */
export interface JoinedProcess {
  /** From 0; a process that replaces another has its number. */
  readonly number: number;
  readonly peers: MetricsPeers;
  readonly ready: (greeting: Greeting) => void;
}

/** Waits for its number. */
export const joinProcesses = async (): Promise<JoinedProcess> => {
  const { worker } = cluster;
  if (worker === undefined) throw new Error('this process has no supervisor');
  const begun = once(worker, 'message');
  const waiting = new Map<number, (metrics: readonly ProcessMetrics[]) => void>();
  let own = (): Promise<string> => Promise.resolve('');
  let last = 0;
  worker.on('message', (message: unknown) => {
    if (!isForProcess(message)) return;
    if (message.kind === 'metrics of others') waiting.get(message.id)?.(message.metrics);
    if (message.kind === 'collect metrics') void own().then((text) => tell({ kind: 'metrics', id: message.id, text }));
  });
  tell({ kind: 'joining' });
  const [message] = (await begun) as [unknown];
  const number = isForProcess(message) && message.kind === 'begin' ? message.number : 0;
  return {
    number,
    ready: (greeting) => tell({ kind: 'ready', greeting }),
    peers: {
      number,
      serve: (text) => (own = text),
      others: async () => {
        const id = (last += 1);
        const late = new AbortController();
        const answer = new Promise<readonly ProcessMetrics[]>((resolve) => waiting.set(id, resolve));
        tell({ kind: 'metrics wanted', id });
        try {
          return await Promise.race([answer, sleep(answerWithinMs, [], { signal: late.signal, ref: false })]);
        } finally {
          late.abort();
          waiting.delete(id);
        }
      },
    },
  };
};

/** Without its supervisor this process ends by itself. */
const tell = (message: ToSupervisor): void => {
  if (process.connected) process.send?.(message);
};
