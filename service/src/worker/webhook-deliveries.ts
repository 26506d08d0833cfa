import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import { readClocks } from '@corral/base/clock-reading';
import type { HeldLease } from '@corral/base/db/held-lease';
import { TimeShare } from '@corral/base/time-share';
import type { Logger } from 'pino';
import type { EventView } from '../core/audit.ts';
import {
  activeSubscriptions,
  type Candidate,
  giveUpOld,
  type NextDelivery,
  nextDelivery,
  passOver,
  recordDelivery,
  recordFailure,
  recordLoss,
  recordRefusal,
} from '../core/deliveries.ts';
import type { DeliveryResult } from '../core/delivery-result.ts';
import { nextDigest } from '../core/digests.ts';
import { holdLease, LeaseLost, releaseLease, thisProcess } from '../core/leases.ts';
import type { RequestContext } from '../core/request-context.ts';
import { sendDelivery } from '../core/send-delivery.ts';
import type { Subscription } from '../core/subscription-records.ts';
import { settledEvents } from '../db/event-order.ts';

const leaseMs = 6_000;
const pollMs = 2_000;
/** Subscriptions that are served side by side: nobody's slow receivers hold up others, nor does the relay of mail. */
const places = { site: 16, projects: 48, project: 4, mail: 8 };
/** Deliveries of one subscription before others get its place. */
const turnLength = 20;
/** How often it is stored how far those are that had nothing to be sent. */
const storeMs = 60_000;
const looks = { share: 1 / 6, atOnceMs: 100, longestWaitMs: 2_000 };

/** Told after a receiver took a message and before that is recorded, so that a test can kill the process there. */
export type DeliveryStep = 'webhook delivered' | 'mail delivered';

const nameOf = (kind: Candidate['kind']): string => (kind === 'mail' ? 'mail' : 'a webhook');

interface Where {
  readonly id: number;
  readonly after: number;
  readonly settled: number;
}

interface Turn {
  readonly projectId: number | null;
  readonly kind: Candidate['kind'];
  readonly done: Promise<void>;
}

/**
 * Delivers events to subscriptions, each in the order of events. One process at a time does it, for all of them: the one
 * that has the lease.
 */
export class WebhookDeliveries {
  readonly #context: RequestContext;
  readonly #giveUpMs: number;
  readonly #log: Logger;
  readonly #step: (step: DeliveryStep) => void;
  readonly #stop = new AbortController();
  readonly #time = new TimeShare(looks);
  #loop: Promise<void> = Promise.resolve();

