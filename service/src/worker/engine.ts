import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstOf } from '@corral/base/abort';
import { Backoff } from '@corral/base/backoff';
import { type ChangeListener, ChangeNotifier } from '@corral/base/db/change-notifier';
import type { FreeLease } from '@corral/base/db/lease-table';
import { readClocks } from '@corral/base/clock-reading';
import { steadyNow } from '@corral/base/steady-clock';
import { TimeShare } from '@corral/base/time-share';
import { holdLease, thisProcess } from '../core/leases.ts';
import { leaseTable } from '../db/service-leases.ts';
import { type DueSwitch, dueSwitches } from './due-switches.ts';
import { sweepAtStart } from './sweep-at-start.ts';
import { SwitchWorker } from './switch-worker.ts';
import { type Division, undivided, type WorkerSeats } from './worker-seats.ts';
import type { EngineContext } from './engine-context.ts';

/** How the pauses grow while the database refuses, or a worker finds nothing to do. */
const growth = { firstMs: 100, longestMs: 10_000 };

/** While changes come in faster than the queue can be read, what comes in meanwhile is found together. */
const looks = { share: 1 / 4, atOnceMs: 10, longestWaitMs: 20 };

/** A switch that is left alone for a while, because its last worker did nothing. */
interface IdlePause {
  readonly backoff: Backoff;
  /** By the monotonic clock. */
  until: number;
}

/** A worker on a switch. */
interface RunningWorker {
  readonly work: Promise<void>;
  /** Lets it finish what is under way, and give the switch back. */
  readonly handOver: () => void;
}

const leaseOf = ({ id }: { readonly id: number }): string => `switch/${id}`;

/**
 * Looks at the queue when woken, and every so often anyway, and keeps one worker on each switch with work. Workers do not
 * look at the queue themselves: a change on one switch would cost a look for every switch with an open session.
 */
export class Engine {
  readonly #context: EngineContext;
  readonly #stop = new AbortController();
  readonly #listener: ChangeListener;
  /** Null: there is no other process. */
  readonly #seats: WorkerSeats | null;
  readonly #running = new Map<number, RunningWorker>();
  readonly #unclaimed = new UnclaimedSwitches();
  /** Wakes the worker of a switch, by the name of its lease. */
  readonly #due = new ChangeNotifier<string>();
  readonly #paused = new Map<number, IdlePause>();
  readonly #writeBackoff = new WriteBackoff(() => this.#listener.notify());
  #hasAskedForSweeps: boolean;
  #loop: Promise<void> = Promise.resolve();

