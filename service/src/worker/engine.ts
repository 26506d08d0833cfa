import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import type { Listener } from '@corral/base/db/changes';
import { moment } from '@corral/base/moment';
import { steadyNow } from '@corral/base/steady-clock';
import { HeldLease } from '../core/held-lease.ts';
import type { FreeLease } from '../core/lease-watch.ts';
import { claimLease, thisProcess } from '../core/leases.ts';
import { type DueSwitch, dueSwitches } from './agenda.ts';
import { SwitchWorker } from './switch-worker.ts';
import type { Workshop } from './workshop.ts';

/** How the pauses grow while the database refuses, or a worker finds nothing to do. */
const growth = { firstMs: 100, longestMs: 10_000 };

/** A switch that is left alone for a while, because its last worker did nothing. */
interface Rest {
  readonly backoff: Backoff;
  /** By the monotonic clock. */
  until: number;
}

const leaseOf = ({ id }: { readonly id: number }): string => `switch/${id}`;

/** Looks at the queue when woken, and every so often anyway, and keeps one worker on each switch with work. */
export class Engine {
  readonly #shop: Workshop;
  readonly #stop = new AbortController();
  readonly #bell: Listener;
  readonly #unsubscribe: () => void;
  readonly #running = new Map<number, Promise<void>>();
  readonly #resting = new Map<number, Rest>();
  readonly #refusals = new Refusals(() => this.#bell.ring());
  #loop: Promise<void> = Promise.resolve();

  constructor(shop: Workshop) {
    this.#shop = shop;
    // Every worker waits on this one signal.
    setMaxListeners(0, this.#stop.signal);
    this.#bell = shop.db.changes.listen('actions');
    // A switch that was held elsewhere may be free now.
    this.#unsubscribe = shop.db.changes.on('leases', () => this.#bell.ring());
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Lets running passes settle; the next worker continues what is not settled. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#running.values());
  }

  async #run(): Promise<void> {
    const { config, log } = this.#shop;
    const failures = new Backoff(growth);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const nextMs = await this.#dispatch();
        failures.succeeded();
        await this.#bell.wait(Math.min(config.pollMs, nextMs), signal);
      } catch (error) {
        log.error({ err: error }, 'failed to read the action queue; will retry');
        await this.#pause(failures.failed());
      }
    }
    this.#bell.close();
    this.#unsubscribe();
  }

  /** No ring ends it. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  /** Puts a worker on every switch that has work due and is free. Answers how long until there may be more. */
  async #dispatch(): Promise<number> {
    const { db, desk, config } = this.#shop;
    const { switches, look } = await db.read(async (tx) => {
      const found = await dueSwitches(tx, db.now, config);
      return { switches: found, look: await desk.leases.look(tx, db.now, found.map(leaseOf), config.leaseMs) };
    });
    this.#forgetOthers(switches);
    const now = steadyNow();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const target of switches) {
      if (this.#running.has(target.id)) continue;
      const pauseMs = Math.max(target.dueAt - now, this.#restOf(target), this.#refusals.waitMs);
      const { free, waitMs } = pauseMs > 0 ? { free: null, waitMs: pauseMs } : look(leaseOf(target));
      if (free === null) nextMs = Math.min(nextMs, waitMs);
      else this.#put(target, free);
    }
    return nextMs;
  }

  #put(target: DueSwitch, free: FreeLease): void {
    const work = this.#work(target, free)
      .catch((error: unknown) =>
        this.#shop.log.error({ switch: target.label, err: error }, 'switch worker failed; will retry'),
      )
      .then(() => {
        this.#running.delete(target.id);
        // The notification of what was queued while the worker was stopping was lost.
        this.#bell.ring();
      });
    this.#running.set(target.id, work);
  }

  async #work(target: DueSwitch, free: FreeLease): Promise<void> {
    const { desk, config } = this.#shop;
    const asked = moment();
    const lease = await this.#refusals.during(() =>
      desk.write((op) => claimLease(op, free, thisProcess, config.leaseMs)),
    );
    let hasWorked = false;
    try {
      if (lease !== null) {
        const held = new HeldLease(desk, lease, config.leaseMs, asked);
        hasWorked = await new SwitchWorker(this.#shop, target, held).run(this.#stop.signal);
      }
    } finally {
      if (hasWorked) this.#resting.delete(target.id);
      else this.#rest(target);
    }
  }

  /** Without a pause, a worker that ends at once would be started again at once. */
  #rest({ id }: DueSwitch): void {
    const { backoff } = this.#resting.get(id) ?? { backoff: new Backoff(growth) };
    this.#resting.set(id, { backoff, until: performance.now() + backoff.failed() });
  }

  #restOf({ id }: DueSwitch): number {
    return (this.#resting.get(id)?.until ?? 0) - performance.now();
  }

  #forgetOthers(switches: readonly DueSwitch[]): void {
    if (this.#resting.size === 0) return;
    const ids = new Set(switches.map(({ id }) => id));
    for (const id of this.#resting.keys()) if (!ids.has(id)) this.#resting.delete(id);
  }
}

/** A database that takes no writes is tried by one worker at a time, with growing pauses. */
class Refusals {
  readonly #backoff = new Backoff(growth);
  #isRefused = false;
  #underWay = 0;
  #until = 0;
  readonly #accepted: () => void;

  constructor(accepted: () => void) {
    this.#accepted = accepted;
  }

  /** How long nobody is to try; positive as long as somebody tries already. */
  get waitMs(): number {
    if (!this.#isRefused) return 0;
    return this.#underWay > 0 ? growth.longestMs : this.#until - performance.now();
  }

  async during<T>(write: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      const result = await write();
      const wasRefused = this.#isRefused;
      this.#isRefused = false;
      this.#backoff.succeeded();
      if (wasRefused) this.#accepted();
      return result;
    } catch (error) {
      // Those who were refused together count once.
      if (performance.now() >= this.#until) this.#until = performance.now() + this.#backoff.failed();
      this.#isRefused = true;
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }
}
