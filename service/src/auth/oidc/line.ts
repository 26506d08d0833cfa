import type * as undici from 'undici';
import { isLoopback } from '@corral/base/http/loopback';
import { unavailable } from '../../core/errors.ts';

export interface LineOptions {
  readonly issuer: string;
  /** PEM of the authority that its certificate is from; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly timeoutMs: number;
}

/** What is asked of the provider. */
interface Ask {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

interface Loaded {
  readonly request: typeof undici.request;
  readonly agent: undici.Agent;
}

const largestAnswer = 1024 * 1024;
const mostConnections = 16;

/** The way to the identity provider: in time, of bounded size, without redirects, encrypted unless it is this machine. */
export class ProviderLine {
  readonly #options: LineOptions;
  #loaded: Promise<Loaded> | null = null;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** The answer, read to its end; no answer is an UnavailableError. */
  async ask(url: string, { method, headers, body }: Ask): Promise<Response> {
    if (!isSafeAddress(url)) throw untrustworthy(this.#options.issuer, `names an address that is not https: ${url}`);
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    try {
      return await unlessAborted(this.#exchange(url, { method, headers, body: body ?? null }, signal), signal);
    } catch (error) {
      throw this.#unanswered(error);
    }
  }

  async close(): Promise<void> {
    if (this.#loaded === null) return;
    await (await this.#loaded).agent.destroy();
  }

  async #exchange(url: string, { method, headers, body }: Required<Ask>, signal: AbortSignal): Promise<Response> {
    const { request, agent } = await (this.#loaded ??= this.#load());
    const isKnown = method === 'GET' || method === 'POST';
    if (!isKnown) throw new Error(`a provider is never asked with ${method}`);
    // Nothing compressed: a short answer could become a very long one.
    const asked = { ...headers, 'accept-encoding': 'identity' };
    const reply = await request(url, { dispatcher: agent, method, headers: asked, body, signal });
    const type = reply.headers['content-type'];
    const text = await reply.body.text();
    return new Response(text === '' ? null : text, {
      status: reply.statusCode,
      headers: typeof type === 'string' ? { 'content-type': type } : {},
    });
  }

  async #load(): Promise<Loaded> {
    const { Agent, request } = await import('undici');
    const { ca, timeoutMs } = this.#options;
    const agent = new Agent({
      connect: { timeout: timeoutMs, ...(ca === null ? {} : { ca }) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      // Anybody may begin to log in.
      connections: mostConnections,
      maxResponseSize: largestAnswer,
      // It is asked seldom: a connection that is kept would be one that was closed meanwhile.
      pipelining: 0,
    });
    return { request, agent };
  }

  /** What undici threw stays here: it can hold what was sent. Only its code goes on, and only to the log. */
  #unanswered(error: unknown) {
    const code = codeOf(error);
    const { issuer, timeoutMs } = this.#options;
    const options = { cause: new Error(`the identity provider: ${code}`) };
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
      return untrustworthy(issuer, `answers with more than ${largestAnswer} bytes`);
    if (timeouts.includes(code)) {
      return unavailable(
        `the identity provider ${issuer} did not answer within ${timeoutMs / 1000} s; try again`,
        options,
      );
    }
    if (untrusted.test(code)) {
      return unavailable(
        `the certificate of the identity provider ${issuer} is not trusted here; an administrator has to set oidc.ca`,
        options,
      );
    }
    return unavailable(`the identity provider ${issuer} cannot be reached; try again later`, options);
  }
}

/** May a secret go there, and may what comes from there be believed? */
export const isSafeAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')));
};

/** The provider said something that it should not have; what, is for the log. */
export const untrustworthy = (issuer: string, details: string) =>
  unavailable(
    `the identity provider ${issuer} gave an answer that makes no sense; an administrator has to check it, and oidc.issuer`,
    { cause: new Error(`the identity provider ${details}`) },
  );

/** undici hears an abort only once a request is on the wire; nobody should wait in its queue for that. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('too late', 'TimeoutError')), { once: true });
    work.then(resolve, reject);
  });

const timeouts = ['TimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
/** How Node.js calls what is wrong with a certificate. */
const untrusted = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|INVALID_CA|ERR_TLS_CERT_)/;

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return /^\w{1,64}$/.test(code) ? code : 'unknown';
};
