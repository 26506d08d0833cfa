import { type Growth, pauseAfter } from '@corral/base/backoff';
import type { Lease } from '@corral/base/db/lease-table';
import { dueAt, steadyNow } from '@corral/base/steady-clock';
import { type EventView, listEvents } from './audit.ts';
import type { DeliveryResult } from './delivery-result.ts';
import { prunedUpTo } from './history.ts';
import { requireLease } from './leases.ts';
import type { RequestContext, WriteOp } from './request-context.ts';
import {
  audienceOf,
  eventFilterOf,
  filterOf,
  ownerOf,
  type Subscription,
  subscriptionById,
} from './subscription-records.ts';

/*
 * How far each subscription is. A delivery is recorded after the receiver took it, so a process that dies in between
 * leaves it to be delivered again, under the same id. Deliveries write no events, because events cause deliveries.
 */

const growth: Growth = { firstMs: 1_000, longestMs: 3_600_000 };
/** Events that are read for the next one. */
const pageSize = 50;
/** No mail is being collected for. */
const noDigest = { digest_from: null, digest_to: null };
/** Dead letters that a subscription keeps: the newest. */
const mostDeadLetters = 100;

/** A subscription that has something to do, perhaps. */
export interface Candidate {
  readonly id: number;
  readonly project_id: number | null;
  readonly kind: 'webhook' | 'mail';
  readonly position: number;
  /** How long until it may be tried. */
  readonly waitMs: number;
}

/** The subscriptions that are not paused. */
export const activeSubscriptions = async (context: Pick<RequestContext, 'read'>): Promise<Candidate[]> => {
  const rows = await context.read(({ tx }) =>
    tx
      .selectFrom('subscriptions')
      .select(['id', 'project_id', 'kind', 'position', 'retry_at'])
      .where('state', '=', 'active')
      .execute(),
  );
  const now = steadyNow();
  return rows.map(({ retry_at, ...row }) => ({
    ...row,
    waitMs: Math.max(0, dueAt(retry_at, now, growth.longestMs) - now),
  }));
};

/** What a subscription is to be sent next. */
export interface NextDelivery {
  readonly subscription: Subscription;
  /** In order. Empty: nothing up to `upTo` is for it. */
  readonly events: readonly EventView[];
  readonly upTo: number;
  /** Everything up to the settled event was read. */
  readonly isEnd: boolean;
  /** Events up to this one were deleted before it had come to them; null: none were. */
  readonly lostUpTo: number | null;
}

/** Reads on after the last event that is done; null: the subscription is paused, or gone. */
export const nextDelivery = (
  context: Pick<RequestContext, 'read'>,
  { id, after, settled }: { readonly id: number; readonly after: number; readonly settled: number },
): Promise<NextDelivery | null> =>
  context.read(async (op) => {
    const subscription = await subscriptionById(op, id);
    if (subscription?.state !== 'active') return null;
    const from = Math.max(subscription.position, after);
    const pruned = await prunedUpTo(op.tx);
    const filter = filterOf(subscription);
    const page = await listEvents({ ...op, caller: ownerOf(subscription) }, eventFilterOf(filter), {
      after: from,
      settled,
      limit: pageSize,
    });
    const { types } = filter;
    return {
      subscription,
      events: page.events.filter(
        (event) => (types === undefined || types.includes(event.type)) && !isAbout(event, subscription),
      ),
      upTo: page.next ?? Math.max(from, settled),
      isEnd: page.next === null,
      lostUpTo: pruned > from ? pruned : null,
    };
  });

/** No subscription gets events about itself: what it causes would cause the next. */
const isAbout = ({ type, detail }: EventView, { label }: Subscription): boolean =>
  type.startsWith('subscription_') && detail['subscription'] === label;

/** Nothing up to an event is for these subscriptions. */
export const passOver = (
  context: Pick<RequestContext, 'write'>,
  lease: Lease,
  ids: readonly number[],
  upTo: number,
): Promise<void> =>
  context.write(async (op) => {
    await requireLease(op, lease);
    await op.tx
      .updateTable('subscriptions')
      .set({ position: upTo })
      .where('id', 'in', ids)
      .where('position', '<', upTo)
      .execute();
  });

/** Some of what is deleted may have been for it: that is not passed over in silence. */
export const recordLoss = (
  context: Pick<RequestContext, 'write'>,
  lease: Lease,
  { id }: Subscription,
  upTo: number,
): Promise<void> =>
  context.write(async (op) => {
    await requireLease(op, lease);
    await op.tx
      .updateTable('subscriptions')
      .set({ position: upTo, lost_up_to: upTo, ...noDigest })
      .where('id', '=', id)
      .where('position', '<', upTo)
      .execute();
  });

/** The receiver took these events, the last of which is given. */
export const recordDelivery = (
  context: Pick<RequestContext, 'write'>,
  lease: Lease,
  { id }: Subscription,
  { last, count }: { readonly last: EventView; readonly count: number },
  { result }: DeliveryResult,
): Promise<void> =>
  context.write(async (op) => {
    await requireLease(op, lease);
    await op.tx
      .updateTable('subscriptions')
      .set(({ eb }) => ({
        position: last.id,
        attempts: 0,
        retry_at: 0,
        ...noDigest,
        delivered: eb('delivered', '+', count),
        last_at: Date.now(),
        last_result: result,
      }))
      .where('id', '=', id)
      .where('position', '<', last.id)
      .execute();
  });

