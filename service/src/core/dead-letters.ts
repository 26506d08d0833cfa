import type { EventView } from './audit.ts';
import { isAdmin } from './caller.ts';
import { notFound, tooMany } from './corral-error.ts';
import type { ReadOp, RequestContext } from './request-context.ts';
import { type Sent, sendDelivery } from './send-delivery.ts';
import { findSubscription, requireOwnMail, type Subscription } from './subscription-records.ts';

export interface DeadLetterView {
  readonly dead_letter: number;
  readonly event: EventView;
  readonly reason: string;
  readonly died_at: string;
}

/** What could not be delivered, oldest first. */
export const listDeadLetters = async (op: ReadOp, args: { subscription: string }): Promise<DeadLetterView[]> => {
  const { id } = await findSubscription(op, args.subscription);
  const rows = await op.tx
    .selectFrom('dead_letters')
    .selectAll()
    .where('subscription_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    dead_letter: row.id,
    event: eventIn(row),
    reason: row.reason,
    died_at: new Date(row.died_at).toISOString(),
  }));
};

const eventIn = ({ body }: { readonly body: string }): EventView => JSON.parse(body) as EventView;

/** How an attempt ended that somebody asked for. */
export interface Attempt {
  readonly delivered: boolean;
  readonly result: string;
}

const attempt = async (context: RequestContext, subscription: Subscription, sent: Sent): Promise<Attempt> => {
  requireFewTrials(context, subscription);
  const { kind, result } = await sendDelivery(context.dependencies, subscription, sent);
  return { delivered: kind === 'delivered', result };
};

/** The relay is the site's: no member floods it, not even with mail to themselves. */
const requireFewTrials = (
  { caller, dependencies: { mail } }: RequestContext,
  { user_id, label }: Subscription,
): void => {
  if (user_id === null || isAdmin(caller)) return;
  const seconds = mail?.waitForTrial(user_id) ?? 0;
  if (seconds > 0) throw tooMany(`subscription ${label} was tried too often; wait a moment`, seconds);
};

/** Sends a message that is about nothing, now, whatever the state of the subscription is. */
export const subscriptionTest = async (context: RequestContext, args: { subscription: string }): Promise<Attempt> => {
  const row = await context.read((op) => findSubscription(op, args.subscription));
  requireOwnMail(context.caller, row);
  return attempt(context, row, 'test');
};

interface Resend {
  readonly subscription: string;
  readonly dead_letter: number;
}

/** Sends a dead letter once more, now. It is one no longer if the receiver took it. */
export const subscriptionResend = async (context: RequestContext, args: Resend): Promise<Attempt> => {
  const { row, letter } = await context.read(async (op) => {
    const found = await findSubscription(op, args.subscription);
    requireOwnMail(op.caller, found);
    const dead = await op.tx
      .selectFrom('dead_letters')
      .selectAll()
      .where('id', '=', args.dead_letter)
      .where('subscription_id', '=', found.id)
      .executeTakeFirst();
    if (dead === undefined) {
      throw notFound(`dead letter ${args.dead_letter} of subscription ${args.subscription} does not exist`);
    }
    return { row: found, letter: dead };
  });
  const made = await attempt(context, row, [eventIn(letter)]);
  // It was sent, whatever became of the caller's rights meanwhile.
  await context.writeOutcome(async ({ tx }) => {
    if (made.delivered) await tx.deleteFrom('dead_letters').where('id', '=', letter.id).execute();
    else await tx.updateTable('dead_letters').set({ reason: made.result }).where('id', '=', letter.id).execute();
  });
  return made;
};
