import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import type { Logger } from 'pino';
import { type Greeting, isForSupervisor, type ProcessMetrics, type ToProcess } from './process-messages.ts';

/** The pauses before a process that ended is started again. */
const growth = { firstMs: 500, longestMs: 30_000 };
/** One that served for this long was a good one. */
const goodMs = 60_000;
/** Those who scrape metrics seldom wait longer than ten seconds. A process that does not answer by then is left out. */
const collectWithinMs = 2_000;

/** The place of a process: the next one in it has the same number. */
interface Place {
  readonly number: number;
  readonly failures: Backoff;
  worker: Worker | null;
  isReady: boolean;
  restart: NodeJS.Timeout | undefined;
}

/** Processes of the service that share a port. */
export interface Supervised {
  /** Of the first process. */
  readonly greeting: Greeting;
  readonly stop: () => Promise<void>;
}

/**
 * Runs several processes of this program on one port. The first makes the key, the tables and the first user before the
 * others begin; if it cannot start, it has said why, and the program ends with its exit code. Later, a process that ends
 * is replaced, with growing pauses, and the others notice nothing.
 */
export const superviseProcesses = async (count: number, log: Logger): Promise<Supervised> => {
  const places = Array.from({ length: count }, (_, number): Place => ({
    number,
    failures: new Backoff(growth),
    worker: null,
    isReady: false,
    restart: undefined,
  }));
  const gathering = new MetricsGathering(() => places);
  let hasStarted = false;
  let isStopping = false;

  const begin = (place: Place, ready: (greeting: Greeting) => void): void => {
    const begun = performance.now();
    const worker = cluster.fork();
    place.worker = worker;
    worker.on('error', (err) => log.warn({ process: place.number, err }, 'failed to reach a process'));
    worker.on('message', (message: unknown) => {
      if (!isForSupervisor(message)) return;
      if (message.kind === 'joining') return say(worker, { kind: 'begin', number: place.number });
      if (message.kind === 'metrics wanted') return void gathering.answer(place, message.id);
      if (message.kind === 'metrics') return gathering.collected(message.id, message.text);
      place.isReady = true;
      hasStarted = true;
      ready(message.greeting);
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      place.worker = null;
      place.isReady = false;
      if (isStopping) return;
      if (!hasStarted) process.exit(code === null || code === 0 ? 1 : code);
      if (performance.now() - begun >= goodMs) place.failures.succeeded();
      const pauseMs = place.failures.failed();
      const { pid } = worker.process;
      log.error({ process: place.number, endedPid: pid, code, signal, pauseMs }, 'a process ended; starting another');
      place.restart = setTimeout(() => begin(place, ready), pauseMs);
    });
  };
  const untilReady = (place: Place): Promise<Greeting> => new Promise((resolve) => begin(place, resolve));

  const [first, ...others] = places;
  if (first === undefined) throw new Error('there is at least one process');
  const greeting = await untilReady(first);
  await Promise.all(others.map(untilReady));
  return {
    greeting,
    stop: async () => {
      isStopping = true;
      const codes = await Promise.all(places.map(ended));
      if (codes.some((code) => code !== 0)) throw new Error('a process did not stop in order');
    },
  };
};

/** Its exit code. From a terminal, the signal reached it too. */
const ended = async ({ worker, restart }: Place): Promise<unknown> => {
  clearTimeout(restart);
  if (worker === null) return 0;
  const exit = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  return (await exit)[0];
};

/** One that has just ended is not there to hear it. */
const say = (worker: Worker, message: ToProcess): void => {
  if (worker.isConnected()) worker.send(message);
};

/** A scrape reaches one process: it asks for what the others counted. */
class MetricsGathering {
  readonly #places: () => readonly Place[];
  readonly #waiting = new Map<number, (text: string) => void>();
  #last = 0;

  constructor(places: () => readonly Place[]) {
    this.#places = places;
  }

  collected(id: number, text: string): void {
    this.#waiting.get(id)?.(text);
  }

  async answer(asker: Place, id: number): Promise<void> {
    const others = this.#places().filter((place) => place !== asker && place.isReady);
    const found = await Promise.all(others.map((place) => this.#collect(place)));
    const metrics = found.filter((one) => one !== null);
    if (asker.worker !== null) say(asker.worker, { kind: 'metrics of others', id, metrics });
  }

  async #collect({ number, worker }: Place): Promise<ProcessMetrics | null> {
    if (worker === null) return null;
    const id = (this.#last += 1);
    const late = new AbortController();
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    say(worker, { kind: 'collect metrics', id });
    try {
      const tooLate = sleep(collectWithinMs, null, { signal: late.signal, ref: false });
      const text = await Promise.race([answer, tooLate]);
      return text === null ? null : { number, text };
    } finally {
      late.abort();
      this.#waiting.delete(id);
    }
  }
}
