import type { ChangeListener } from '@corral/base/db/change-notifier';
import { steadyNow } from '@corral/base/steady-clock';
import type { HeldLease } from '@corral/base/db/held-lease';
import { LeaseLost, releaseLease } from '../core/leases.ts';
import { DeviceTimeout } from './guarded-session.ts';
import { recordSaved, recordUnsaved } from './switch-health.ts';
import { connectionFailed, forbidden, decideEndings } from './decide-endings.ts';
import { leaveInDoubt, takeOver } from './late-writes.ts';
import { type Outcome, SwitchConnection } from './switch-connection.ts';
import { alreadyDone, runPass } from './port-pass.ts';
import { faultsToOpen } from '../core/breaker.ts';
import { saveRetryAt } from './retry-policy.ts';
import { planSweep, planSwitch, planWritten, type SwitchPlan } from './switch-plan.ts';
import type { PortTask } from './port-task.ts';
import { SwitchUpdated } from './session-numbers.ts';
import { type Ending, markTouched, settle } from './settle-endings.ts';
import { checkPorts, recordSightings, recordSweep, sweep } from './sweep-ports.ts';
import type { EngineContext } from './engine-context.ts';

/** After all that was due is done, before the next look at what is. */
const afterPassMs = 5;

/**
 * Works on one switch for as long as it has work, under a lease: lease, plan, apply, verify, settle. A
 * switch that misbehaves does so in here, and delays no other switch.
 */
export class SwitchWorker {
  readonly #engine: EngineContext;
  readonly #target: { readonly id: number; readonly label: string };
  /** How many ports go into one pass: fewer after a failure, so that one bad port does not fail the others for ever. */
  #mostPorts = Number.POSITIVE_INFINITY;
  readonly #held: HeldLease;
  readonly #due: ChangeListener;
  readonly #connection: SwitchConnection;
  /** The ports that something was sent to, and nobody has written down yet how that ended. */
  #written: readonly PortTask[] = [];

  /** `due` is notified when there is work for it. */
  constructor(
    engine: EngineContext,
    target: { readonly id: number; readonly label: string },
    held: HeldLease,
    due: ChangeListener,
  ) {
    this.#engine = engine;
    this.#target = { id: target.id, label: target.label };
    this.#held = held;
    this.#due = due;
    this.#connection = new SwitchConnection(engine, this.#target, held);
  }

