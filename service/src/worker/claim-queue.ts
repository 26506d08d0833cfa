import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import { TimeShare } from '@corral/base/time-share';
import type { Logger } from 'pino';
import { waitingClaims } from '../core/claim-line.ts';
import { releaseLease, thisProcess } from '../core/leases.ts';
import type { RequestContext } from '../core/request-context.ts';
import { deleteEndedClaims, serveLine } from '../core/serve-claims.ts';
import { leaseTable } from '../db/service-leases.ts';
import { PeriodicTask, toTheEnd } from './periodic-task.ts';

const pollMs = 10_000;
/** Between two looks: a busy site has many events a second. */
const pauseMs = 250;
/** A long line on a large site takes a while to look along: not more than a tenth of the time. */
const looking = { share: 0.1, atOnceMs: 1_000, longestWaitMs: 10_000 };
const cleanEveryMs = 3_600_000;

/**
 * Serves the claims that wait. Everything that frees a node, gives it other metadata or takes rights away is an event, so
 * events start a pass, and a timer does in case one was missed.
 */
export class ClaimQueue {
  readonly #context: RequestContext;
  /** How long others leave the line to a process that has died. */
  readonly #leaseMs: number;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(context: RequestContext, leaseMs: number, log: Logger) {
    this.#context = context;
    this.#leaseMs = leaseMs;
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
    const listener = this.#context.listen('events', 'users');
    const failures = new Backoff({ firstMs: 1_000, longestMs: 30_000 });
    const time = new TimeShare(looking);
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const began = performance.now();
        const nextMs = await this.#serve();
        time.took(performance.now() - began);
        failures.succeeded();
        await listener.wait(nextMs, signal);
        await sleep(Math.max(pauseMs, time.waitMs), undefined, { signal }).catch(() => undefined);
      } catch (error) {
        this.#log.error({ err: error }, 'failed to serve waiting claims; will retry');
        await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);
      }
    }
    listener.close();
  }

  /** One replica at a time goes along the line. Answers how long until the next look. */
  async #serve(): Promise<number> {
    const context = this.#context;
    if ((await context.read(waitingClaims)).length === 0) return pollMs;
    const { lease, waitMs } = await context.leases.take(context, 'claims', thisProcess, this.#leaseMs);
    if (lease === null) return Math.min(waitMs, pollMs);
    try {
      await serveLine(context, async () => {
        if (this.#stop.signal.aborted) return false;
        return context.write((op) => leaseTable.renew(op, lease, this.#leaseMs), { isUrgent: true });
      });
    } finally {
      await context.write((op) => releaseLease(op, lease));
    }
    return pollMs;
  }
}

/** Deletes claims that ended long ago. */
export const claimCleanup = (context: RequestContext, log: Logger): PeriodicTask =>
  new PeriodicTask(
    cleanEveryMs,
    (signal) => toTheEnd(signal, () => context.write(deleteEndedClaims)),
    (error) => log.warn({ err: error }, 'failed to delete ended claims; will retry'),
  );
