import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Client } from '../http/http-client.ts';
import type { Service } from '../services/service.ts';

/** A console client, as far as it has got. */
export class Watcher {
  status: number | null = null;
  bytes = Buffer.alloc(0);
  /** How the stream ended: as HTTP wants it, or by a broken connection. */
  end: 'open' | 'clean' | 'broken' = 'open';
  #response: IncomingMessage | null = null;
  readonly #request;

  constructor(service: Service, client: Client, node = 'n1', reading: 'reads' | 'stalls' = 'reads') {
    this.#request = request(`${service.url}/v0/node/${node}/console`, { headers: client.headers, agent: false });
    this.#request.on('error', () => this.#over('broken'));
    this.#request.on('response', (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      response.on('error', () => this.#over('broken'));
      response.on('end', () => this.#over(response.complete ? 'clean' : 'broken'));
      if (reading === 'reads') this.read();
    });
    this.#request.end();
    onTestFinished(() => this.leave());
  }

  get text(): string {
    return this.bytes.toString();
  }

  read(): void {
    this.#response?.on('data', (chunk: Buffer) => (this.bytes = Buffer.concat([this.bytes, chunk])));
  }

  leave(): void {
    this.#request.destroy();
  }

  #over(how: 'clean' | 'broken'): void {
    if (this.end === 'open') this.end = how;
  }
}