  /**
   * Returns when the switch has no more work, belongs to another worker, or `stop` aborts. Tells whether there was any
   * work.
   */
  async run(stop: AbortSignal): Promise<boolean> {
    const { context, log, step } = this.#engine;
    const { label } = this.#target;
    const { lease } = this.#held;
    step('leased');
    const letGo = this.#held.keep((error) => log.warn({ switch: label, err: error }, 'failed to renew switch lease'));
    try {
      await this.#takeOver();
      return await this.#work(stop);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      log.warn({ switch: label }, 'lost switch lease to another worker');
      return false;
    } finally {
      letGo();
      this.#due.close();
      await this.#connection.disconnect();
      await this.#recordUnsettled();
      await context.write((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }

  /** The previous worker may have died, or be suspended, in the middle of a write. */
  async #takeOver(): Promise<void> {
    const { context, config } = this.#engine;
    const left = await context.read(({ tx, now }) => planWritten(tx, now, this.#target.id));
    if (left.length > 0) await context.write((op) => takeOver(op, this.#held.lease, this.#target, config));
  }

  /** What was sent and not settled, because the lease was lost or the database is down, must be checked by others. */
  async #recordUnsettled(): Promise<void> {
    const { context, log } = this.#engine;
    const { label } = this.#target;
    if (this.#written.length === 0) return;
    const { number: session, lateMs } = this.#connection;
    const reason = 'a process wrote to the port and lost the switch';
    await context
      .write((op) => leaveInDoubt(op, label, this.#written, { session, lateMs, reason }))
      .catch((error: unknown) => log.warn({ switch: label, err: error }, 'failed to record ports in doubt'));
  }

  async #work(stop: AbortSignal): Promise<boolean> {
    const { context, config, step } = this.#engine;
    let idleSince = performance.now();
    let hasWorked = false;
    while (!stop.aborted && !this.#held.lost.aborted) {
      const plan = await context.read(({ tx, now }) => planSwitch(tx, now, this.#target.id, config));
      if (plan === null) return hasWorked;
      step('planned');
      const isAll = plan.tasks.length <= this.#mostPorts;
      if (await this.#carryOut(plan)) {
        idleSince = performance.now();
        hasWorked = true;
        // A caller that waits for what was done hears of it first. What came in meanwhile was notified.
        if (isAll) await this.#due.wait(afterPassMs, stop);
      } else if (performance.now() - idleSince >= config.sessionIdleMs) return hasWorked;
      else await this.#due.wait(Math.min(config.sessionIdleMs, config.pollMs, plan.nextMs), stop);
    }
    return hasWorked;
  }

  /** Does all that is due; false if nothing was. */
  async #carryOut(plan: SwitchPlan): Promise<boolean> {
    try {
      return await this.#carryOutPlanned(plan);
    } catch (error) {
      if (!(error instanceof SwitchUpdated)) throw error;
      await this.#startOver();
      return true;
    }
  }

  /** The fields of the switch have changed: what is due is planned again, and done in a new session. */
  async #startOver(): Promise<void> {
    const { context, log } = this.#engine;
    const { label } = this.#target;
    const { number: session, lateMs } = this.#connection;
    log.info({ switch: label }, 'switch was updated; opening a new session');
    await this.#connection.disconnect();
    const reason = 'the switch was updated while the port was being changed';
    if (this.#written.length > 0)
      await context.write((op) => leaveInDoubt(op, label, this.#written, { session, lateMs, reason }));
    this.#written = [];
  }

  async #carryOutPlanned(plan: SwitchPlan): Promise<boolean> {
    const connection = this.#connection;
    const { tasks, unread, sweepWanted, isSaveDue } = plan;
    await connection.follow(plan.session);
    connection.faults = plan.faults;
    connection.sweepWanted = sweepWanted;
    const ended = endingsOf(plan, this.#engine.config.budgetMs);
    if (ended.length > 0) await this.#giveUp(ended);
    // A probe takes one port: if it is the switch that fails, more would only fail with it; if a port, the next gets
    // its turn.
    if (plan.faults >= faultsToOpen) this.#mostPorts = 1;
    const jobs: (() => Promise<Outcome>)[] = [];
    if (tasks.length > 0) jobs.push(() => this.#pass(tasks.slice(0, this.#mostPorts)));
    if (unread.length > 0) jobs.push(() => this.#checkPorts(unread));
    if (sweepWanted !== null && plan.isSweepTried) jobs.push(() => this.#sweep(sweepWanted));
    if (isSaveDue) jobs.push(() => this.#save());
    for (const job of jobs) {
      // Where nobody answers, the rest would fail the same way.
      if ((await job()) === 'dead') break;
    }
    return jobs.length > 0 || ended.length > 0;
  }

  async #pass(tasks: readonly PortTask[]): Promise<Outcome> {
    const { config, observer, step } = this.#engine;
    const { id, label } = this.#target;
    const { lease } = this.#held;
    const connection = this.#connection;
    const started = performance.now();
    let underWay = tasks;
    let attempts = 0;
    const result = await connection.exchange(async (session) => {
      await connection.probe(session, tasks[0]?.port ?? '');
      const unsaved = session.save ? { switchId: id } : null;
      await connection.record((op) => markTouched(op, lease, tasks, { session: connection.number, unsaved }));
      this.#written = tasks;
      attempts += 1;
      step('marked as touched');
      underWay = tasks.map((task) => (task.action ? { ...task, action: { ...task.action, touched: true } } : task));
      const finished = await alreadyDone(session, tasks);
      const rest = underWay.filter(({ portId }) => !finished.has(portId));
      const results = rest.length === 0 ? [] : await runPass(session, rest, step);
      const done = underWay
        .filter(({ portId }) => finished.has(portId))
        .map((task): Ending => ({ task, kind: 'done' }));
      return [...done, ...(await decideEndings(this.#engine, session, results))];
    });
    step('decided');
    observer.passDone(label, result.isFault ? 'fault' : 'ok', (performance.now() - started) / 1000);
    if (result.isFault) this.#mostPorts = Math.max(1, Math.floor(tasks.length / 2));
    else this.#mostPorts = tasks.length < this.#mostPorts ? Number.POSITIVE_INFINITY : tasks.length * 2;
    const endings = result.isFault
      ? underWay.map((task) => connectionFailed(task, result.fault, config.budgetMs))
      : result.value;
    const broken = brokenOff(endings, result.isFault ? attempts > 0 : attempts > 1);
    if (broken.length > 0) await connection.disconnect();
    await connection.record(async (op) => {
      await settle(op, lease, label, endings);
      const reason = result.isFault ? result.fault.reason : 'the session was lost';
      if (connection.lateMs > 0)
        await leaveInDoubt(op, label, broken, { session: null, lateMs: connection.lateMs, reason });
    });
    this.#written = [];
    step('settled');
    this.#report(endings);
    return result.outcome;
  }

  /** What ends without contacting the switch. */
  async #giveUp(endings: readonly Ending[]): Promise<void> {
    await this.#engine.context.write((op) => settle(op, this.#held.lease, this.#target.label, endings));
    this.#report(endings);
  }

  async #checkPorts(tasks: readonly PortTask[]): Promise<Outcome> {
    const { config, step } = this.#engine;
    const result = await this.#connection.exchange((session) => checkPorts(session, tasks));
    step('ports checked');
    if (result.isFault) return result.outcome;
    await this.#connection.record((op) =>
      recordSightings(op, this.#held.lease, this.#target.label, result.value, config.lateWriteMs),
    );
    step('check recorded');
    return result.outcome;
  }

  async #sweep(answered: number): Promise<Outcome> {
    const { context, config, step } = this.#engine;
    const tasks = await context.read(({ tx, now }) => planSweep(tx, now, this.#target.id));
    const result = await this.#connection.exchange((session) => sweep(session, tasks), answered);
    step('switch swept');
    if (result.isFault) return result.outcome;
    // With jitter, so that switches do not march in step.
    const nextAt = Math.round(steadyNow() + config.sweepMs * (0.9 + Math.random() / 5));
    await this.#connection.record((op) =>
      recordSweep(op, this.#held.lease, this.#target, result.value, {
        answered,
        nextAt,
        lateWriteMs: config.lateWriteMs,
      }),
    );
    step('sweep recorded');
    return result.outcome;
  }

  async #save(): Promise<Outcome> {
    const { config, log, step } = this.#engine;
    const { lease } = this.#held;
    const connection = this.#connection;
    const result = await connection.exchange(async (session) => {
      try {
        await session.save?.();
        return null;
      } catch (error) {
        if (error instanceof LeaseLost || error instanceof DeviceTimeout) throw error;
        return error instanceof Error ? error.message : String(error);
      }
    });
    step('configuration saved');
    if (result.isFault) return result.outcome;
    const reason = result.value;
    if (reason === null) {
      await connection.record((op) => recordSaved(op, lease, this.#target));
    } else {
      // In which mode the device was left, nobody knows.
      await connection.disconnect();
      log.warn({ switch: this.#target.label, reason }, 'failed to save switch configuration; will retry');
      const saveAt = saveRetryAt(steadyNow(), config.saveDelayMs);
      await connection.record((op) => recordUnsaved(op, lease, this.#target, reason, saveAt));
    }
    step('save recorded');
    return result.outcome;
  }

  #report(endings: readonly Ending[]): void {
    const { observer, log } = this.#engine;
    const { label } = this.#target;
    for (const { task, kind } of endings) {
      if (task.action === null || kind === 'later') continue;
      const seconds = Math.max(0, steadyNow() - task.action.createdAt) / 1000;
      const status = kind === 'done' ? 'DONE' : 'ERROR';
      observer.actionSettled(label, status, seconds);
      log.info({ switch: label, port: task.port, statusId: task.action.statusId, status, seconds }, 'action settled');
    }
  }
}

/** Budgets that ran out while nobody was let near the switch, and what is not to be done. */
const endingsOf = ({ overdue, forbidden: denied, fault }: SwitchPlan, budgetMs: number): readonly Ending[] => {
  const reason = fault ?? 'the switch does not answer';
  return [
    ...overdue.map((task) => connectionFailed(task, { reason, refusedBy: null }, budgetMs)),
    ...denied.map(forbidden),
  ];
};

/** The ports that a session wrote to and left without an answer: all, or those whose change could not be taken back. */
const brokenOff = (endings: readonly Ending[], isWhole: boolean): readonly PortTask[] =>
  endings.filter(({ kind }) => isWhole || kind === 'suspect').map(({ task }) => task);
