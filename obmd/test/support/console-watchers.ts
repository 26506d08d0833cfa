import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Tenant } from './token-holder.ts';

const within = { timeout: 15_000, interval: 10 };

/** Waits for a condition. */
export const soon = <T>(read: () => T) => expect.poll(read, within);

/** Somebody who watches a console. */
export interface Watcher {
  /** All that came so far. */
  readonly text: string;
  readonly bytes: Buffer;
  readonly isOver: boolean;
  /** Why, if it was told by the way the connection ended. */
  readonly ending: { readonly code: number; readonly why: string } | null;
  type(text: string): void;
  /** Goes away without a word. */
  leave(): void;
}

/** Watches as a stream of bytes; resolves when the daemon has answered. */
export const watch = async (tenant: Tenant): Promise<Watcher> => {
  const response = await openStream(tenant);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('application/octet-stream');
  const chunks: Buffer[] = [];
  let isOver = false;
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('error', () => undefined);
  response.once('close', () => (isOver = true));
  return {
    get bytes() {
      return Buffer.concat(chunks);
    },
    get text() {
      return Buffer.concat(chunks).toString('latin1');
    },
    get isOver() {
      return isOver;
    },
    ending: null,
    type: () => {
      throw new Error('nothing can be typed into a stream');
    },
    leave: () => void response.destroy(),
  };
};

/** The answer to a request for a console that nobody reads yet. */
export const openStream = async (tenant: Tenant): Promise<IncomingMessage> => {
  const sent = request(`${tenant.daemon.url}${tenant.path('console')}`, { agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
};

/** Watches over a WebSocket; resolves when it is open. */
export const converse = async (tenant: Tenant): Promise<Watcher> => {
  const socket = new WebSocket(socketUrl(tenant));
  const chunks: Buffer[] = [];
  let ending: Watcher['ending'] = null;
  socket.on('message', (data: Buffer) => chunks.push(data));
  socket.once('close', (code, why) => (ending = { code, why: why.toString() }));
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    get bytes() {
      return Buffer.concat(chunks);
    },
    get text() {
      return Buffer.concat(chunks).toString('latin1');
    },
    get isOver() {
      return ending !== null;
    },
    get ending() {
      return ending;
    },
    type: (text) => socket.send(text),
    leave: () => socket.terminate(),
  };
};

export const socketUrl = (tenant: Tenant): string =>
  `${tenant.daemon.url.replace(/^http/, 'ws')}${tenant.path('console')}`;

/** Both ways to watch. */
export const ways = [
  { way: 'stream of bytes', open: watch },
  { way: 'WebSocket', open: converse },
] as const;
