import { Connector, OtherCertificate } from '@corral/base/http/connector';
import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import type { Client } from 'undici';
import { BmcError, type BmcPermit } from '../contract.ts';
import { notPermitted } from '../permission.ts';
import { noCertificate, noConnection, notInTime, notRedfish, otherCertificate, untrusted } from './sentences.ts';
import type { RedfishTarget } from './target.ts';

/** What a BMC is asked. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** On the registered host, as every question. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What it answered, unread. */
export interface RawAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/** Far more than a system shows, and little enough for a thousand BMCs at once. */
const largestAnswer = 1024 * 1024;

/** A connection, or the attempt to have one. */
interface Connection {
  readonly client: Client;
  readonly connector: Connector;
  /** How many questions are on their way. */
  asking: number;
}

/**
 * A line to one BMC: one connection, kept open for some seconds, and opened anew when it is needed. How long to
 * wait is the signal's business alone. Redirects are answers like others here.
 */
export class RedfishLine {
  readonly #target: RedfishTarget;
  readonly #outbound: Outbound;
  /** The one that is asked now, and those before it that still wait for an answer. */
  readonly #connections = new Set<Connection>();
  readonly #check: () => void;
  #current: Connection | null = null;

  constructor(target: RedfishTarget, outbound: Outbound, permit?: BmcPermit) {
    this.#target = target;
    this.#outbound = outbound;
    this.#check = () => permit?.check();
  }

  /** Asks once. */
  async exchange({ method, path, headers, body }: Question, signal: AbortSignal): Promise<RawAnswer> {
    const connection = await this.#open();
    this.#check();
    // What is given up must not be carried out later, when the machine is somebody else's. Others may be asking too.
    const giveUp = (): void => (connection.asking === 1 ? connection.connector.reset() : connection.connector.giveUp());
    signal.addEventListener('abort', giveUp, { once: true });
    connection.asking += 1;
    try {
      signal.throwIfAborted();
      const answer = await connection.client.request({
        method,
        path,
        headers: {
          accept: 'application/json',
          // Some services add to their ETags what they compress.
          'accept-encoding': 'identity',
          'odata-version': '4.0',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, header: (name) => [answer.headers[name]].flat()[0], text };
    } catch (error) {
      // The client connects again by itself, and whoever came next would wait for that attempt, which may hang too.
      if (this.#current === connection) this.#current = null;
      throw signal.aborted ? notInTime(error) : faultOf(error);
    } finally {
      signal.removeEventListener('abort', giveUp);
      connection.asking -= 1;
      if (connection.asking === 0 && this.#current !== connection) await this.#hangUp(connection);
    }
  }

  /** Hangs up at once, whatever is under way. The next question opens it again. */
  async close(): Promise<void> {
    this.#current = null;
    await Promise.all([...this.#connections].map((connection) => this.#hangUp(connection)));
  }

  async #open(): Promise<Connection> {
    const { origin, ca, fingerprint } = this.#target;
    if (origin.startsWith('http:') && (ca !== undefined || fingerprint !== undefined)) throw noCertificate();
    // Loaded when the first such BMC is asked: it would cost every start of the daemon 60 ms.
    const { Client } = await import('undici');
    if (this.#current === null) {
      const connector = new Connector(this.#target, this.#outbound, this.#check);
      const client = new Client(origin, {
        connect: connector.connect,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxResponseSize: largestAnswer,
      });
      this.#current = { client, connector, asking: 0 };
      this.#connections.add(this.#current);
    }
    return this.#current;
  }

  async #hangUp(connection: Connection): Promise<void> {
    this.#connections.delete(connection);
    connection.connector.reset();
    await connection.client.destroy().catch(() => undefined);
  }
}

/** What OpenSSL and Node.js call the ways in which a certificate is not good. */
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECODE)|^CRL_|^HOSTNAME_MISMATCH/;

const faultOf = (error: unknown): BmcError => {
  if (error instanceof BmcError) return error;
  if (error instanceof AddressRefused) return notPermitted(error);
  if (error instanceof OtherCertificate) return otherCertificate(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (certificateCodes.test(code)) return untrusted(error);
  const isNonsense = /^HPE_|^UND_ERR_(?:RES_EXCEEDED|HEADERS_OVERFLOW|RESPONSE)|^ERR_SSL_|^EPROTO$/.test(code);
  return isNonsense ? notRedfish(error) : noConnection(error);
};
