import { HttpClient } from '@corral/base/http/http-client';
import { HttpFault } from '@corral/base/http/http-fault';
import type { SessionLimits } from '../switch-contract.ts';
import type { HttpTarget } from './http-fields.ts';

/** What a switch answered. */
export interface SwitchHttpResponse {
  readonly status: number;
  readonly text: string;
}

/** What a switch is asked. */
export interface SwitchHttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** It only asks, whatever its method may do elsewhere. */
  readonly isQuestion?: true;
  /** What the switch answers when it has made the change; nothing if not given. */
  readonly done?: string;
  /** The body as it may be shown, where there is a secret in it. */
  readonly shown?: string;
}

/** A line to a switch over HTTP. */
export interface SwitchHttp {
  ask(request: SwitchHttpRequest, signal: AbortSignal): Promise<SwitchHttpResponse>;
  close(): Promise<void>;
}

const largestAnswer = 16 * 1024 * 1024;

/**
 * A line to one switch over HTTP: one connection, kept open. How long to wait is the signal's business alone; what was
 * given up is not sent any more; redirects are not followed, so credentials go nowhere else.
 */
export class SwitchHttpClient implements SwitchHttp {
  readonly #http: HttpClient;
  readonly #target: HttpTarget;
  readonly #limits: SessionLimits;

  /** It connects when it is asked. */
  constructor(target: HttpTarget, limits: SessionLimits = {}) {
    this.#target = target;
    this.#limits = limits;
    const outbound = limits.outbound ?? null;
    this.#http = new HttpClient({ trust: target, outbound, largestAnswer, connections: 1, keepAlive: true });
  }

  /** Asks, and gives any answer but those that concern the connection itself: a refused login, or a redirect. */
  async ask({ method, path, headers, body }: SwitchHttpRequest, signal: AbortSignal): Promise<SwitchHttpResponse> {
    const { origin, username, password } = this.#target;
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const check = this.#limits.permit?.check;
    const request = { method, origin, path, headers: { ...headers, authorization }, body, check };
    const { status, text } = await this.#http.request(request, signal).catch((error: unknown) => {
      if (!(error instanceof HttpFault)) throw error;
      if (error.kind === 'refused address') throw error.cause;
      if (signal.aborted) throw new Error(`the switch did not answer ${method} ${path} in time`, { cause: error });
      throw new Error(`the connection to the switch was lost: ${error.details}`, { cause: error });
    });
    if (status === 401 || status === 403) throw new Error(`the switch rejects the login (HTTP ${status})`);
    if (status < 200 || (status >= 300 && status < 400))
      throw new Error(`the switch redirects (HTTP ${status}), which is not followed`);
    return { status, text };
  }

  /** Closes the connection immediately, whatever is in progress. */
  close(): Promise<void> {
    return this.#http.close();
  }
}
