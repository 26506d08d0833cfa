import { HttpClient } from '@corral/base/http/http-client';
import { HttpFault } from '@corral/base/http/http-fault';
import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import type { BmcError, BmcPermit } from '../bmc-contract.ts';
import { notPermitted } from '../permitted-address.ts';
import { noCertificate, noConnection, notInTime, notRedfish, otherCertificate, untrusted } from './redfish-errors.ts';
import type { RedfishTarget } from './redfish-target.ts';

/** What a BMC is asked. */
export interface RedfishRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** On the registered host, as every request. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What it answered, unread. */
export interface RedfishResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** Far more than a system shows, and little enough for a thousand BMCs at once. */
const largestAnswer = 1024 * 1024;

/**
 * A line to one BMC: one connection, kept open for some seconds, and opened again when it is needed. How long to
 * wait is the signal's business alone. Redirects are answers like others here.
 */
export class RedfishHttpClient {
  readonly #target: RedfishTarget;
  readonly #outbound: Outbound;
  readonly #check: () => void;
  #http: HttpClient;

  constructor(target: RedfishTarget, outbound: Outbound, permit?: BmcPermit) {
    this.#target = target;
    this.#outbound = outbound;
    this.#check = () => permit?.check();
    this.#http = this.#newClient();
  }

  /** Asks once. */
  async send({ method, path, headers, body }: RedfishRequest, signal: AbortSignal): Promise<RedfishResponse> {
    const { origin, ca, fingerprint } = this.#target;
    if (origin.startsWith('http:') && (ca !== undefined || fingerprint !== undefined)) throw noCertificate();
    const request = {
      method,
      origin,
      path,
      headers: {
        accept: 'application/json',
        'odata-version': '4.0',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      check: this.#check,
    };
    const answer = await this.#http.request(request, signal).catch((error: unknown) => {
      if (!(error instanceof HttpFault)) throw error;
      throw signal.aborted ? notInTime(error) : faultOf(error);
    });
    return { status: answer.status, header: (name) => [answer.headers[name]].flat()[0], text: answer.text };
  }

  /** Closes the connection immediately, whatever is in progress. The next request opens it again. */
  close(): Promise<void> {
    const before = this.#http;
    this.#http = this.#newClient();
    return before.close();
  }

  #newClient(): HttpClient {
    const [trust, outbound] = [this.#target, this.#outbound];
    return new HttpClient({ trust, outbound, largestAnswer, connections: 1, keepAlive: true });
  }
}

const faultOf = (fault: HttpFault): BmcError => {
  const { kind, cause } = fault;
  if (cause instanceof AddressRefused) return notPermitted(cause);
  if (kind === 'other certificate') return otherCertificate(cause);
  if (kind === 'untrusted') return untrusted(cause);
  return kind === 'nonsense' || kind === 'too long' ? notRedfish(cause) : noConnection(cause);
};
