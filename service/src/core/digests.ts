import type { Lease } from '@corral/base/db/lease-table';
import { steadyNow } from '@corral/base/steady-clock';
import type { EventView } from './audit.ts';
import { type NextDelivery, nextDelivery } from './deliveries.ts';
import { requireLease } from './leases.ts';
import type { RequestContext } from './request-context.ts';

/*
 * A mail tells of all events of a while. The while begins with the first event that waits; when it is over, the last
 * event of the mail is stored before the first attempt, so that each attempt sends the same under the same id.
 */

/** Events that one mail tells of; the next are in another. */
const mostEvents = 1_000;
/** Pages of events that are read for one mail, of which few may be for it. */
const mostPages = 40;

interface Where {
  readonly id: number;
  readonly after: number;
  readonly settled: number;
}

/** The events of the next mail; null: they are still being collected. */
export const nextDigest = async (
  context: Pick<RequestContext, 'read' | 'write'>,
  lease: Lease,
  next: NextDelivery,
  where: Where,
  digestMs: number,
): Promise<readonly [EventView, ...EventView[]] | null> => {
  const [first] = next.events;
  if (first === undefined) return null;
  const { id, digest_from, digest_to } = next.subscription;
  if (digest_from === null && !(await beginDigest(context, lease, id, first, digestMs))) return null;
  const events = await collect(context, next, {
    id,
    settled: digest_to ?? where.settled,
    // What was collected once is collected again, to its last event.
    pages: digest_to === null ? mostPages : Infinity,
  });
  const last = events.at(-1) ?? first;
  if (digest_to === null) await storeEnd(context, lease, id, last);
  return [first, ...events.slice(1)];
};

/** Begins to collect. Answers whether that is over already: by the age of the first event, however the clock was set. */
const beginDigest = async (
  context: Pick<RequestContext, 'write'>,
  lease: Lease,
  id: number,
  first: EventView,
  digestMs: number,
): Promise<boolean> => {
  const leftMs = Math.min(digestMs, Math.max(0, Date.parse(first.at) + digestMs - Date.now()));
  await context.write(async (op) => {
    await requireLease(op, lease);
    await op.tx
      .updateTable('subscriptions')
      .set({ digest_from: first.id, ...(leftMs > 0 ? { retry_at: steadyNow() + Math.ceil(leftMs) } : {}) })
      .where('id', '=', id)
      .where('digest_from', 'is', null)
      .execute();
  });
  return leftMs <= 0;
};

const storeEnd = (context: Pick<RequestContext, 'write'>, lease: Lease, id: number, last: EventView): Promise<void> =>
  context.write(async (op) => {
    await requireLease(op, lease);
    await op.tx
      .updateTable('subscriptions')
      .set({ digest_to: last.id })
      .where('id', '=', id)
      .where('digest_from', 'is not', null)
      .execute();
  });

const collect = async (
  context: Pick<RequestContext, 'read'>,
  next: NextDelivery,
  { id, settled, pages: most }: { readonly id: number; readonly settled: number; readonly pages: number },
): Promise<EventView[]> => {
  const events: EventView[] = [];
  let page: NextDelivery | null = next;
  for (let pages = 0; page !== null && pages < most; pages += 1) {
    events.push(...page.events.filter((event) => event.id <= settled));
    if (page.isEnd || page.upTo >= settled || events.length >= mostEvents) break;
    page = await nextDelivery(context, { id, after: page.upTo, settled });
  }
  return events.slice(0, mostEvents);
};
