import { HttpClient } from '@corral/base/http/http-client';
import { type HttpFault, httpFaultOf } from '@corral/base/http/http-fault';
import type { Outbound } from '@corral/base/http/outbound';
import { isRedirect, isTaken, postJson } from '@corral/base/http/post-json';
import type { DeliveryResult } from './delivery-result.ts';
import { signedHeaders, type WebhookMessage } from './webhook-message.ts';

/** Where messages of a subscription go, and what signs them. */
export interface WebhookTarget {
  readonly url: string;
  readonly secrets: readonly string[];
  /** Whose rules about places count. */
  readonly owner: 'site' | 'project';
}

export interface WebhookSenderOptions {
  /** Where subscriptions of the site may deliver to. */
  readonly outbound: Outbound;
  /** Where those of projects may; null: nowhere. */
  readonly projectTargets: Outbound | null;
  readonly timeoutMs: number;
  readonly ca: string | null;
}

/** To one place at a time; more than the worker ever sends at once. */
const connections = 64;

/** Sends messages to receivers. */
export class WebhookSender {
  readonly #timeoutMs: number;
  readonly #clients: Readonly<Record<WebhookTarget['owner'], HttpClient | null>>;

  constructor({ outbound, projectTargets, timeoutMs, ca }: WebhookSenderOptions) {
    const clientFor = (places: Outbound): HttpClient =>
      new HttpClient({
        outbound: places,
        trust: { ca: ca ?? undefined },
        // Nothing of an answer is read but how it begins.
        largestAnswer: -1,
        connections,
        keepAlive: false,
      });
    this.#timeoutMs = timeoutMs;
    this.#clients = {
      site: clientFor(outbound),
      project: projectTargets === null ? null : clientFor(projectTargets),
    };
  }

  /** Sends a message once. Never throws. */
  async send(
    { url, secrets, owner }: WebhookTarget,
    message: WebhookMessage,
    signals: readonly AbortSignal[] = [],
  ): Promise<DeliveryResult> {
    const http = this.#clients[owner];
    if (http === null) return { kind: 'failed', result: 'subscriptions of projects are not allowed here any more' };
    try {
      const headers = { 'user-agent': 'corral', ...signedHeaders(message, secrets, new Date()) };
      const status = await postJson(http, { url, headers, body: message.body }, { ms: this.#timeoutMs, signals });
      if (isTaken(status)) return { kind: 'delivered', result: `answered ${status}` };
      if (status === 410) return { kind: 'gone', result: 'answered 410', because: 'the receiver answered 410 (Gone)' };
      const why = isRedirect(status) ? ', a redirect, which is not followed' : '';
      return { kind: 'failed', result: `answered ${status}${why}` };
    } catch (error) {
      return { kind: 'failed', result: sentenceOf(httpFaultOf(error), owner, this.#timeoutMs) };
    }
  }

  async close(): Promise<void> {
    await this.#clients.site?.close();
    await this.#clients.project?.close();
  }
}

/** What resolvers say of names without addresses, or without an answer. */
const unresolved = /^(?:ENOTFOUND|ENODATA|EAI_\w+)$/;

/**
 * Without the fault's own words, which may contain the URL, or addresses that are nobody's business. Which names there
 * are inside the site is nobody's business either: of places where no project may go, members hear the same as of none.
 */
const sentenceOf = ({ kind, code }: HttpFault, owner: WebhookTarget['owner'], timeoutMs: number): string => {
  if (owner === 'project' && (kind === 'refused address' || unresolved.test(code))) {
    return 'has no address where webhooks may go';
  }
  if (kind === 'late') return `did not answer within ${timeoutMs / 1000} s`;
  if (kind === 'untrusted') return `has a certificate that is not trusted (${code})`;
  if (kind === 'refused address') return 'is at an address where webhooks may not go';
  if (kind === 'nonsense') return `does not speak HTTP (${code})`;
  return `could not be reached (${code})`;
};
