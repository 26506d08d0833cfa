import type { Logger } from 'pino';
import type { EngineConfig } from '../config/config.ts';
import { claimLease, type Lease, releaseLease, renewLease, thisProcess } from '../core/leases.ts';
import type { Desk } from '../core/op.ts';
import { driverOf } from '../core/switches.ts';
import type { Db } from '../db/db.ts';
import type { SwitchSession } from '../drivers/switches/contract.ts';
import { callDevice, DeviceTimeout } from './device.ts';
import { recordFault, recordRecovery, recordSaved, recordUnsaved } from './health.ts';
import type { Observer } from './observer.ts';
import { alreadyDone, type DeviceCall, type PortResult, restore, runPass } from './pass.ts';
import {
  faultsToOpen,
  mayRetry,
  mayRetryMismatch,
  pauseAfter,
  probeAt,
  suspectRetryAt,
  timeoutFor,
} from './patience.ts';
import { planSweep, planSwitch, type PortTask, type SwitchPlan } from './plan.ts';
import { type Ending, type Failure, LeaseLost, markTouched, settle } from './settle.ts';
import type { Step } from './steps.ts';
import { look, recordSightings, recordSweep, sweep } from './sweep.ts';

/** What a worker works with. */
export interface Workshop {
  readonly db: Db;
  readonly desk: Desk;
  readonly config: EngineConfig;
  readonly observer: Observer;
  /** Told of every step, so that a test can kill the process between any two. */
  readonly step: (step: Step) => void;
  readonly log: Logger;
}

/** A line that was silent for this long is tried before it is trusted. */
const silenceMs = 1_000;

/** A save that failed is tried again after so many of its delays. */
const pausesBetweenSaves = 6;

/**
 * Works on one switch for as long as it has work, under a lease: lease, plan, apply, verify, settle. Whatever
 * a switch does, it happens in here and delays no other switch.
 */
export class SwitchWorker {
  readonly #shop: Workshop;
  readonly #id: number;
  readonly #label: string;
  #session: SwitchSession | null = null;
  #faults = 0;
  #spokeAt = 0;
  /** The last attempt met nobody: no session, or no answer in time. */
  #isDead = false;
  /** The sweep that is asked for, answered also by not getting through. */
  #sweepWanted: number | null = null;
  /** How many ports go into one pass: fewer after a failure, so that one bad port does not fail the others for ever. */
  #mostPorts = Number.POSITIVE_INFINITY;

  constructor(shop: Workshop, target: { readonly id: number; readonly label: string }) {
    this.#shop = shop;
    this.#id = target.id;
    this.#label = target.label;
  }

