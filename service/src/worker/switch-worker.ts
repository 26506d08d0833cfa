import { steadyNow } from '@corral/base/steady-clock';
import type { HeldLease } from '../core/held-lease.ts';
import { LeaseLost, releaseLease } from '../core/leases.ts';
import { DeviceTimeout } from './device.ts';
import { recordSaved, recordUnsaved } from './health.ts';
import { faulted, forbidden, judge } from './judge.ts';
import { leaveInDoubt, takeOver } from './late-writes.ts';
import { type Outcome, SwitchLine } from './line.ts';
import { alreadyDone, runPass } from './pass.ts';
import { faultsToOpen, saveRetryAt } from './patience.ts';
import { planSweep, planSwitch, planWritten, type SwitchPlan } from './plan.ts';
import type { PortTask } from './port-task.ts';
import { type Ending, markTouched, settle } from './settle.ts';
import { look, recordSightings, recordSweep, sweep } from './sweep.ts';
import type { Workshop } from './workshop.ts';

/**
 * Works on one switch for as long as it has work, under a lease: lease, plan, apply, verify, settle. A
 * switch that misbehaves does so in here, and delays no other switch.
 */
export class SwitchWorker {
  readonly #shop: Workshop;
  readonly #target: { readonly id: number; readonly label: string };
  /** How many ports go into one pass: fewer after a failure, so that one bad port does not fail the others for ever. */
  #mostPorts = Number.POSITIVE_INFINITY;
  readonly #held: HeldLease;
  readonly #line: SwitchLine;
  /** The ports that something was sent to, and nobody has written down yet how that ended. */
  #written: readonly PortTask[] = [];

  constructor(shop: Workshop, target: { readonly id: number; readonly label: string }, held: HeldLease) {
    this.#shop = shop;
    this.#target = { id: target.id, label: target.label };
    this.#held = held;
    this.#line = new SwitchLine(shop, this.#target, held);
  }

