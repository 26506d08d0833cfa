import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstOf } from '@corral/base/abort';
import { Backoff } from '@corral/base/backoff';
import { readClocks } from '@corral/base/clock-reading';
import type { ChangeListener } from '@corral/base/db/change-notifier';
import type { HeldLease } from '@corral/base/db/held-lease';
import { HttpClient } from '@corral/base/http/http-client';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { CleaningConfig } from '../config/cleaning-config.ts';
import { CorralError } from '../core/corral-error.ts';
import { holdLease, LeaseLost, releaseLease, thisProcess } from '../core/leases.ts';
import type { RequestContext } from '../core/request-context.ts';
import { type Attempt, StepOver, type Verdict } from './cleaning-attempt.ts';
import { powerOff, resetBootDevice, takeBackBmc } from './cleaning-bmc.ts';
import { attachNode, bootNode, detachNode } from './cleaning-boot.ts';
import { runCommand } from './cleaning-command.ts';
import type { CleaningMoment } from './cleaning-moments.ts';
import { readPorts } from './cleaning-ports.ts';
import { beginStep, longestPauseMs, settleStep } from './cleaning-record.ts';
import { callWebhook } from './cleaning-webhook.ts';
import { checkWiring } from './cleaning-wiring.ts';

/** How often it looks for work without a notification. */
const pollMs = 2_000;

type Rules = CleaningConfig & { readonly leaseMs: number };

/** A cleaning that is worked on. */
interface Job {
  readonly work: Promise<void>;
  /** The step that is tried, and what ends the attempt when the step is over; null: between two. */
  tried: { readonly stepId: number; readonly over: AbortController } | null;
}

/**
 * Takes nodes through the steps between two projects: several at once, each by one process at a time under a lease.
 * Everything that it needs to go on is in the database, and every step can be done twice.
 */
export class CleaningWorker {
  readonly #context: RequestContext;
  readonly #rules: Rules;
  readonly #log: Logger;
  readonly #moment: (moment: CleaningMoment) => void;
  readonly #stop = new AbortController();
  readonly #http: HttpClient;
  readonly #listener: ChangeListener;
  readonly #jobs = new Map<number, Job>();
  /** Cleanings that another process has, and until when they are left to it, by the monotonic clock. */
  readonly #elsewhere = new Map<number, number>();
  #loop: Promise<void> = Promise.resolve();

