import type { Logger } from 'pino';
import type { EngineConfig } from '../config/config.ts';
import { claimLease, type Lease, releaseLease, renewLease, thisProcess } from '../core/leases.ts';
import type { Desk } from '../core/op.ts';
import { driverOf } from '../core/switches.ts';
import type { Db } from '../db/db.ts';
import type { SwitchSession } from '../drivers/switches/contract.ts';
import { callDevice } from './device.ts';
import type { Observer } from './observer.ts';
import { type DeviceCall, type PortResult, restore, runPass } from './pass.ts';
import { mayRetry, mayRetryMismatch, pauseAfter, suspectRetryAt } from './patience.ts';
import { type PortTask, planSwitch } from './plan.ts';
import { type Ending, type Failure, LeaseLost, markTouched, settle } from './settle.ts';

/** What a worker works with. */
export interface Workshop {
  readonly db: Db;
  readonly desk: Desk;
  readonly config: EngineConfig;
  readonly observer: Observer;
  readonly log: Logger;
}

/** After its last task a worker keeps switch and session this long: the next task often follows at once. */
const lingerMs = 3_000;

/**
 * Works on one switch for as long as it has work, under a lease: lease, plan, apply, verify, settle. Whatever
 * a switch does, it happens in here and delays no other switch.
 */
export class SwitchWorker {
  readonly #shop: Workshop;
  readonly #id: number;
  readonly #label: string;
  #session: SwitchSession | null = null;

  constructor(shop: Workshop, target: { readonly id: number; readonly label: string }) {
    this.#shop = shop;
    this.#id = target.id;
    this.#label = target.label;
  }

  /** Returns when the switch has no more work, belongs to another worker, or `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    const { desk, config, log } = this.#shop;
    const lease = await desk.write((op) => claimLease(op, `switch/${this.#id}`, thisProcess, config.leaseMs));
    if (lease === null) return;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      desk
        .write((op) => renewLease(op, lease, config.leaseMs))
        .then((isOurs) => (isOurs ? undefined : lost.abort(new LeaseLost(lease))))
        .catch((error: unknown) => log.warn({ switch: this.#label, err: error }, 'lease not renewed'));
    }, config.leaseMs / 3);
    try {
      await this.#work(lease, stop, lost.signal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      log.warn({ switch: this.#label }, 'the switch passed to another worker');
    } finally {
      clearInterval(renewal);
      await this.#hangUp();
      await desk.write((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }

  async #work(lease: Lease, stop: AbortSignal, lost: AbortSignal): Promise<void> {
    const { db } = this.#shop;
    const bell = db.changes.listen('actions');
    let idleSince = Date.now();
    try {
      while (!stop.aborted && !lost.aborted) {
        const { tasks, nextMs } = await db.read((tx) => planSwitch(tx, this.#id));
        if (tasks.length > 0) {
          await this.#pass(lease, tasks, lost);
          idleSince = Date.now();
        } else if (Date.now() - idleSince >= lingerMs) {
          return;
        } else {
          await bell.wait(Math.min(lingerMs, nextMs), stop);
        }
      }
    } finally {
      bell.close();
    }
  }

  async #pass(lease: Lease, tasks: readonly PortTask[], lost: AbortSignal): Promise<void> {
    const { desk, config, observer, log } = this.#shop;
    const started = Date.now();
    const device: DeviceCall = (what, call) => callDevice(call, what, config.deviceTimeoutMs, lost);
    let endings: Ending[];
    let underWay = tasks;
    try {
      const session = await this.#open(device);
      await desk.write((op) => markTouched(op, lease, tasks));
      underWay = tasks.map((task) => (task.action ? { ...task, action: { ...task.action, touched: true } } : task));
      const results = await runPass(session, underWay, device);
      endings = await this.#judge(session, results, device);
      observer.passDone(this.#label, 'ok', (Date.now() - started) / 1000);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      await this.#hangUp();
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ switch: this.#label, ports: tasks.length, reason }, 'pass over switch failed');
      observer.passDone(this.#label, 'fault', (Date.now() - started) / 1000);
      endings = underWay.map((task) => this.#faulted(task, reason));
    }
    await desk.write((op) => settle(op, lease, this.#label, endings));
    this.#report(endings);
  }

  async #open(device: DeviceCall): Promise<SwitchSession> {
    if (this.#session) return this.#session;
    const { desk } = this.#shop;
    const row = await desk.read(({ tx }) =>
      tx
        .selectFrom('switches')
        .select(['label', 'type', 'config'])
        .where('id', '=', this.#id)
        .executeTakeFirstOrThrow(),
    );
    const config = JSON.parse(desk.site.vault.open(row.config)) as Record<string, unknown>;
    const driver = driverOf(desk.site, row.type);
    this.#session = await device('let us in', (signal) => driver.open({ label: row.label, config }, signal));
    return this.#session;
  }

  async #hangUp(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.close().catch(() => undefined);
  }

  /** Turns what was seen into endings; failed changes are put back first, so that ERROR means "as before". */
  async #judge(session: SwitchSession, results: readonly PortResult[], device: DeviceCall): Promise<Ending[]> {
    const now = Date.now();
    const { budgetMs } = this.#shop.config;
    const endings: Ending[] = [];
    const failed: { task: PortTask; failure: Failure }[] = [];
    for (const result of results) {
      const { task } = result;
      if (result.kind === 'verified') endings.push({ task, kind: 'done' });
      else if (task.action === null) endings.push({ task, kind: 'later', retryAt: suspectRetryAt(task, now) });
      else if (result.kind === 'mismatch' && mayRetryMismatch(task, now, budgetMs)) {
        endings.push({ task, kind: 'later', retryAt: now + pauseAfter(task.action.attempts) });
      } else failed.push({ task, failure: failureOf(result) });
    }
    if (failed.length === 0) return endings;
    const known = await restore(
      session,
      failed.map(({ task }) => task),
      device,
    ).catch(() => new Set<PortTask>());
    return [
      ...endings,
      ...failed.map(({ task, failure }): Ending =>
        known.has(task)
          ? { task, kind: 'failed', failure }
          : { task, kind: 'suspect', failure, retryAt: suspectRetryAt(task, now) },
      ),
    ];
  }

  /** The whole pass failed: a fault that may pass, until the budget is used up. */
  #faulted(task: PortTask, reason: string): Ending {
    const now = Date.now();
    if (task.action === null) return { task, kind: 'later', retryAt: suspectRetryAt(task, now) };
    if (mayRetry(task, now, this.#shop.config.budgetMs)) {
      return { task, kind: 'later', retryAt: now + pauseAfter(task.action.attempts) };
    }
    // Never a word was sent for it: the port is what it was.
    const failure = { told: 'the switch could not be reached in time', reason };
    if (!task.action.touched) return { task, kind: 'untouched', failure };
    return { task, kind: 'suspect', failure, retryAt: suspectRetryAt(task, now) };
  }

  #report(endings: readonly Ending[]): void {
    const { observer, log } = this.#shop;
    for (const { task, kind } of endings) {
      if (task.action === null || kind === 'later') continue;
      const seconds = (Date.now() - task.action.createdAt) / 1000;
      const status = kind === 'done' ? 'DONE' : 'ERROR';
      observer.actionSettled(this.#label, status, seconds);
      log.info(
        { switch: this.#label, port: task.port, statusId: task.action.statusId, status, seconds },
        'action settled',
      );
    }
  }
}

const failureOf = ({ kind, reason }: Exclude<PortResult, { kind: 'verified' }>): Failure => ({
  told: kind === 'refused' ? 'the switch refused the change' : 'the switch accepted the change but does not show it',
  reason,
});
