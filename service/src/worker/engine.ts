import { setMaxListeners } from 'node:events';
import type { Listener } from '@corral/base/db/changes';
import { dueSwitches } from './agenda.ts';
import { SwitchWorker } from './switch-worker.ts';
import type { Workshop } from './workshop.ts';

/** Looks at the queue when woken, and every so often anyway, and keeps one worker on each switch with work. */
export class Engine {
  readonly #shop: Workshop;
  readonly #stop = new AbortController();
  readonly #bell: Listener;
  readonly #running = new Map<number, Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(shop: Workshop) {
    this.#shop = shop;
    // Every worker waits on this one signal.
    setMaxListeners(0, this.#stop.signal);
    this.#bell = shop.db.changes.listen('actions');
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Lets running passes settle; what is not settled is taken up again by whoever comes next. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#running.values());
  }

  async #run(): Promise<void> {
    const { config, log } = this.#shop;
    while (!this.#stop.signal.aborted) {
      const nextMs = await this.#dispatch().catch((error: unknown) => {
        log.error({ err: error }, 'the queue cannot be read; trying again');
        return config.pollMs;
      });
      await this.#bell.wait(Math.min(config.pollMs, nextMs), this.#stop.signal);
    }
    this.#bell.close();
  }

  /** Puts a worker on every switch that has work due. Answers how long until more is. */
  async #dispatch(): Promise<number> {
    const { db, log } = this.#shop;
    const switches = await db.read((tx) => dueSwitches(tx, this.#shop.config));
    const now = Date.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const target of switches) {
      if (target.dueAt > now) nextMs = Math.min(nextMs, target.dueAt - now);
      else if (!this.#running.has(target.id)) {
        const work = new SwitchWorker(this.#shop, target)
          .run(this.#stop.signal)
          .catch((error: unknown) => log.error({ switch: target.label, err: error }, 'worker failed; trying again'))
          .finally(() => {
            this.#running.delete(target.id);
            // What was queued while the worker was leaving rang in vain.
            this.#bell.ring();
          });
        this.#running.set(target.id, work);
      }
    }
    return nextMs;
  }
}
