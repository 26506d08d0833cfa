import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import { readClocks } from '@corral/base/clock-reading';
import { steadyNow } from '@corral/base/steady-clock';
import type { Logger } from 'pino';
import { holdLease, releaseLease, thisProcess } from '../core/leases.ts';
import { advanceRelease, growth, type ReleaseMoment } from '../core/release-steps.ts';
import { running } from '../core/releases.ts';
import type { RequestContext } from '../core/request-context.ts';
import { pending, statement } from '../db/service-statement.ts';

/** How many releases this process works on at once: one whose OBM daemon does not answer takes its time. */
const mostAtOnce = 32;
/** Between two looks, however much happens. */
const shortestPauseMs = 20;

interface ReleasesConfig {
  readonly patienceMs: number;
  readonly leaseMs: number;
  readonly pollMs: number;
}

/**
 * Gives nodes back whose release was asked for (`core/release-steps.ts`). It looks when a release begins and, as long as
 * one is running, when anything happens: the end of a change of a switch is an event.
 */
export class NodeReleases {
  readonly #context: RequestContext;
  readonly #config: ReleasesConfig;
  readonly #step: (moment: ReleaseMoment) => void;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #working = new Map<number, Promise<void>>();
  /** Notified of what begins, and of what happens to what has begun. */
  readonly #began;
  readonly #happened;
  #loop: Promise<void> = Promise.resolve();

  constructor(context: RequestContext, config: ReleasesConfig, step: (moment: ReleaseMoment) => void, log: Logger) {
    this.#context = context;
    this.#config = config;
    this.#step = step;
    this.#log = log;
    this.#began = context.listen('releases');
    this.#happened = context.listen('releases', 'events');
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Waits for the steps that are under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#working.values());
  }

  async #run(): Promise<void> {
    const failures = new Backoff({ firstMs: this.#config.pollMs, longestMs: 30_000 });
    const { signal } = this.#stop;
    const { pollMs } = this.#config;
    while (!signal.aborted) {
      try {
        const nextMs = await this.#look();
        failures.succeeded();
        if (nextMs === null) await this.#began.wait(pollMs, signal);
        else await this.#happened.wait(Math.min(pollMs, nextMs), signal);
        await sleep(shortestPauseMs, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        this.#log.warn({ err: error }, 'failed to look for releases of nodes; will retry');
        await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);
      }
    }
    this.#began.close();
    this.#happened.close();
  }

  /** Begins to work on what is due. Answers how long until more is; null: no release is running. */
  async #look(): Promise<number | null> {
    const now = steadyNow();
    const { due, next } = await this.#context.read(async ({ tx }) => ({
      due: await dueReleases.all(tx, { now, tooFar: now + 2 * longestPauseMs, most: 2 * mostAtOnce }),
      next: await laterReleases.first(tx, { now }),
    }));
    for (const { id } of due) if (this.#working.size < mostAtOnce) this.#workOn(id);
    if (due.length === 0 && next === undefined) return (await this.#hasRunning()) ? this.#config.pollMs : null;
    return next === undefined ? this.#config.pollMs : Math.max(0, next.retry_at - now);
  }

  async #hasRunning(): Promise<boolean> {
    return (await this.#context.read(({ tx }) => anyRunning.first(tx, {}))) !== undefined;
  }

  #workOn(id: number): void {
    if (this.#working.has(id)) return;
    const work = async (): Promise<void> => {
      const isLookedAt = await this.#advance(id).catch((error: unknown) => {
        this.#log.warn({ release: id, err: error }, 'failed to advance the release of a node; will retry');
        return false;
      });
      this.#working.delete(id);
      // What happened meanwhile was passed over because it was being worked on, or too much was.
      if (isLookedAt) this.#happened.notify();
    };
    this.#working.set(id, work());
  }

  /** Does all that can be done now; false: another process does. */
  async #advance(id: number): Promise<boolean> {
    const { leaseMs, patienceMs } = this.#config;
    const context = this.#context;
    const asked = readClocks();
    const { lease } = await context.leases.take(context, `release/${id}`, thisProcess, leaseMs);
    if (lease === null) return false;
    this.#step('release leased');
    const held = holdLease(context, lease, leaseMs, asked);
    const letGo = held.keep();
    const failed = (err: unknown): void => this.#log.error({ release: id, err }, 'a step of a release failed');
    const work = { context, held, patienceMs, step: this.#step, failed };
    try {
      while (!this.#stop.signal.aborted && (await advanceRelease(work, id)) === 'again');
      return true;
    } finally {
      letGo();
      await context.writeOutcome((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }
}

/** The longest pause that is stored: that of a project which has changed too much within a minute. */
const longestPauseMs = Math.max(60_000, growth.longestMs);

/** Those that wait for no change of a switch; one put off for longer than any pause was by a clock that was set back. */
const dueReleases = statement((tx, { now, tooFar, most }: { now: number; tooFar: number; most: number }) =>
  tx
    .selectFrom('releases')
    .select('id')
    .where('state', '=', running)
    .where((where) => where.or([where('retry_at', '<=', now), where('retry_at', '>', tooFar)]))
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('nics')
            .innerJoin('actions', 'actions.nic_id', 'nics.id')
            .select('actions.id')
            .whereRef('nics.node_id', '=', 'releases.node_id')
            .where('actions.status', '=', pending),
        ),
      ),
    )
    .orderBy('retry_at')
    .limit(most),
);

const laterReleases = statement((tx, { now }: { now: number }) =>
  tx
    .selectFrom('releases')
    .select('retry_at')
    .where('state', '=', running)
    .where('retry_at', '>', now)
    .orderBy('retry_at')
    .limit(1),
);

const anyRunning = statement((tx) => tx.selectFrom('releases').select('id').where('state', '=', running).limit(1));