/** The receiver did not take it: it is tried again later, or never again if the receiver says so. */
export const recordFailure = (
  context: Pick<RequestContext, 'write'>,
  lease: Lease,
  subscription: Subscription,
  outcome: DeliveryResult,
): Promise<void> =>
  context.write(async (op) => {
    await requireLease(op, lease);
    const { id, label, attempts } = subscription;
    const because = outcome.kind === 'gone' ? outcome.because : null;
    const updated = await op.tx
      .updateTable('subscriptions')
      .set({
        attempts: attempts + 1,
        retry_at: steadyNow() + pauseAfter(attempts, growth),
        last_at: Date.now(),
        last_result: outcome.result,
        ...(because === null ? {} : { state: 'paused' as const, paused_because: because }),
      })
      .where('id', '=', id)
      // Somebody may have paused it, or changed where it goes, since it was sent.
      .where('state', '=', 'active')
      .where('attempts', '=', attempts)
      .returning('id')
      .execute();
    if (because !== null && updated.length > 0) {
      op.record({
        type: 'subscription_paused',
        projects: audienceOf(subscription),
        detail: { subscription: label, reason: because },
      });
    }
  });

/**
 * After a failure: events that are too old by now become dead letters, so that those behind them get their turn. Answers
 * whether there may be more of them.
 */
export const giveUpOld = async (
  context: Pick<RequestContext, 'read' | 'write'>,
  lease: Lease,
  where: { readonly id: number; readonly after: number; readonly settled: number; readonly giveUpMs: number },
): Promise<boolean> => {
  const next = await nextDelivery(context, where);
  if (next === null) return false;
  const oldest = Date.now() - where.giveUpMs;
  const young = next.events.findIndex(({ at }) => Date.parse(at) > oldest);
  const old = young === -1 ? next.events : next.events.slice(0, young);
  if (old.length === 0) return false;
  await context.write(async (op) => {
    await requireLease(op, lease);
    await bury(op, next.subscription, old);
  });
  return young === -1 && !next.isEnd;
};

/** The relay will never take this mail: its events become dead letters at once, and the next get their turn. */
export const recordRefusal = (
  context: Pick<RequestContext, 'write'>,
  lease: Lease,
  subscription: Subscription,
  events: readonly EventView[],
  { result }: DeliveryResult,
): Promise<void> =>
  context.write(async (op) => {
    await requireLease(op, lease);
    await op.tx
      .updateTable('subscriptions')
      .set({ attempts: 0, retry_at: 0, last_at: Date.now(), last_result: result })
      .where('id', '=', subscription.id)
      .where('state', '=', 'active')
      .execute();
    await bury(op, { ...subscription, last_result: result }, events);
  });

const bury = async (op: WriteOp, subscription: Subscription, events: readonly EventView[]): Promise<void> => {
  const last = events.at(-1);
  if (last === undefined) return;
  const { id, label, last_result } = subscription;
  const updated = await op.tx
    .updateTable('subscriptions')
    .set(({ eb }) => ({ position: last.id, given_up: eb('given_up', '+', events.length), ...noDigest }))
    .where('id', '=', id)
    .where('position', '<', events[0]?.id ?? 0)
    .returning('id')
    .execute();
  if (updated.length === 0) return;
  const reason = last_result ?? '';
  const died_at = Date.now();
  await op.tx
    .insertInto('dead_letters')
    .values(
      events.slice(-mostDeadLetters).map((event) => ({
        subscription_id: id,
        event_id: event.id,
        body: JSON.stringify(event),
        reason,
        died_at,
      })),
    )
    .execute();
  await forgetOldest(op, id);
  // Dead letters about dead letters would go on for ever between two subscriptions.
  if (events.every(({ type }) => type === 'subscription_dead_letters')) return;
  op.record({
    type: 'subscription_dead_letters',
    projects: audienceOf(subscription),
    detail: { subscription: label, count: events.length, first: events[0]?.id, last: last.id, reason },
  });
};

const forgetOldest = async ({ tx }: WriteOp, id: number): Promise<void> => {
  const [surplus] = await tx
    .selectFrom('dead_letters')
    .select('id')
    .where('subscription_id', '=', id)
    .orderBy('id', 'desc')
    .offset(mostDeadLetters)
    .limit(1)
    .execute();
  if (surplus === undefined) return;
  await tx.deleteFrom('dead_letters').where('subscription_id', '=', id).where('id', '<=', surplus.id).execute();
};

/** The event before which nothing waits to be delivered; null: nothing waits. */
export const oldestPosition = async (context: Pick<RequestContext, 'read'>): Promise<number | null> => {
  const active = await activeSubscriptions(context);
  return active.length === 0 ? null : Math.min(...active.map(({ position }) => position));
};
