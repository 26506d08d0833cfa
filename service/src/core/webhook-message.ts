import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** What a receiver is sent. The id is the same however often it is. */
export interface WebhookMessage {
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** A secret in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Part of the ids of all messages of a subscription. */
export const newSubscriptionUid = (): string => randomBytes(9).toString('base64url').replaceAll(/[-_]/g, 'x');

/** What names an event in a message; all of it is sent. */
interface SentEvent {
  readonly id: number;
  readonly at: string;
  readonly type: string;
}

/** The message about an event. A database that was restored gives ids of events anew, but not with the same time. */
export const messageAbout = (uid: string, event: SentEvent): WebhookMessage => ({
  id: `msg_${uid}_${event.id}_${Date.parse(event.at).toString(36)}`,
  body: JSON.stringify({ type: event.type, timestamp: event.at, data: event }),
});

/** A message by which somebody tries a receiver. */
export const testMessage = (uid: string, subscription: string): WebhookMessage => ({
  id: `msg_${uid}_test_${randomBytes(6).toString('hex')}`,
  body: JSON.stringify({
    type: 'subscription_test',
    timestamp: new Date().toISOString(),
    data: { subscription },
  }),
});

/** The headers of a message, signed with each of the secrets. */
export const signedHeaders = (
  { id, body }: WebhookMessage,
  secrets: readonly string[],
  at: Date,
): Readonly<Record<string, string>> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
});
