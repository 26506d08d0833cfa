import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Does something now, and again every so often, until it is stopped. A failure is reported, and retried at the next
 * turn.
 */
export class PeriodicTask {
  readonly #everyMs: number;
  readonly #work: (signal: AbortSignal) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #stop = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(everyMs: number, work: (signal: AbortSignal) => Promise<void>, failed: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#work = work;
    this.#failed = failed;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Waits for the turn that is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#work(signal).catch(this.#failed);
      await sleep(this.#everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Does a part of the work after the other, each in a transaction of its own, as long as one says that there is more. */
export const toTheEnd = async (signal: AbortSignal, part: () => Promise<boolean>): Promise<void> => {
  let isMore = true;
  while (isMore && !signal.aborted) isMore = await part();
};