  constructor(context: RequestContext, rules: Rules, log: Logger, moment: (moment: CleaningMoment) => void) {
    this.#context = context;
    this.#rules = rules;
    this.#log = log;
    this.#moment = moment;
    const { outbound } = context.dependencies;
    this.#http = new HttpClient({ outbound, largestAnswer: -1, connections: rules.atOnce, keepAlive: false });
    this.#listener = context.listen('cleanings');
    setMaxListeners(0, this.#stop.signal);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Steps that are under way are tried again by the next process. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all([...this.#jobs.values()].map(({ work }) => work));
    await this.#http.close();
  }

  async #run(): Promise<void> {
    const failures = new Backoff({ firstMs: 500, longestMs: 30_000 });
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const nextMs = await this.#dispatch();
        failures.succeeded();
        await this.#listener.wait(Math.min(pollMs, nextMs), signal);
      } catch (error) {
        this.#log.error({ err: error }, 'failed to look for nodes to clean; will retry');
        await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);
      }
    }
    this.#listener.close();
  }

  /** Starts work on what is due, ends what is over, and answers how long until more is due. */
  async #dispatch(): Promise<number> {
    await this.#endJobsThatAreOver();
    const now = performance.now();
    for (const [id, until] of this.#elsewhere) if (until <= now) this.#elsewhere.delete(id);
    const room = this.#rules.atOnce - this.#jobs.size;
    if (room <= 0) return pollMs;
    const taken = [...this.#jobs.keys(), ...this.#elsewhere.keys()];
    const found = await this.#context.read(({ tx, now: time }) =>
      tx
        .selectFrom('cleanings')
        .select(['id', 'node_id', sql<number>`due_at - ${time}`.as('dueMs')])
        .where('state', '=', sql.lit('running' as const))
        .$if(taken.length > 0, (query) => query.where('id', 'not in', taken))
        .orderBy('due_at')
        .limit(room)
        .execute(),
    );
    // One that is further off than any pause was written by a clock that has been set back since.
    const due = found.filter(({ dueMs }) => dueMs <= 0 || dueMs > 2 * longestPauseMs);
    for (const { id, node_id } of due) this.#startJob(id, node_id);
    return found.find((one) => !due.includes(one))?.dueMs ?? pollMs;
  }

  async #endJobsThatAreOver(): Promise<void> {
    const tried = [...this.#jobs.values()].flatMap((job) => job.tried ?? []);
    if (tried.length === 0) return;
    const ids = tried.map(({ stepId }) => stepId);
    const rows = await this.#context.read(({ tx }) =>
      tx.selectFrom('cleaning_steps').select('id').where('id', 'in', ids).where('state', '=', 'running').execute(),
    );
    const going = new Set(rows.map(({ id }) => id));
    for (const { stepId, over } of tried) if (!going.has(stepId)) over.abort(new StepOver());
  }

  #startJob(id: number, nodeId: number): void {
    const work = this.#work(id, nodeId)
      .catch((error: unknown) => {
        if (error instanceof LeaseLost || this.#stop.signal.aborted) return;
        this.#elsewhere.set(id, performance.now() + pollMs);
        this.#log.error({ cleaning: id, err: error }, 'failed to clean a node; will retry');
      })
      .then(() => {
        this.#jobs.delete(id);
        this.#listener.notify();
      });
    this.#jobs.set(id, { work, tried: null });
  }

  async #work(id: number, nodeId: number): Promise<void> {
    const { leaseMs } = this.#rules;
    const asked = readClocks();
    const holder = `${thisProcess}/${randomUUID()}`;
    const { lease, waitMs } = await this.#context.leases.take(this.#context, `cleaning/${nodeId}`, holder, leaseMs);
    if (lease === null) {
      this.#elsewhere.set(id, performance.now() + waitMs);
      return;
    }
    this.#moment('cleaning leased');
    const held = holdLease(this.#context, lease, leaseMs, asked);
    const letGo = held.keep();
    try {
      while (!this.#stop.signal.aborted && !held.lost.aborted && (await this.#advance(id, held)));
    } finally {
      letGo();
      await this.#context.writeOutcome((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }

  /** Tries the step that is due; false: nothing more is to be done now. */
  async #advance(id: number, held: HeldLease): Promise<boolean> {
    const { lease } = held;
    const begun = await this.#context.write((op) => beginStep(op, lease, id, this.#rules));
    if (begun === null) {
      this.#moment('cleaning over');
      return false;
    }
    this.#moment('cleaning step begun');
    const verdict = await this.#try(id, { ...begun, held });
    if (verdict === null || this.#stop.signal.aborted) return false;
    this.#moment('cleaning step tried');
    const goesOn = await this.#context.write((op) => settleStep(op, lease, begun, verdict));
    this.#moment('cleaning step settled');
    return goesOn;
  }

  /** null: the step is over, or no longer ours. */
  async #try(id: number, begun: Pick<Attempt, 'cleaning' | 'step' | 'leftMs' | 'held'>): Promise<Verdict | null> {
    const job = this.#jobs.get(id);
    const over = new AbortController();
    const { signal, release } = firstOf(this.#stop.signal, begun.held.lost, over.signal);
    if (job) job.tried = { stepId: begun.step.id, over };
    try {
      const moment = this.#moment;
      return await this.#attempt({ ...begun, context: this.#context, rules: this.#rules, signal, moment });
    } catch (error) {
      if (error instanceof StepOver || error instanceof LeaseLost) return null;
      if (error instanceof CorralError) return { kind: 'later', sentence: error.forAdmins };
      this.#log.error({ cleaning: id, step: begun.step.name, err: error }, 'cleaning step failed; will retry');
      return { kind: 'later', sentence: 'the service failed; its log tells why' };
    } finally {
      if (job) job.tried = null;
      release();
    }
  }

  #attempt(attempt: Attempt): Promise<Verdict> {
    const { name, kind } = attempt.step;
    switch (kind) {
      case 'power':
        return powerOff(attempt);
      case 'ports':
        return readPorts(attempt);
      case 'bootdev':
        return resetBootDevice(attempt);
      case 'bmc':
        return takeBackBmc(attempt);
      case 'attach':
        return attachNode(attempt);
      case 'wiring':
        return checkWiring(attempt);
      case 'detach':
        return detachNode(attempt);
      case 'boot':
      case 'command':
      case 'webhook': {
        const step = this.#rules.steps.find((one) => one.name === name && one.kind === kind);
        if (step?.kind === 'command') return runCommand(attempt, step);
        if (step?.kind === 'webhook') return callWebhook(attempt, step, this.#http);
        if (step?.kind === 'boot') return bootNode(attempt, step, this.#http);
        return Promise.resolve({ kind: 'failed', sentence: 'no step of this name and kind is configured any more' });
      }
      case 'maintenance':
        throw new Error('the maintenance service has this step');
    }
  }
}
