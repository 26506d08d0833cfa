import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Desk } from '../core/op.ts';
import { sweepIdentity } from '../core/sweep-identity.ts';

const sweepEveryMs = 10 * 60_000;

/** Sweeps sessions and tokens away that do not count any more. */
export class IdentityKeeper {
  readonly #desk: Desk;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(desk: Desk, log: Logger) {
    this.#desk = desk;
    this.#log = log;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#desk
        .write(sweepIdentity)
        .catch((error: unknown) => this.#log.warn({ err: error }, 'old sessions and tokens cannot be swept away'));
      await sleep(sweepEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
