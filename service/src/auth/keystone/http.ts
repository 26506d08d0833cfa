import type * as undici from 'undici';
import { CorralError, unavailable } from '../../core/errors.ts';

export interface KeystoneAddress {
  /** Ends in `/v3`. */
  readonly url: string;
  /** PEM of the authority that its certificate is from; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly timeoutMs: number;
}

/** What Keystone answered, read to its end. */
export interface Reply {
  readonly status: number;
  /** `X-Subject-Token`. */
  readonly token: string | null;
  readonly text: string;
}

interface Ask {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Loaded {
  readonly request: typeof undici.request;
  readonly agent: undici.Agent;
}

const largestAnswer = 256 * 1024;
const mostConnections = 16;

/** The calls about tokens, over HTTP. Redirects are not followed: credentials go to the configured address only. */
export class KeystoneHttp {
  readonly #address: KeystoneAddress;
  #loaded: Promise<Loaded> | null = null;

  constructor(address: KeystoneAddress) {
    this.#address = address;
  }

  /** Gives work as long as Keystone has; what does not answer, or not in time, is an UnavailableError. */
  async inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.#address.timeoutMs);
    try {
      return await unlessAborted(work(signal), signal);
    } catch (error) {
      throw error instanceof CorralError ? error : unanswered(this.#address.timeoutMs, error);
    }
  }

  /** Asks `/auth/tokens`. A kept connection may be closed just then: nothing that is asked here does harm twice. */
  async ask(ask: Ask, signal: AbortSignal): Promise<Reply> {
    try {
      return await this.#askOnce(ask, signal);
    } catch (error) {
      if (signal.aborted || !hungUp.includes(codeOf(error))) throw error;
      return this.#askOnce(ask, signal);
    }
  }

  async close(): Promise<void> {
    if (this.#loaded === null) return;
    await (await this.#loaded).agent.destroy();
  }

  async #askOnce(ask: Ask, signal: AbortSignal): Promise<Reply> {
    const { request, agent } = await (this.#loaded ??= this.#load());
    // The catalogue of all services can be long, and nobody reads it here.
    const url = `${this.#address.url}/auth/tokens?nocatalog`;
    const { statusCode, headers, body } = await request(url, { ...ask, dispatcher: agent, signal });
    const token = headers['x-subject-token'];
    return { status: statusCode, token: typeof token === 'string' ? token : null, text: await body.text() };
  }

  /** At the first question: it is a tenth of the time to start. */
  async #load(): Promise<Loaded> {
    const { Agent, request } = await import('undici');
    const { ca, timeoutMs } = this.#address;
    const agent = new Agent({
      connect: { timeout: timeoutMs, ...(ca === null ? {} : { ca }) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connections: mostConnections,
      maxResponseSize: largestAnswer,
    });
    return { request, agent };
  }
}

/** undici hears an abort only once a request is on the wire; nobody should wait in its queue for that. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const give = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject);
  });

const hungUp: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
/** How Node.js calls what is wrong with a certificate. */
const untrusted = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|INVALID_CA|ERR_TLS_CERT_)/;
const timeouts = ['TimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

/** What undici threw stays here: it can hold what was sent. Only its code goes on, and only to the log. */
const unanswered = (timeoutMs: number, error: unknown) => {
  const code = codeOf(error);
  const options = { cause: new Error(`Keystone: ${code}`) };
  if (timeouts.includes(code)) {
    return unavailable(
      `Keystone did not answer within ${timeoutMs / 1000} s, so tokens cannot be validated; try again`,
      options,
    );
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return misunderstood('far too much', `more than ${largestAnswer} bytes`);
  if (untrusted.test(code)) {
    return unavailable(
      "Keystone's certificate is not trusted here, so tokens cannot be validated; an administrator has to set keystone.ca",
      options,
    );
  }
  return unavailable('Keystone cannot be reached, so tokens cannot be validated; try again later', options);
};

/** Keystone said something that it should not have; the details are for the log. */
export const misunderstood = (what: string, details: string) =>
  unavailable(
    `Keystone answered ${what}, so tokens cannot be validated; an administrator has to check Keystone, and keystone.url`,
    { cause: new Error(`Keystone: ${details}`) },
  );

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return /^\w{1,64}$/.test(code) ? code : 'unknown';
};
