import { Connector } from '@corral/base/http/connector';
import type { Outbound } from '@corral/base/http/outbound';
import type { Client, Dispatcher } from 'undici';
import type { CallPermit } from './contract.ts';

/** How a daemon is reached. */
export interface Way {
  /** PEM of the authority that its certificate is from; null: those that Node.js trusts. */
  readonly ca: string | null;
  readonly outbound: Outbound;
}

interface Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly headers?: Record<string, string>;
  readonly body?: string | null;
}

/**
 * A connection for one call that needs a permit. Nothing is sent once the permit is lost, and what was given up never
 * arrives, because the connection is reset: a token that is made or voided late, or a console that is opened late,
 * would take access from whoever has it by then.
 */
export class OwnConnection {
  readonly #client: Client;
  readonly #connector: Connector;
  readonly #permit: CallPermit;

  private constructor(client: Client, connector: Connector, permit: CallPermit) {
    this.#client = client;
    this.#connector = connector;
    this.#permit = permit;
  }

  /** Connects when it is asked. */
  static async to(
    { origin }: URL,
    { ca, outbound }: Way,
    permit: CallPermit,
    largestAnswer = -1,
  ): Promise<OwnConnection> {
    const { Client } = await import('undici');
    const connector = new Connector({ ca: ca ?? undefined }, outbound, () => permit.check());
    const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: largestAnswer };
    return new OwnConnection(new Client(origin, { connect: connector.connect, ...limits }), connector, permit);
  }

  /** The answer, as soon as it begins. */
  async ask(url: URL, { method, headers, body }: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    // Before the client hears of it: that would close the connection, and the kernel send what is left.
    const giveUp = (): void => this.#connector.reset();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      this.#permit.check();
      signal.throwIfAborted();
      const path = `${url.pathname}${url.search}`;
      return await this.#client.request({ method, path, headers: headers ?? {}, body: body ?? null });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async end(): Promise<void> {
    this.#connector.reset();
    await this.#client.destroy().catch(() => undefined);
  }
}
