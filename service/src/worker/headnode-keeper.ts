import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { headnodeRecover } from '../core/headnode-life.ts';
import type { Desk } from '../core/op.ts';

const lookMs = 30_000;

/** Finishes what a process that died left half done between the hypervisor and the database. */
export class HeadnodeKeeper {
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
      await this.#look().catch((error: unknown) => this.#log.warn({ err: error }, 'headnodes cannot be looked at'));
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const unfinished = await this.#desk.read(({ tx }) =>
      tx
        .selectFrom('headnodes')
        .select('label')
        .where((where) => where.or([where('making', '=', 1), where('state', '=', 'deleting')]))
        .execute(),
    );
    for (const { label } of unfinished) {
      if (this.#stop.signal.aborted) return;
      try {
        this.#log.info({ headnode: label }, 'a headnode is half done; finishing it');
        // Whoever is at it right now holds its lease, and is let finish.
        await headnodeRecover(this.#desk, { headnode: label });
        this.#log.info({ headnode: label }, 'a headnode that was left half done is in order again');
      } catch (error) {
        this.#log.warn({ headnode: label, err: error }, 'a headnode is half done; trying again');
      }
    }
  }
}
