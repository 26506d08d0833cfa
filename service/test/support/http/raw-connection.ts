import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished } from 'vitest';

const soon = { timeout: 20_000, interval: 10 };

interface LineOptions {
  /** One of this machine's own. */
  readonly from?: string;
  /** Does not answer a goodbye with one. */
  readonly manners?: 'polite' | 'rude';
  /** Makes the connection, and says nothing in it, not even hello. */
  readonly handshake?: 'none';
}

/** A connection to the service on which anything can be said, in plain or in TLS as its address says. */
export class RawConnection {
  text = '';
  state: 'open' | 'ended' | 'closed' = 'open';
  readonly #socket: Socket;

  constructor(url: string, { from, manners = 'polite', handshake }: LineOptions = {}) {
    const { hostname, port, protocol } = new URL(url);
    const to = {
      host: hostname,
      port: Number(port),
      allowHalfOpen: manners === 'rude',
      ...(from === undefined ? {} : { localAddress: from }),
    };
    const isTls = protocol === 'https:' && handshake !== 'none';
    this.#socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    this.#socket.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.#socket.on('end', () => (this.state = 'ended'));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => (this.state = 'closed'));
    onTestFinished(() => void this.#socket.destroy());
  }

  say(text: string): this {
    this.#socket.write(text);
    return this;
  }

  /** How many bytes it could get rid of before the other end hung up, of so many. */
  async pour(bytes: number, wrap: (chunk: Buffer) => Buffer = (chunk) => chunk): Promise<number> {
    const chunk = wrap(Buffer.alloc(65_536, 32));
    let sent = 0;
    while (sent < bytes && this.state === 'open') {
      // A write that the other end no longer takes is called back with an error, once it has hung up. Going on then
      // would be a loop in which the end of the connection is never told.
      const isTaken = await new Promise<boolean>((resolve) => this.#socket.write(chunk, (error) => resolve(!error)));
      if (!isTaken) break;
      sent += chunk.length;
    }
    return sent;
  }

  /** Goes on talking until the other end no longer listens. */
  async talksUntilCut(): Promise<void> {
    const timer = setInterval(() => this.#socket.write(' '), 50);
    try {
      await this.isClosed();
    } finally {
      clearInterval(timer);
    }
  }

  async hears(words: string | RegExp): Promise<this> {
    await expect.poll(() => this.text, soon).toMatch(words);
    return this;
  }

  async isClosed(): Promise<void> {
    await expect.poll(() => this.state, soon).toBe('closed');
  }

  async isEnded(): Promise<void> {
    await expect.poll(() => this.state, soon).not.toBe('open');
  }

  async isConnected(): Promise<this> {
    await expect.poll(() => this.#socket.connecting, soon).toBe(false);
    return this;
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

/** A request as bytes. */
export const bytesOf = (line: string, headers: Readonly<Record<string, string>> = {}): string =>
  `${line} HTTP/1.1\r\nHost: corral\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
