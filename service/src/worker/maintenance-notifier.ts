import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff, pauseAfter } from '@corral/base/backoff';
import { HttpClient } from '@corral/base/http/http-client';
import { httpFaultOf } from '@corral/base/http/http-fault';
import type { Outbound } from '@corral/base/http/outbound';
import { isRedirect, isTaken, postJson } from '@corral/base/http/post-json';
import { dueAt, steadyNow } from '@corral/base/steady-clock';
import type { Logger } from 'pino';
import { leaseTable } from '../db/service-leases.ts';
import { releaseLease, thisProcess } from '../core/leases.ts';
import type { RequestContext } from '../core/request-context.ts';
import type { MaintenancePool } from '../core/dependencies.ts';

const timeoutMs = 10_000;
const leaseMs = 30_000;
const pollMs = 2_000;
const growth = { firstMs: 500, longestMs: 10 * 60_000 };
const batch = 20;

/** Tells the maintenance service of nodes that came to its pool: from a table, until it says it heard. */
export class MaintenanceNotifier {
  readonly #context: RequestContext;
  readonly #pool: MaintenancePool;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #http: HttpClient;
  #loop: Promise<void> = Promise.resolve();

  constructor(context: RequestContext, pool: MaintenancePool, outbound: Outbound, log: Logger) {
    this.#context = context;
    this.#pool = pool;
    this.#http = new HttpClient({ outbound, largestAnswer: -1, connections: 1, keepAlive: false });
    this.#log = log;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await this.#http.close();
  }

  async #run(): Promise<void> {
    const listener = this.#context.listen('notifications');
    const failures = new Backoff({ firstMs: pollMs, longestMs: 30_000 });
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const nextMs = await this.#deliver();
        failures.succeeded();
        await listener.wait(Math.min(pollMs, nextMs), signal);
      } catch (error) {
        this.#log.error({ err: error }, 'failed to deliver maintenance notifications; will retry');
        await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);
      }
    }
    listener.close();
  }

  /** Delivers what is due, one replica at a time. Answers how long until more is. */
  async #deliver(): Promise<number> {
    const untilNext = await this.#untilNext();
    if (untilNext > 0) return untilNext;
    const { lease, waitMs } = await this.#context.leases.take(this.#context, 'notifier', thisProcess, leaseMs);
    if (lease === null) return waitMs;
    try {
      for (const { id, node, attempts } of await this.#due(batch)) {
        if (this.#stop.signal.aborted) break;
        if (!(await this.#context.write((op) => leaseTable.renew(op, lease, leaseMs), { isUrgent: true }))) break;
        await this.#settle(id, node, attempts, await this.#send(node));
      }
    } finally {
      await this.#context.write((op) => releaseLease(op, lease));
    }
    return this.#untilNext();
  }

  /** 0 when something is due. */
  async #untilNext(): Promise<number> {
    const next = await this.#context.read(({ tx }) =>
      tx.selectFrom('notifications').select('retry_at').orderBy('retry_at').limit(1).executeTakeFirst(),
    );
    if (next === undefined) return pollMs;
    const now = steadyNow();
    return Math.max(0, dueAt(next.retry_at, now, growth.longestMs) - now);
  }

  #due(most: number) {
    const now = steadyNow();
    return this.#context.read(({ tx }) =>
      tx
        .selectFrom('notifications')
        .select(['id', 'node', 'attempts'])
        .where((where) =>
          // One that is further off than any pause was written by a clock that has been set back since.
          where.or([where('retry_at', '<=', now), where('retry_at', '>', now + 2 * growth.longestMs)]),
        )
        .orderBy('id')
        .limit(most)
        .execute(),
    );
  }

  /** null when the service heard; otherwise why it did not. */
  async #send(node: string): Promise<string | null> {
    try {
      const status = await postJson(
        this.#http,
        { url: this.#pool.url, body: JSON.stringify({ node }) },
        { ms: timeoutMs, signals: [this.#stop.signal] },
      );
      if (isRedirect(status)) {
        return `it redirects (status ${status}), which is not followed; set maintenance.url to its final address`;
      }
      return isTaken(status) ? null : `it answered ${status}`;
    } catch (error) {
      return httpFaultOf(error).details;
    }
  }

  async #settle(id: number, node: string, attempts: number, failure: string | null): Promise<void> {
    if (failure === null) {
      await this.#context.write(async (op) => {
        await op.tx.deleteFrom('notifications').where('id', '=', id).execute();
        op.record({ type: 'maintenance_notified', node });
      });
      return;
    }
    const pause = pauseAfter(attempts, growth);
    this.#log.warn(
      { node, attempts: attempts + 1, reason: failure },
      'failed to notify the maintenance service; will retry',
    );
    await this.#context.write((op) =>
      op.tx
        .updateTable('notifications')
        .set({ attempts: attempts + 1, retry_at: steadyNow() + pause })
        .where('id', '=', id)
        .execute(),
    );
  }
}