  constructor(engine: EngineContext, seats: WorkerSeats | null) {
    this.#context = engine;
    this.#seats = seats;
    this.#hasAskedForSweeps = engine.config.sweepMs === 0;
    // Every worker waits on this one signal.
    setMaxListeners(0, this.#stop.signal);
    // A switch that was held elsewhere may be free when a lease is given back.
    this.#listener = engine.context.listen('actions', 'leases');
  }

  start(): void {
    this.#seats?.start();
    this.#loop = this.#run();
  }

  /** Hands everything over to the other workers, if there are any. */
  async leave(): Promise<void> {
    await this.#seats?.leave();
    this.#listener.notify();
  }

  /** Lets running passes settle; the next worker continues what is not settled. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.leave();
    await this.#loop;
    await Promise.all([...this.#running.values()].map(({ work }) => work));
  }

  async #run(): Promise<void> {
    const { config, log } = this.#context;
    const failures = new Backoff(growth);
    const time = new TimeShare(looks);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const began = performance.now();
        await this.#askForSweeps();
        const nextMs = await this.#dispatch();
        time.took(performance.now() - began);
        failures.succeeded();
        await this.#listener.wait(Math.min(config.pollMs, nextMs), signal);
        if (time.waitMs > 0) await this.#pause(time.waitMs);
      } catch (error) {
        log.error({ err: error }, 'failed to read the action queue; will retry');
        await this.#pause(failures.failed());
      }
    }
    this.#listener.close();
  }

  /** Once, when the database takes writes. */
  async #askForSweeps(): Promise<void> {
    if (this.#hasAskedForSweeps || this.#writeBackoff.waitMs > 0) return;
    await this.#writeBackoff.during(() => this.#context.context.write(sweepAtStart));
    this.#hasAskedForSweeps = true;
  }

  /** No notification ends it. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  /**
   * Wakes the workers of switches that have work due, puts one on each switch of ours that has none and is free, and hands
   * over what is another worker's. Answers how long until there may be more.
   */
  async #dispatch(): Promise<number> {
    const { context, config } = this.#context;
    // A worker that ends meanwhile has this called again.
    const running = new Set(this.#running.keys());
    const { switches, leaseState, division } = await context.read(async (op) => {
      // Asked at once, so that the answers take one round trip together.
      const finding = dueSwitches(op.tx, op.now, config);
      const [found, read = undivided] = await Promise.all([finding, this.#seats?.read(op, finding)]);
      const others = found.filter(({ id }) => !running.has(id)).map(leaseOf);
      return { switches: found, leaseState: await context.leases.inspect(op, others, config.leaseMs), division: read };
    });
    this.#forgetOthers(switches);
    this.#unclaimed.follow(division);
    this.#handOver(division);
    const now = steadyNow();
    let nextMs = division.waitMs;
    for (const target of switches) {
      const dueMs = target.dueAt - now;
      if (running.has(target.id)) {
        if (dueMs > 0) nextMs = Math.min(nextMs, dueMs);
        else this.#due.notify(leaseOf(target));
        continue;
      }
      if (this.#running.has(target.id)) continue;
      const pauseMs = Math.max(dueMs, this.#pauseOf(target), this.#writeBackoff.waitMs);
      const { free, waitMs } = pauseMs > 0 ? { free: null, waitMs: pauseMs } : leaseState(leaseOf(target));
      const leftMs = this.#unclaimed.waitMs(target.id, free, division, config.leaseMs);
      if (free === null || leftMs > 0) nextMs = Math.min(nextMs, Math.max(waitMs, leftMs));
      else this.#startWorker(target, free);
    }
    return nextMs;
  }

  #handOver({ ownerOf }: Division): void {
    for (const [id, { handOver }] of this.#running)
      if (ownerOf(id) === 'another' && !this.#unclaimed.isTaken(id)) handOver();
  }

  #startWorker(target: DueSwitch, free: FreeLease): void {
    const over = new AbortController();
    const work = this.#work(target, free, over.signal)
      .catch((error: unknown) =>
        this.#context.log.error({ switch: target.label, err: error }, 'switch worker failed; will retry'),
      )
      .then(() => {
        this.#running.delete(target.id);
        // The notification of what was queued while the worker was stopping was lost.
        this.#listener.notify();
      });
    this.#running.set(target.id, { work, handOver: () => over.abort() });
  }

  async #work(target: DueSwitch, free: FreeLease, over: AbortSignal): Promise<void> {
    const { context, config } = this.#context;
    const asked = readClocks();
    const lease = await this.#writeBackoff.during(() =>
      context.write((op) => leaseTable.claim(op, free, thisProcess, config.leaseMs)),
    );
    const { signal, release } = firstOf(this.#stop.signal, over);
    let hasWorked = false;
    try {
      if (lease !== null) {
        const held = holdLease(context, lease, config.leaseMs, asked);
        const due = this.#due.listen(leaseOf(target));
        hasWorked = await new SwitchWorker(this.#context, target, held, due).run(signal);
      }
    } finally {
      release();
      if (hasWorked) this.#paused.delete(target.id);
      else this.#pauseSwitch(target);
    }
  }

  /** Without a pause, a worker that ends at once would be started again at once. */
  #pauseSwitch({ id }: DueSwitch): void {
    const { backoff } = this.#paused.get(id) ?? { backoff: new Backoff(growth) };
    this.#paused.set(id, { backoff, until: performance.now() + backoff.failed() });
  }

  #pauseOf({ id }: DueSwitch): number {
    return (this.#paused.get(id)?.until ?? 0) - performance.now();
  }

  #forgetOthers(switches: readonly DueSwitch[]): void {
    if (this.#paused.size === 0 && this.#unclaimed.size === 0) return;
    const ids = new Set(switches.map(({ id }) => id));
    for (const id of this.#paused.keys()) if (!ids.has(id)) this.#paused.delete(id);
    this.#unclaimed.forgetOthers(ids);
  }
}

/**
 * Switches of other workers that have work and that nobody takes: their worker may be alive and of no use. After the
 * length of a lease we take them in its place, and keep them until other workers come or go.
 */
class UnclaimedSwitches {
  readonly #since = new Map<number, number>();
  readonly #taken = new Set<number>();
  #key = '';

  /** Forgets everything when other workers are there. */
  follow({ key }: Division): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#since.clear();
    this.#taken.clear();
  }

  /** How many are left to their own workers. */
  get size(): number {
    return this.#since.size;
  }

  forgetOthers(ids: ReadonlySet<number>): void {
    for (const id of this.#since.keys()) if (!ids.has(id)) this.#since.delete(id);
  }

  isTaken(id: number): boolean {
    return this.#taken.has(id);
  }

  /** How long a switch is left to its own worker; 0: it is ours, or becomes so. */
  waitMs(id: number, free: FreeLease | null, { ownerOf }: Division, graceMs: number): number {
    if (free === null || ownerOf(id) === 'us' || this.#taken.has(id)) {
      this.#since.delete(id);
      return 0;
    }
    const since = this.#since.get(id) ?? performance.now();
    this.#since.set(id, since);
    const leftMs = since + graceMs - performance.now();
    if (leftMs <= 0) this.#taken.add(id);
    return Math.max(0, leftMs);
  }
}

/** A database that takes no writes is tried by one worker at a time, with growing pauses. */
class WriteBackoff {
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