  /** Returns when the switch has no more work, belongs to another worker, or `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    const { desk, config, log, step } = this.#shop;
    const lease = await desk.write((op) => claimLease(op, `switch/${this.#id}`, thisProcess, config.leaseMs));
    if (lease === null) return;
    step('leased');
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
    const { db, config, step } = this.#shop;
    const bell = db.changes.listen('actions');
    let idleSince = Date.now();
    try {
      while (!stop.aborted && !lost.aborted) {
        const plan = await db.read((tx) => planSwitch(tx, this.#id, config));
        this.#faults = plan.faults;
        step('planned');
        if (await this.#carryOut(plan, lease, lost)) idleSince = Date.now();
        else if (Date.now() - idleSince >= config.sessionIdleMs) return;
        else await bell.wait(Math.min(config.sessionIdleMs, config.pollMs, plan.nextMs), stop);
      }
    } finally {
      bell.close();
    }
  }

  /** Does all that is due; false if nothing was. */
  async #carryOut(plan: SwitchPlan, lease: Lease, lost: AbortSignal): Promise<boolean> {
    if (plan.overdue.length > 0) await this.#giveUp(plan, lease);
    // A probe takes one port: if it is the switch that fails, more would only fail with it; if a port, the next gets its turn.
    if (plan.faults >= faultsToOpen) this.#mostPorts = 1;
    const { tasks, unread, sweep: wanted, isSaveDue } = plan;
    const rounds: (() => Promise<void>)[] = [];
    if (tasks.length > 0) rounds.push(() => this.#pass(lease, tasks.slice(0, this.#mostPorts), lost));
    if (unread.length > 0) rounds.push(() => this.#look(lease, unread, lost));
    if (wanted !== null) rounds.push(() => this.#sweep(lease, wanted, lost));
    if (isSaveDue) rounds.push(() => this.#save(lease, lost));
    this.#sweepWanted = wanted;
    for (const round of rounds) {
      this.#isDead = false;
      await round();
      // The rest would fail the same way.
      if (this.#isDead) break;
    }
    return rounds.length > 0 || plan.overdue.length > 0;
  }

  async #pass(lease: Lease, tasks: readonly PortTask[], lost: AbortSignal): Promise<void> {
    const { desk, observer, step } = this.#shop;
    const started = Date.now();
    let underWay = tasks;
    const talk = await this.#talk(lease, lost, null, async (session, device) => {
      await this.#knock(session, tasks, device);
      const unsaved = session.save ? { switchId: this.#id } : null;
      await desk.write((op) => markTouched(op, lease, tasks, unsaved));
      step('marked as touched');
      underWay = tasks.map((task) => (task.action ? { ...task, action: { ...task.action, touched: true } } : task));
      const finished = await alreadyDone(session, tasks, device);
      const rest = underWay.filter(({ portId }) => !finished.has(portId));
      const results = rest.length === 0 ? [] : await runPass(session, rest, device, step);
      const done = underWay
        .filter(({ portId }) => finished.has(portId))
        .map((task): Ending => ({ task, kind: 'done' }));
      return [...done, ...(await this.#judge(session, results, device))];
    });
    step('judged');
    observer.passDone(this.#label, talk.isFault ? 'fault' : 'ok', (Date.now() - started) / 1000);
    if (talk.isFault) this.#mostPorts = Math.max(1, Math.floor(tasks.length / 2));
    else this.#mostPorts = tasks.length < this.#mostPorts ? Number.POSITIVE_INFINITY : tasks.length * 2;
    const endings = talk.isFault ? underWay.map((task) => this.#faulted(task, talk.reason)) : talk.value;
    await desk.write((op) => settle(op, lease, this.#label, endings));
    step('settled');
    this.#report(endings);
  }

  /**
   * A line that nobody used for a while may be dead. It is tried with a question first: what fails before the
   * first word of a change leaves the port as it was, and nobody in doubt.
   */
  async #knock(session: SwitchSession, tasks: readonly PortTask[], device: DeviceCall): Promise<void> {
    const [first] = tasks;
    if (first === undefined || Date.now() - this.#spokeAt < silenceMs) return;
    await device('show its ports', 1, (signal) => session.read([first.port], signal));
  }

  /** Budgets that ran out while nobody was let near the switch. */
  async #giveUp({ overdue, fault }: SwitchPlan, lease: Lease): Promise<void> {
    const endings = overdue.map((task) => this.#faulted(task, fault ?? 'the switch does not answer'));
    await this.#shop.desk.write((op) => settle(op, lease, this.#label, endings));
    this.#report(endings);
  }

  async #look(lease: Lease, tasks: readonly PortTask[], lost: AbortSignal): Promise<void> {
    const { desk, step } = this.#shop;
    const talk = await this.#talk(lease, lost, null, (session, device) => look(session, tasks, device));
    step('ports looked at');
    if (talk.isFault) return;
    await desk.write((op) => recordSightings(op, lease, this.#label, talk.value));
    step('look recorded');
  }

  async #sweep(lease: Lease, answered: number, lost: AbortSignal): Promise<void> {
    const { db, desk, config, step } = this.#shop;
    const tasks = await db.read((tx) => planSweep(tx, this.#id));
    const talk = await this.#talk(lease, lost, answered, (session, device) => sweep(session, tasks, device));
    step('switch swept');
    if (talk.isFault) return;
    // With jitter, so that switches do not march in step.
    const nextAt = Math.round(Date.now() + config.sweepMs * (0.9 + Math.random() / 5));
    const target = { id: this.#id, label: this.#label };
    await desk.write((op) => recordSweep(op, lease, target, talk.value, answered, nextAt));
    step('sweep recorded');
  }

  async #save(lease: Lease, lost: AbortSignal): Promise<void> {
    const { desk, config, log, step } = this.#shop;
    const target = { id: this.#id, label: this.#label };
    const talk = await this.#talk(lease, lost, null, (session, device) =>
      device('save its configuration', 1, (signal) => session.save?.(signal) ?? Promise.resolve()).then(
        () => null,
        (error: unknown) => {
          if (error instanceof LeaseLost || error instanceof DeviceTimeout) throw error;
          return error instanceof Error ? error.message : String(error);
        },
      ),
    );
    step('configuration saved');
    if (talk.isFault) return;
    const reason = talk.value;
    if (reason === null) {
      await desk.write((op) => recordSaved(op, lease, target));
    } else {
      // In which mode the device was left, nobody knows.
      await this.#hangUp();
      log.warn({ switch: this.#label, reason }, 'the switch does not save its configuration; trying again');
      const saveAt = Date.now() + pausesBetweenSaves * config.saveDelayMs;
      await desk.write((op) => recordUnsaved(op, lease, target, reason, saveAt));
    }
    step('save recorded');
  }

  /**
   * Everything that is said to a switch is said through this: over the session that is open, or a new one;
   * what goes wrong is written down, and the next attempt waits longer.
   */
  async #talk<T>(
    lease: Lease,
    lost: AbortSignal,
    answered: number | null,
    work: (session: SwitchSession, device: DeviceCall) => Promise<T>,
  ): Promise<{ readonly isFault: false; readonly value: T } | { readonly isFault: true; readonly reason: string }> {
    const { desk, config, log, step } = this.#shop;
    const device: DeviceCall = (what, ports, call) =>
      callDevice(call, what, timeoutFor(ports, config.deviceTimeoutMs), lost);
    const target = { id: this.#id, label: this.#label };
    for (;;) {
      const isReused = this.#session !== null;
      let isOpen = false;
      try {
        const session = await this.#open(device);
        isOpen = true;
        if (!isReused) this.#spokeAt = Date.now();
        step('session opened');
        const value = await work(session, device);
        this.#spokeAt = Date.now();
        if (this.#faults > 0) await desk.write((op) => recordRecovery(op, lease, target, this.#faults));
        this.#faults = 0;
        return { isFault: false, value };
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        await this.#hangUp();
        // A line that died while nobody used it says nothing about the switch: it gets one more chance at once.
        if (isReused && !(error instanceof DeviceTimeout)) continue;
        const reason = error instanceof Error ? error.message : String(error);
        this.#faults += 1;
        log.warn({ switch: this.#label, faults: this.#faults, reason }, 'talking to the switch failed; trying again');
        this.#isDead = !isOpen || error instanceof DeviceTimeout;
        const fault = { reason, faults: this.#faults, answered: this.#isDead ? this.#sweepWanted : answered };
        const next = probeAt(this.#faults, Date.now(), config.budgetMs);
        await desk.write((op) => recordFault(op, lease, target, { ...fault, probeAt: next }));
        return { isFault: true, reason };
      }
    }
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
    this.#session = await device('let us in', 1, (signal) => driver.open({ label: row.label, config }, signal));
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
      this.#shop.step,
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
