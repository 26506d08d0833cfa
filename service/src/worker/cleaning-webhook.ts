import { randomBytes } from 'node:crypto';
import type { HttpClient } from '@corral/base/http/http-client';
import { httpFaultOf } from '@corral/base/http/http-fault';
import { isRedirect, isTaken, postJson } from '@corral/base/http/post-json';
import type { CleaningConfig } from '../config/cleaning-config.ts';
import { withToken } from '../core/cleaning-result.ts';
import { requireLease } from '../core/leases.ts';
import { newSecret } from '../core/token-secret.ts';
import { signedHeaders } from '../core/webhook-message.ts';
import { type Attempt, findCleaned, type Verdict } from './cleaning-attempt.ts';

const timeoutMs = 10_000;
/** Stored as the progress of a step whose service has confirmed. */
const confirmed = JSON.stringify('confirmed');

type Webhook = Extract<CleaningConfig['steps'][number], { kind: 'webhook' }>;

/** Has a service of the site clean a node: asks until it confirms, and then waits for its result. */
export const callWebhook = async (attempt: Attempt, { url }: Webhook, http: HttpClient): Promise<Verdict> => {
  const waiting = { kind: 'waiting', sentence: 'the service was asked, and has not reported a result' } as const;
  if (attempt.step.progress === confirmed) return waiting;
  const failure = await askService(attempt, { url, progress: confirmed }, http);
  return failure === null ? waiting : { kind: 'later', sentence: `the service could not be asked: ${failure}` };
};

/** What a service is asked beside what every one is, and what is stored once it has confirmed. */
interface Question {
  readonly url: string;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly progress: string;
}

/** Asks a service to do the step, with a token for its result. null when it confirmed; otherwise why it did not. */
export const askService = async (
  attempt: Attempt,
  { url, more = {}, progress }: Question,
  http: HttpClient,
): Promise<string | null> => {
  const { context, cleaning, step, rules } = attempt;
  const token = newSecret();
  await context.write(async (op) => {
    await requireLease(op, attempt.held.lease);
    await findCleaned(op, attempt);
    await op.tx
      .updateTable('cleaning_steps')
      .set({ token_hashes: withToken(step.token_hashes, token) })
      .where('id', '=', step.id)
      .execute();
  });
  attempt.moment('cleaning token made');
  const request = {
    cleaning: cleaning.label,
    node: cleaning.node,
    step: step.name,
    token,
    url: new URL(`/v0/cleaning/${cleaning.label}/result`, rules.publicUrl ?? 'http://localhost').href,
    ...more,
  };
  const failure = await send(attempt, url, request, http);
  attempt.moment('cleaning webhook sent');
  if (failure !== null) return failure;
  // A result may have come already: then this finds the step over, and changes nothing.
  await context.write(async (op) => {
    await requireLease(op, attempt.held.lease);
    await findCleaned(op, attempt);
    await op.tx.updateTable('cleaning_steps').set({ progress }).where('id', '=', step.id).execute();
  });
  return null;
};

/** null when the service confirmed; otherwise why it did not. */
const send = async (attempt: Attempt, url: string, order: object, http: HttpClient): Promise<string | null> => {
  try {
    const body = JSON.stringify(order);
    const post = { url, body, headers: signatures(attempt, body), check: attempt.held.check };
    const status = await postJson(http, post, { ms: timeoutMs, signals: [attempt.signal] });
    if (isTaken(status)) return null;
    return isRedirect(status) ? `it redirects (status ${status}), which is not followed` : `it answered ${status}`;
  } catch (error) {
    return httpFaultOf(error).details;
  }
};

/** Every request has a token of its own, and so it has an id of its own. */
const signatures = ({ rules: { webhookSecrets } }: Attempt, body: string): Readonly<Record<string, string>> =>
  webhookSecrets.length === 0
    ? {}
    : signedHeaders({ id: `msg_${randomBytes(12).toString('hex')}`, body }, webhookSecrets, new Date());
