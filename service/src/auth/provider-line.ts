import type * as undici from 'undici';
import { CorralError } from '../core/errors.ts';

/** How an identity provider is reached. */
export interface ProviderAddress {
  /** PEM of the authority that its certificate is from; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly timeoutMs: number;
}

export interface ProviderLineOptions extends ProviderAddress {
  readonly largestAnswer: number;
  /** Are connections kept for the next question? One to who is seldom asked would be closed by then. */
  readonly keeps: boolean;
  /** What callers are told when it gives no answer. */
  readonly unanswered: (silence: Silence) => CorralError;
}

/** Why there is no answer; the code is for the log. */
export interface Silence {
  readonly kind: 'late' | 'too long' | 'not trusted' | 'not reached';
  readonly code: string;
}

/** What is asked of a provider. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

/** What it answered, read to its end. */
export interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Loaded {
  readonly request: typeof undici.request;
  readonly agent: undici.Agent;
}

/** Anybody may make the service ask. */
const mostConnections = 16;

/** The way to an identity provider: in time, of bounded size, and never to where a redirect points. */
export class ProviderLine {
  readonly #options: ProviderLineOptions;
  #loaded: Promise<Loaded> | null = null;

  constructor(options: ProviderLineOptions) {
    this.#options = options;
  }

  /** Gives work as long as the provider has. */
  async inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    try {
      return await unlessAborted(work(signal), signal);
    } catch (error) {
      // What undici threw stays here: it can hold what was sent. Only its code goes on.
      throw error instanceof CorralError ? error : this.#options.unanswered(silenceOf(error));
    }
  }

  /** A kept connection may be closed just then; what is asked over one does no harm twice. */
  async ask(url: string, ask: Ask, signal: AbortSignal): Promise<Heard> {
    try {
      return await this.#askOnce(url, ask, signal);
    } catch (error) {
      if (!this.#options.keeps || signal.aborted || !hungUp.includes(codeOf(error))) throw error;
      return this.#askOnce(url, ask, signal);
    }
  }

  async close(): Promise<void> {
    if (this.#loaded === null) return;
    await (await this.#loaded).agent.destroy();
  }

  async #askOnce(url: string, { method, headers, body }: Ask, signal: AbortSignal): Promise<Heard> {
    const { request, agent } = await (this.#loaded ??= this.#load());
    // Nothing compressed: a short answer could become a very long one.
    const asked = { ...headers, 'accept-encoding': 'identity' };
    const reply = await request(url, { dispatcher: agent, method, headers: asked, body: body ?? null, signal });
    return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
  }

  /** At the first question: it is a tenth of the time to start. */
  async #load(): Promise<Loaded> {
    const { Agent, request } = await import('undici');
    const { ca, timeoutMs, largestAnswer, keeps } = this.#options;
    const agent = new Agent({
      connect: { timeout: timeoutMs, ...(ca === null ? {} : { ca }) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connections: mostConnections,
      maxResponseSize: largestAnswer,
      pipelining: keeps ? 1 : 0,
    });
    return { request, agent };
  }
}

/** undici hears an abort only once a request is on the wire; nobody should wait in its queue for that. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('too late', 'TimeoutError')), { once: true });
    work.then(resolve, reject);
  });

const hungUp: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
const timeouts = ['TimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
/** How Node.js calls what is wrong with a certificate. */
const untrusted = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|INVALID_CA|ERR_TLS_CERT_)/;

const silenceOf = (error: unknown): Silence => {
  const code = codeOf(error);
  if (timeouts.includes(code)) return { kind: 'late', code };
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return { kind: 'too long', code };
  return { kind: untrusted.test(code) ? 'not trusted' : 'not reached', code };
};

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return /^\w{1,64}$/.test(code) ? code : 'unknown';
};
