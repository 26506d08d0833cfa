import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from '../http/http-client.ts';
import type { Service } from '../services/service.ts';

/** What a browser, or somebody who writes to the port by hand, sends to begin. */
export const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** How a WebSocket was closed. */
interface Goodbye {
  readonly code: number;
  readonly reason: string;
}

interface TalkerOptions {
  readonly node?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** One that stalls reads nothing until it is told to. */
  readonly reading?: 'reads' | 'stalls';
}

/** A console client that can type, as far as it has got. */
export class Talker {
  /** 101 once it is connected; otherwise what it was answered. */
  status: number | null = null;
  /** The body of a refusal. */
  refusal = '';
  bytes = Buffer.alloc(0);
  /** null: it is open. */
  end: Goodbye | null = null;
  readonly #socket: WebSocket;

  constructor(
    service: Pick<Service, 'url'>,
    client: Client,
    { node = 'n1', headers = {}, reading = 'reads' }: TalkerOptions = {},
  ) {
    const url = `${service.url.replace('http', 'ws')}/v0/node/${node}/console`;
    this.#socket = new WebSocket(url, { headers: { ...client.headers, ...headers }, perMessageDeflate: false });
    this.#socket.on('error', () => undefined);
    this.#socket.once('open', () => {
      this.status = 101;
      if (reading === 'stalls') this.#socket.pause();
    });
    this.#socket.on('unexpected-response', (_request, response) => {
      response.on('data', (chunk: Buffer) => (this.refusal += chunk.toString()));
      response.once('end', () => (this.status = response.statusCode ?? 0));
    });
    this.#socket.on('message', (data: Buffer) => (this.bytes = Buffer.concat([this.bytes, data])));
    this.#socket.once('close', (code, reason) => (this.end = { code, reason: reason.toString() }));
    onTestFinished(() => this.vanish());
  }

  get text(): string {
    return this.bytes.toString();
  }

  get isOpen(): boolean {
    return this.status === 101 && this.end === null;
  }

  type(text: string | Buffer): void {
    this.#socket.send(Buffer.from(text));
  }

  /** Types, and waits until that is on its way. */
  hasTyped(text: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.#socket.send(Buffer.from(text), () => resolve()));
  }

  read(): void {
    this.#socket.resume();
  }

  stall(): void {
    this.#socket.pause();
  }

  /** Says goodbye. */
  leave(): void {
    this.#socket.close();
  }

  /** Is gone without a word. */
  vanish(): void {
    this.#socket.terminate();
  }
}
