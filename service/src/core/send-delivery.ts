import type { EventView } from './audit.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { RequestDependencies } from './dependencies.ts';
import { mailAbout, type MailReason, testMail } from './mail-message.ts';
import { mailTargetOf, type Subscription, targetOf } from './subscription-records.ts';
import { messageAbout, testMessage } from './webhook-message.ts';

type Senders = Pick<RequestDependencies, 'webhooks' | 'mail' | 'vault'>;

/** What is sent: events, in order, or a message that is about nothing. A webhook is sent one event at a time. */
export type Sent = readonly [EventView, ...EventView[]] | 'test';

/** Sends something to where a subscription goes, once. */
export const sendDelivery = (
  { webhooks, mail, vault }: Senders,
  subscription: Subscription,
  sent: Sent,
  signals: readonly AbortSignal[] = [],
): Promise<DeliveryResult> => {
  const { uid, label, kind } = subscription;
  if (kind === 'webhook') {
    const message = sent === 'test' ? testMessage(uid, label) : messageAbout(uid, sent[0]);
    return webhooks.send(targetOf(subscription, vault), message, signals);
  }
  const target = mailTargetOf(subscription, vault);
  if (target.because !== null) {
    return Promise.resolve({
      kind: 'gone',
      result: `is not to be sent mail: ${target.because}`,
      because: target.because,
    });
  }
  if (mail === null) return Promise.resolve({ kind: 'failed', result: 'is not known any more: mail.host is not set' });
  const reason: MailReason = {
    subscription: label,
    uid,
    project: subscription.project,
    user: subscription.user,
    to: target.address,
  };
  return mail.send(sent === 'test' ? testMail(reason) : mailAbout(reason, sent), signals);
};