  constructor(context: RequestContext, giveUpMs: number, log: Logger, step: (step: DeliveryStep) => void) {
    this.#context = context;
    this.#giveUpMs = giveUpMs;
    this.#log = log;
    this.#step = step;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const listener = this.#context.listen('events', 'subscriptions', 'leases');
    const failures = new Backoff({ firstMs: pollMs, longestMs: 30_000 });
    while (!signal.aborted) {
      try {
        const waitMs = await this.#lead(
          () => listener.notify(),
          (ms) => listener.wait(ms, signal),
        );
        failures.succeeded();
        await listener.wait(Math.min(waitMs, leaseMs), signal);
      } catch (error) {
        if (!(error instanceof LeaseLost)) this.#log.error({ err: error }, 'failed to deliver webhooks; will retry');
        await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);
      }
    }
    listener.close();
  }

  /** Delivers as long as there are subscriptions and the lease is ours. Answers when to try again. */
  async #lead(wake: () => void, wait: (ms: number) => Promise<void>): Promise<number> {
    if ((await activeSubscriptions(this.#context)).length === 0) return leaseMs;
    const asked = readClocks();
    const { lease, waitMs } = await this.#context.leases.take(this.#context, 'webhooks', thisProcess, leaseMs);
    if (lease === null) return waitMs;
    const held = holdLease(this.#context, lease, leaseMs, asked);
    const letGo = held.keep();
    const round = new DeliveryRound(this.#context, held, {
      giveUpMs: this.#giveUpMs,
      stop: this.#stop.signal,
      log: this.#log,
      step: this.#step,
      wake,
    });
    try {
      while (!this.#stop.signal.aborted) {
        held.check();
        const began = performance.now();
        const nextMs = await round.begin();
        this.#time.took(performance.now() - began);
        if (nextMs === null) return leaseMs;
        await wait(nextMs);
        // While much happens, it looks less often.
        await sleep(this.#time.waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
      return 0;
    } finally {
      await round.end();
      letGo();
      await this.#context.writeOutcome((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }
}

interface RoundParts {
  readonly giveUpMs: number;
  readonly stop: AbortSignal;
  readonly log: Logger;
  readonly step: (step: DeliveryStep) => void;
  readonly wake: () => void;
}

/** What one process knows while it has the lease. */
class DeliveryRound {
  readonly #context: RequestContext;
  readonly #held: HeldLease;
  readonly #parts: RoundParts;
  readonly #turns = new Map<number, Turn>();
  /** Up to which event there is nothing for a subscription, as far as that is not stored yet. */
  readonly #passed = new Map<number, number>();
  /** Subscriptions in the order in which they were served last. */
  readonly #served = new Set<number>();
  #storedAt = performance.now();

  constructor(context: RequestContext, held: HeldLease, parts: RoundParts) {
    this.#context = context;
    this.#held = held;
    this.#parts = parts;
  }

  /** Begins what is due. Answers how long until more is; null: there are no subscriptions. */
  async begin(): Promise<number | null> {
    const settled = await settledEvents(this.#context.query);
    const active = await activeSubscriptions(this.#context);
    if (active.length === 0 && this.#turns.size === 0) return null;
    const isBehind = ({ id, position }: Candidate): boolean => Math.max(position, this.#passed.get(id) ?? 0) < settled;
    const behind = active.filter((one) => !this.#turns.has(one.id) && isBehind(one));
    const isActive = new Set(active.map(({ id }) => id));
    for (const id of this.#served) if (!isActive.has(id)) this.#served.delete(id);
    const order = [...this.#served];
    const due = behind.filter(({ waitMs }) => waitMs === 0).sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
    for (const candidate of due) if (this.#hasPlaceFor(candidate)) this.#beginTurn(candidate, settled);
    if (performance.now() - this.#storedAt >= storeMs) await this.#store();
    return Math.min(pollMs, ...behind.filter(({ waitMs }) => waitMs > 0).map(({ waitMs }) => waitMs));
  }

  /** Waits for what is under way. */
  async end(): Promise<void> {
    await Promise.all([...this.#turns.values()].map(({ done }) => done));
    await this.#store().catch(() => undefined);
  }

  #hasPlaceFor({ project_id, kind }: Candidate): boolean {
    const owners = [...this.#turns.values()].filter((turn) => turn.kind === kind).map(({ projectId }) => projectId);
    const ofSame = owners.filter((owner) => owner === project_id).length;
    if (kind === 'mail') return owners.length < places.mail && (project_id === null || ofSame < places.project);
    if (project_id === null) return ofSame < places.site;
    return ofSame < places.project && owners.filter((owner) => owner !== null).length < places.projects;
  }

  #beginTurn({ id, project_id, kind }: Candidate, settled: number): void {
    this.#served.delete(id);
    this.#served.add(id);
    const done = this.#deliver(id, settled)
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost))
          this.#parts.log.error({ err: error, subscription: id }, `failed to deliver ${nameOf(kind)}; will retry`);
        return 'failed' as const;
      })
      .then((how) => {
        this.#turns.delete(id);
        // What failed for a reason of ours is tried again at the next poll.
        if (how === 'more') this.#parts.wake();
      });
    this.#turns.set(id, { projectId: project_id, kind, done });
  }

  /** One subscription's turn. */
  async #deliver(id: number, settled: number): Promise<'more' | 'nothing more'> {
    for (let sent = 0; sent < turnLength;) {
      if (this.#parts.stop.aborted) return 'nothing more';
      this.#held.check();
      const after = this.#passed.get(id) ?? 0;
      const next = await nextDelivery(this.#context, { id, after, settled });
      if (next === null) return 'nothing more';
      if (next.lostUpTo !== null) {
        await this.#lose(next, next.lostUpTo);
        continue;
      }
      if (next.events.length === 0) {
        this.#passed.set(id, next.upTo);
        if (next.isEnd) return 'more';
        continue;
      }
      if (!(await this.#attempt(next, { id, after, settled }))) return 'nothing more';
      sent += 1;
    }
    return 'more';
  }

  /** A webhook is sent the first of the next events, a mail all of a while. Answers whether there may be more to do. */
  async #attempt(next: NextDelivery, where: Where): Promise<boolean> {
    const { subscription } = next;
    const events = await this.#batch(next, where);
    if (events === null) return false;
    const { stop, step, giveUpMs } = this.#parts;
    const { lease, lost } = this.#held;
    const result = await sendDelivery(this.#context.dependencies, subscription, events, [stop, lost]);
    // What we ended ourselves says nothing about the receiver.
    if (result.kind !== 'delivered' && (stop.aborted || lost.aborted)) return false;
    if (result.kind === 'delivered') {
      step(`${subscription.kind} delivered`);
      const delivered = { last: events.at(-1) ?? events[0], count: events.length };
      await recordDelivery(this.#context, lease, subscription, delivered, result);
      return true;
    }
    this.#warn(subscription, events[0], result);
    if (result.kind === 'refused') {
      await recordRefusal(this.#context, lease, subscription, events, result);
      return true;
    }
    await recordFailure(this.#context, lease, subscription, result);
    while (await giveUpOld(this.#context, lease, { ...where, giveUpMs }));
    return false;
  }

  async #batch(next: NextDelivery, where: Where): Promise<readonly [EventView, ...EventView[]] | null> {
    const [first] = next.events;
    if (first === undefined) return null;
    if (next.subscription.kind === 'webhook') return [first];
    // Without a relay there is nothing to wait for.
    const digestMs = this.#context.dependencies.mail?.digestMs ?? 0;
    return nextDigest(this.#context, this.#held.lease, next, where, digestMs);
  }

  #warn(
    { label, kind, origin, attempts }: Subscription,
    event: EventView,
    { kind: how, result }: DeliveryResult,
  ): void {
    this.#parts.log.warn(
      { subscription: label, origin, event: event.id, attempts: attempts + 1, reason: result },
      how === 'refused' ? 'mail was refused for good' : `failed to deliver ${nameOf(kind)}; will retry`,
    );
  }

  async #lose({ subscription }: NextDelivery, upTo: number): Promise<void> {
    const { label } = subscription;
    this.#parts.log.warn({ subscription: label, upTo }, 'events were deleted before a subscription had come to them');
    await recordLoss(this.#context, this.#held.lease, subscription, upTo);
    this.#passed.set(subscription.id, upTo);
  }

  async #store(): Promise<void> {
    this.#storedAt = performance.now();
    const byPosition = new Map<number, number[]>();
    for (const [id, upTo] of this.#passed) byPosition.set(upTo, [...(byPosition.get(upTo) ?? []), id]);
    for (const [upTo, ids] of byPosition) await passOver(this.#context, this.#held.lease, ids, upTo);
    this.#passed.clear();
  }
}
