import { Connector } from '@corral/base/http/connector';
import { AddressRefused } from '@corral/base/http/outbound';
import type { Client } from 'undici';
import type { Permit, SessionLimits } from '../contract.ts';
import type { HttpTarget } from './fields.ts';

/** What a switch answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** What a switch is asked. */
export interface HttpQuestion {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const largestAnswer = 16 * 1024 * 1024;

/** A session that finds out by a first question whether anybody is there, and lets us in. */
interface Meeting {
  meet(signal: AbortSignal): Promise<void>;
}

/** Opens a line and a session on it; if the switch does not answer the first question, the line is closed again. */
export const meetOver = async <S extends Meeting>(
  target: HttpTarget,
  sessionOn: (line: HttpLine) => S,
  signal: AbortSignal,
  limits: SessionLimits,
): Promise<S> => {
  const line = await HttpLine.open(target, limits);
  try {
    const session = sessionOn(line);
    await session.meet(signal);
    return session;
  } catch (error) {
    await line.close();
    throw error;
  }
};

/**
 * A line to one switch over HTTP: one connection, kept open. How long to wait is the signal's business alone;
 * what was given up is not sent any more; redirects are not followed, so credentials go nowhere else; an answer of unreasonable size is cut off.
 */
export class HttpLine {
  readonly #client: Client;
  readonly #connector: Connector;
  readonly #authorization: string;
  readonly #permit: Permit | undefined;

  private constructor(client: Client, connector: Connector, target: HttpTarget, permit: Permit | undefined) {
    this.#client = client;
    this.#connector = connector;
    this.#permit = permit;
    const credentials = Buffer.from(`${target.username}:${target.password}`);
    this.#authorization = `Basic ${credentials.toString('base64')}`;
  }

  /** A line that is ready to be asked; it connects when it is. */
  static async open(target: HttpTarget, { permit, outbound }: SessionLimits = {}): Promise<HttpLine> {
    // Loaded when the first such switch is opened: it would cost every start of the service 60 ms.
    const { Client } = await import('undici');
    const connector = new Connector(target, outbound ?? null, () => permit?.check());
    const client = new Client(target.origin, {
      connect: connector.connect,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: largestAnswer,
    });
    return new HttpLine(client, connector, target, permit);
  }

  /** Asks, and gives any answer but those that concern the line itself: no entry, or a redirect. */
  async ask({ method, path, headers, body }: HttpQuestion, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.#exchange(method, path, { ...headers, authorization: this.#authorization }, body, signal);
    if (answer.status === 401 || answer.status === 403)
      throw new Error(`the switch rejects the login (HTTP ${answer.status})`);
    if (answer.status < 200 || (answer.status >= 300 && answer.status < 400))
      throw new Error(`the switch redirects (HTTP ${answer.status}), which is not followed`);
    return answer;
  }

  async #exchange(
    method: HttpQuestion['method'],
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    this.#permit?.check();
    // Before the client hears of it: that would close the connection, and the kernel send what is left.
    const giveUp = (): void => this.#connector.reset();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const answer = await this.#client.request({ method, path, headers, body: body ?? null, signal });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      if (error instanceof AddressRefused) throw error;
      if (signal.aborted) throw new Error(`the switch did not answer ${method} ${path} in time`, { cause: error });
      throw new Error(
        `the connection to the switch was lost: ${error instanceof Error ? error.message : 'no reason given'}`,
        {
          cause: error,
        },
      );
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Hangs up at once, whatever is under way. */
  async close(): Promise<void> {
    this.#connector.reset();
    await this.#client.destroy().catch(() => undefined);
  }
}
