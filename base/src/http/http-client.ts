import type { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import { firstOf, onAbort, unlessAborted } from '../abort.ts';
import { Connector, type Trust } from './connector.ts';
import { httpFaultOf } from './http-fault.ts';
import type { Outbound } from './outbound.ts';

export interface HttpClientOptions {
  readonly trust?: Trust;
  /** Where connections may go; null: anywhere. */
  readonly outbound: Outbound | null;
  /** In bytes. */
  readonly largestAnswer: number;
  /** To each origin at a time; other requests wait. */
  readonly connections: number;
  /** Are connections kept for the next request? One that the other side closes just then fails it. */
  readonly keepAlive: boolean;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Scheme, host and port: all that it is sent to, whatever the path looks like. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null | undefined;
  /** Throws where nothing may be sent any more. Asked before the request is sent, and when it has a connection. */
  readonly check?: (() => void) | undefined;
}

/** Where a URL leads. */
export const describeOrigin = ({ origin, pathname, search }: URL): Pick<HttpRequest, 'origin' | 'path'> => ({
  origin,
  path: `${pathname}${search}`,
});

/** An answer, read to its end. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Loaded at the first request: many processes never make one, and it takes a tenth of the time to start. */
const undici = () => import('undici');

/** A connection, which has one request at a time, or none yet. */
interface Connection {
  readonly client: Client;
  readonly connector: Connector;
  check: () => void;
}

/** What there is to one origin. */
interface Origin {
  readonly idle: Connection[];
  readonly waiting: (() => void)[];
  taken: number;
}

/**
 * Makes HTTP requests. How long to wait is the signal's business alone. What was given up is never sent later: its
 * connection is reset, where a mere close would leave it to the kernel to send what is left. Redirects are answers
 * like others, so that credentials go nowhere else. Everything that goes wrong is an HttpFault.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #origins = new Map<string, Origin>();
  readonly #busy = new Set<Connection>();
  readonly #closed = new AbortController();

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    return this.#exchange(request, signal, async ({ statusCode, headers, body }, done) => {
      const text = await body.text();
      done();
      return { status: statusCode, headers, text };
    });
  }

  /** The answer as soon as it begins. The signal counts until then; the connection lasts until the body is closed. */
  async stream(
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: Readable }> {
    return this.#exchange(request, signal, ({ statusCode, body }, done) => {
      // A body that breaks, or is not read to its end, is reported to its reader.
      body.on('error', () => undefined).once('close', done);
      return Promise.resolve({ status: statusCode, body });
    });
  }

  /** Ends everything that is under way, for good. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the client is closed'));
    const idle = [...this.#origins.values()].flatMap((origin) => origin.idle.splice(0));
    await Promise.all([...idle, ...this.#busy].map(hangUp));
  }

  async #exchange<T>(
    { method, origin, path, headers, body, check = () => undefined }: HttpRequest,
    given: AbortSignal,
    read: (reply: Dispatcher.ResponseData, done: () => void) => Promise<T>,
  ): Promise<T> {
    check();
    const { signal, release } = firstOf(given, this.#closed.signal);
    try {
      const { connection, done } = await this.#connection(origin, signal, (await undici()).Client);
      const exchanged = async (): Promise<T> => {
        // It may have waited for its turn, and a connection that is kept does not ask by itself.
        check();
        connection.check = check;
        const reply = await connection.client.request({
          method,
          path,
          // Nothing compressed: a short answer could become a very long one.
          headers: { 'accept-encoding': 'identity', ...headers },
          body: body ?? null,
        });
        return read(reply, () => done('finished'));
      };
      return await unlessAborted(exchanged, signal, { giveUp: () => done('failed') }).catch((error: unknown) => {
        done('failed');
        throw error;
      });
    } catch (error) {
      throw httpFaultOf(error, signal);
    } finally {
      release();
    }
  }

  /** One that is idle, or a new one; waits for its turn. */
  async #connection(
    name: string,
    signal: AbortSignal,
    client: typeof Client,
  ): Promise<{ connection: Connection; done: (how: 'finished' | 'failed') => void }> {
    signal.throwIfAborted();
    const { connections, keepAlive } = this.#options;
    // The first connection is made before anything is counted: what is no origin throws here, and takes nobody's turn.
    const origin: Origin = this.#origins.get(name) ?? { idle: [this.#open(name, client)], waiting: [], taken: 0 };
    this.#origins.set(name, origin);
    if (origin.taken < connections) origin.taken += 1;
    else await turnIn(origin.waiting, signal);
    const connection = origin.idle.pop() ?? this.#open(name, client);
    this.#busy.add(connection);
    const done = (how: 'finished' | 'failed'): void => {
      if (!this.#busy.delete(connection)) return;
      if (how === 'finished' && keepAlive) origin.idle.push(connection);
      else void hangUp(connection);
      const next = origin.waiting.shift();
      if (next !== undefined) next();
      else origin.taken -= 1;
      if (origin.taken === 0 && origin.idle.length === 0) this.#origins.delete(name);
    };
    return { connection, done };
  }

  #open(origin: string, UndiciClient: typeof Client): Connection {
    const { trust = {}, outbound, largestAnswer, keepAlive } = this.#options;
    const connector = new Connector(trust, outbound, () => connection.check());
    const client = new UndiciClient(origin, {
      connect: connector.connect,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: largestAnswer,
      pipelining: keepAlive ? 1 : 0,
    });
    const connection: Connection = { client, connector, check: () => undefined };
    return connection;
  }
}

const turnIn = (waiting: (() => void)[], signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const begin = (): void => {
      release();
      resolve();
    };
    const release = onAbort(signal, () => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    });
    waiting.push(begin);
  });

/** At once: what was not delivered yet is never sent. */
const hangUp = async ({ client, connector }: Connection): Promise<void> => {
  connector.reset();
  await client.destroy().catch(() => undefined);
};
