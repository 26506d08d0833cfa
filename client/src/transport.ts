import type { Credentials } from './credentials.ts';
import { CorralError, errorOf, ProtocolError, TimedOutError, UnreachableError } from './api-errors.ts';
import { pause, timerFor } from './pause.ts';

/** One request, before anybody's credentials are on it. */
interface Outgoing {
  readonly method: string;
  /** Below the endpoint. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** May it be made twice without harm? */
  readonly isSafe: boolean;
}

/** What is used of an answer to `fetch`. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  readonly body: {
    getReader(): {
      read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | undefined }>;
      cancel(): Promise<void>;
    };
  } | null;
}

/** What is used of `fetch`: redirects are not followed. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly redirect: 'manual';
    readonly credentials: 'same-origin';
    readonly body?: string;
  },
) => Promise<Answer>;

/** How requests are made. */
export interface Transport {
  /** The text of an answer of status 2xx; everything else is thrown. */
  ask(request: Outgoing, signal?: AbortSignal): Promise<string>;
  /** The same before it is read, for what streams. */
  open(request: Outgoing, signal?: AbortSignal): Promise<Answer>;
  /** The headers that say who is calling. */
  headers(signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/** How patient a client is. */
export interface RequestLimits {
  /** How long a call may take until its answer is there, or begins if it streams, in milliseconds; retries included. */
  readonly timeoutMs: number;
  /** How many times something that may be repeated is tried again. */
  readonly retries: number;
}

const firstPauseMs = 200;
const longestPauseMs = 10_000;
/** A service that says after longer than this that a device failed has waited for it; nobody waits for that twice. */
const quickMs = 5_000;

/** Sends requests with `fetch`: each call with a time limit, again where that is safe, refusals as errors. */
export const fetchTransport = (
  endpoint: string,
  credentials: Credentials,
  limits: RequestLimits,
  fetcher: Fetch,
): Transport => {
  const attempt = async <T>(request: Outgoing, read: Read<T>, signal: AbortSignal): Promise<T> => {
    const headers = { ...request.headers, ...(await credentials.headers(signal)) };
    const { method, body } = request;
    const answer = await reaching(endpoint, () =>
      fetcher(`${endpoint}${request.path}`, {
        method,
        headers,
        signal,
        redirect: 'manual',
        credentials: 'same-origin',
        ...(body === undefined ? {} : { body }),
      }),
    );
    if (answer.ok) return read(answer);
    throw await refusalOf(answer, endpoint);
  };

  const tried = async <T>(request: Outgoing, read: Read<T>, call: CallTime): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt(request, read, call.signal);
      } catch (error) {
        if (tries >= limits.retries || !mayTryAgain(request, error, call)) throw error;
        const pauseMs = pauseOf(error, tries);
        // There is no time left to try again: what went wrong says more than that the time is over.
        if (pauseMs >= call.leftMs()) throw error;
        await pause(pauseMs, call.signal);
      }
    }
  };

  const renewed = async <T>(request: Outgoing, read: Read<T>, call: CallTime): Promise<T> => {
    try {
      return await tried(request, read, call);
    } catch (error) {
      const isRefused = error instanceof CorralError && error.status === 401;
      if (!isRefused || !(await credentials.renew?.(call.signal))) throw error;
      return tried(request, read, call);
    }
  };

  /** One time limit for a call, whatever is tried within it. */
  const send = async <T>(request: Outgoing, read: Read<T>, signal: AbortSignal | undefined): Promise<T> => {
    // What streams for hours is `read` when it begins: it is not cut off by this, only by the caller's own signal.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timerFor(limits.timeoutMs));
    const begun = performance.now();
    try {
      return await renewed(request, read, {
        signal: signal ? AbortSignal.any([limit.signal, signal]) : limit.signal,
        leftMs: () => limits.timeoutMs - (performance.now() - begun),
        passedMs: () => performance.now() - begun,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (!limit.signal.aborted) throw error;
      throw new TimedOutError(`${endpoint} did not answer within ${limits.timeoutMs / 1000} s`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    ask: (request, signal) => send(request, (answer) => textOf(answer, endpoint), signal),
    open: (request, signal) => send(request, (answer) => Promise.resolve(answer), signal),
    headers: (signal = new AbortController().signal) => credentials.headers(signal),
  };
};

/** How long a call has taken, and may still take. */
interface CallTime {
  readonly signal: AbortSignal;
  readonly leftMs: () => number;
  readonly passedMs: () => number;
}

/** What an attempt takes of an answer while its time runs. */
type Read<T> = (answer: Answer) => Promise<T>;

const textOf = (answer: Answer, endpoint: string): Promise<string> => reaching(endpoint, () => answer.text());

/** What nobody did anything about may be asked again; of the rest only what changes nothing. */
const mayTryAgain = (request: Outgoing, error: unknown, { signal, passedMs }: CallTime): boolean => {
  if (signal.aborted) return false;
  if (error instanceof CorralError) {
    if (error.status === 429 || error.status === 503) return true;
    return request.isSafe && error.status === 502 && passedMs() < quickMs;
  }
  return error instanceof UnreachableError && (request.isSafe || !error.sent);
};

const pauseOf = (error: unknown, tries: number): number => {
  const told = error instanceof CorralError ? error.retryAfter : null;
  if (told !== null) return Math.min(told * 1000, longestPauseMs);
  return Math.min(firstPauseMs * 2 ** tries, longestPauseMs) * (0.5 + Math.random() / 2);
};

/** Codes of a connection that was never made: nothing was sent. */
const neverConnected = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

const reaching = async <T>(endpoint: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw unreachable(endpoint, error);
  }
};

/** What a connection that could not be made, or broke, is to the caller. */
export const unreachable = (endpoint: string, error: unknown): UnreachableError => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown }).code;
  const why = cause instanceof Error ? cause.message || String(code) : String(cause);
  const sent = !(typeof code === 'string' && neverConnected.includes(code));
  return new UnreachableError(`${endpoint} cannot be reached: ${why}`, { cause: error, sent });
};

const refusalOf = async (answer: Answer, endpoint: string): Promise<Error> =>
  refusalIn(endpoint, answer, await textOf(answer, endpoint));

/** The error that an answer of another status than 2xx stands for. */
export const refusalIn = (endpoint: string, answer: Pick<Answer, 'status' | 'headers'>, text: string): Error => {
  const told = toldIn(text);
  if (told === null) {
    const what = answer.status >= 300 && answer.status < 400 ? 'redirects' : `answers with status ${answer.status}`;
    return new ProtocolError(`${endpoint} ${what}, which a Corral service does not; is the endpoint right?`);
  }
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return errorOf({
    type: told.type,
    message: told.msg,
    status: answer.status,
    requestId: answer.headers.get('x-request-id'),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
};

const toldIn = (text: string): { readonly type: string; readonly msg: string } | null => {
  try {
    const told = JSON.parse(text) as { readonly type?: unknown; readonly msg?: unknown } | null;
    return typeof told?.type === 'string' && typeof told.msg === 'string' ? { type: told.type, msg: told.msg } : null;
  } catch {
    return null;
  }
};