  /**
   * Returns when the switch has no more work, belongs to another worker, or `stop` aborts. Tells whether there was any
   * work.
   */
  async run(stop: AbortSignal): Promise<boolean> {
    const { desk, log, step } = this.#shop;
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
      await this.#line.hangUp();
      await this.#admit();
      await desk.write((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }

  /** The previous worker may have died, or be suspended, in the middle of a write. */
  async #takeOver(): Promise<void> {
    const { db, desk, config } = this.#shop;
    const { id } = this.#target;
    const left = await db.read((tx) => planWritten(tx, db.now, id));
    if (left.length > 0) await desk.write((op) => takeOver(op, this.#held.lease, this.#target, config));
  }

  /** What was sent and not settled, because the lease was lost or the database is down, must be checked by others. */
  async #admit(): Promise<void> {
    const { desk, log } = this.#shop;
    const { label } = this.#target;
    if (this.#written.length === 0) return;
    const { number: session, lateMs } = this.#line;
    const reason = 'a process wrote to the port and lost the switch';
    await desk
      .write((op) => leaveInDoubt(op, label, this.#written, { session, lateMs, reason }))
      .catch((error: unknown) => log.warn({ switch: label, err: error }, 'failed to record ports in doubt'));
  }

  async #work(stop: AbortSignal): Promise<boolean> {
    const { db, config, step } = this.#shop;
    const bell = db.changes.listen('actions');
    let idleSince = performance.now();
    let hasWorked = false;
    try {
      while (!stop.aborted && !this.#held.lost.aborted) {
        const plan = await db.read((tx) => planSwitch(tx, db.now, this.#target.id, config));
        if (plan === null) return hasWorked;
        step('planned');
        if (await this.#carryOut(plan)) {
          idleSince = performance.now();
          hasWorked = true;
        } else if (performance.now() - idleSince >= config.sessionIdleMs) return hasWorked;
        else await bell.wait(Math.min(config.sessionIdleMs, config.pollMs, plan.nextMs), stop);
      }
      return hasWorked;
    } finally {
      bell.close();
    }
  }

  /** Does all that is due; false if nothing was. */
  async #carryOut(plan: SwitchPlan): Promise<boolean> {
    const line = this.#line;
    const { tasks, unread, sweep: wanted, isSaveDue } = plan;
    line.faults = plan.faults;
    line.sweepWanted = wanted;
    const ended = endingsOf(plan, this.#shop.config.budgetMs);
    if (ended.length > 0) await this.#giveUp(ended);
    // A probe takes one port: if it is the switch that fails, more would only fail with it; if a port, the next gets
    // its turn.
    if (plan.faults >= faultsToOpen) this.#mostPorts = 1;
    const rounds: (() => Promise<Outcome>)[] = [];
    if (tasks.length > 0) rounds.push(() => this.#pass(tasks.slice(0, this.#mostPorts)));
    if (unread.length > 0) rounds.push(() => this.#look(unread));
    if (wanted !== null) rounds.push(() => this.#sweep(wanted));
    if (isSaveDue) rounds.push(() => this.#save());
    for (const round of rounds) {
      // Where nobody answers, the rest would fail the same way.
      if ((await round()) === 'dead') break;
    }
    return rounds.length > 0 || ended.length > 0;
  }

  async #pass(tasks: readonly PortTask[]): Promise<Outcome> {
    const { desk, config, observer, step } = this.#shop;
    const { id, label } = this.#target;
    const { lease } = this.#held;
    const line = this.#line;
    const started = performance.now();
    let underWay = tasks;
    let attempts = 0;
    const talk = await line.talk(async (session, device) => {
      await line.knock(session, tasks[0]?.port ?? '', device);
      const unsaved = session.save ? { switchId: id } : null;
      await desk.write((op) => markTouched(op, lease, tasks, { session: line.number, unsaved }));
      this.#written = tasks;
      attempts += 1;
      step('marked as touched');
      underWay = tasks.map((task) => (task.action ? { ...task, action: { ...task.action, touched: true } } : task));
      const finished = await alreadyDone(session, tasks, device);
      const rest = underWay.filter(({ portId }) => !finished.has(portId));
      const results = rest.length === 0 ? [] : await runPass(session, rest, device, step);
      const done = underWay
        .filter(({ portId }) => finished.has(portId))
        .map((task): Ending => ({ task, kind: 'done' }));
      return [...done, ...(await judge(this.#shop, session, results, device))];
    });
    step('judged');
    observer.passDone(label, talk.isFault ? 'fault' : 'ok', (performance.now() - started) / 1000);
    if (talk.isFault) this.#mostPorts = Math.max(1, Math.floor(tasks.length / 2));
    else this.#mostPorts = tasks.length < this.#mostPorts ? Number.POSITIVE_INFINITY : tasks.length * 2;
    const endings = talk.isFault ? underWay.map((task) => faulted(task, talk.fault, config.budgetMs)) : talk.value;
    const broken = brokenOff(endings, talk.isFault ? attempts > 0 : attempts > 1);
    if (broken.length > 0) await line.hangUp();
    await desk.write(async (op) => {
      await settle(op, lease, label, endings);
      const reason = talk.isFault ? talk.fault.reason : 'the session was lost';
      if (line.lateMs > 0) await leaveInDoubt(op, label, broken, { session: null, lateMs: line.lateMs, reason });
    });
    this.#written = [];
    step('settled');
    this.#report(endings);
    return talk.outcome;
  }

  /** What ends without contacting the switch. */
  async #giveUp(endings: readonly Ending[]): Promise<void> {
    await this.#shop.desk.write((op) => settle(op, this.#held.lease, this.#target.label, endings));
    this.#report(endings);
  }

  async #look(tasks: readonly PortTask[]): Promise<Outcome> {
    const { desk, config, step } = this.#shop;
    const talk = await this.#line.talk((session, device) => look(session, tasks, device));
    step('ports checked');
    if (talk.isFault) return talk.outcome;
    await desk.write((op) => recordSightings(op, this.#held.lease, this.#target.label, talk.value, config.lateWriteMs));
    step('check recorded');
    return talk.outcome;
  }

  async #sweep(answered: number): Promise<Outcome> {
    const { db, desk, config, step } = this.#shop;
    const tasks = await db.read((tx) => planSweep(tx, db.now, this.#target.id));
    const talk = await this.#line.talk((session, device) => sweep(session, tasks, device), answered);
    step('switch swept');
    if (talk.isFault) return talk.outcome;
    // With jitter, so that switches do not march in step.
    const nextAt = Math.round(steadyNow() + config.sweepMs * (0.9 + Math.random() / 5));
    await desk.write((op) =>
      recordSweep(op, this.#held.lease, this.#target, talk.value, {
        answered,
        nextAt,
        lateWriteMs: config.lateWriteMs,
      }),
    );
    step('sweep recorded');
    return talk.outcome;
  }

  async #save(): Promise<Outcome> {
    const { desk, config, log, step } = this.#shop;
    const { lease } = this.#held;
    const line = this.#line;
    const talk = await line.talk((session, device) =>
      device('save its configuration', 1, (signal) => session.save?.(signal) ?? Promise.resolve()).then(
        () => null,
        (error: unknown) => {
          if (error instanceof LeaseLost || error instanceof DeviceTimeout) throw error;
          return error instanceof Error ? error.message : String(error);
        },
      ),
    );
    step('configuration saved');
    if (talk.isFault) return talk.outcome;
    const reason = talk.value;
    if (reason === null) {
      await desk.write((op) => recordSaved(op, lease, this.#target));
    } else {
      // In which mode the device was left, nobody knows.
      await line.hangUp();
      log.warn({ switch: this.#target.label, reason }, 'failed to save switch configuration; will retry');
      const saveAt = saveRetryAt(steadyNow(), config.saveDelayMs);
      await desk.write((op) => recordUnsaved(op, lease, this.#target, reason, saveAt));
    }
    step('save recorded');
    return talk.outcome;
  }

  #report(endings: readonly Ending[]): void {
    const { observer, log } = this.#shop;
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
  return [...overdue.map((task) => faulted(task, { reason, refusedBy: null }, budgetMs)), ...denied.map(forbidden)];
};

/** The ports that a session wrote to and left without an answer: all, or those whose change could not be taken back. */
const brokenOff = (endings: readonly Ending[], isWhole: boolean): readonly PortTask[] =>
  endings.filter(({ kind }) => isWhole || kind === 'suspect').map(({ task }) => task);
