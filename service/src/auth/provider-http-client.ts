import { withDeadline } from '@corral/base/abort';
import { HttpClient, type HttpRequest, type HttpResponse, describeOrigin } from '@corral/base/http/http-client';
import { type HttpFault, httpFaultOf } from '@corral/base/http/http-fault';
import { CorralError } from '../core/corral-error.ts';

/** How an identity provider is reached. */
export interface ProviderAddress {
  /** PEM of the authority that its certificate is from; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly timeoutMs: number;
}

export interface ProviderHttpOptions extends ProviderAddress {
  readonly largestAnswer: number;
  /** Are connections kept for the next question? One to who is seldom asked would be closed by then. */
  readonly keepAlive: boolean;
  /** The error for callers when it does not answer. */
  readonly unanswered: (fault: HttpFault) => CorralError;
}

/** What is asked of a provider. */
export type ProviderRequest = Required<Pick<HttpRequest, 'method' | 'headers'>> & Pick<HttpRequest, 'body'>;

/** Anybody may make the service ask. */
const connections = 16;
const hungUp: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** The way to an identity provider: in time, of bounded size, and never to where a redirect points. */
export class ProviderHttpClient {
  readonly #options: ProviderHttpOptions;
  readonly #http: HttpClient;

  constructor(options: ProviderHttpOptions) {
    this.#options = options;
    const { ca, largestAnswer, keepAlive } = options;
    this.#http = new HttpClient({
      trust: { ca: ca ?? undefined },
      outbound: null,
      largestAnswer,
      connections,
      keepAlive,
    });
  }

  /** Gives work as long as the provider has. */
  inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline({ ms: this.#options.timeoutMs }, work).catch((error: unknown) => {
      // What was thrown stays here: it can hold what was sent. Only its code goes on.
      throw error instanceof CorralError ? error : this.#options.unanswered(httpFaultOf(error));
    });
  }

  /** A kept connection may be closed just then; what is asked over one does no harm twice. */
  async ask(url: string, ask: ProviderRequest, signal: AbortSignal): Promise<HttpResponse> {
    const request = { ...describeOrigin(new URL(url)), ...ask };
    return this.#http.request(request, signal).catch((error: unknown) => {
      const mayRepeat = this.#options.keepAlive && !signal.aborted && hungUp.includes(httpFaultOf(error).code);
      if (!mayRepeat) throw error;
      return this.#http.request(request, signal);
    });
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}
