import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { hangUp } from './hang-up.ts';

interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * What one message may hold; more ends the connection. Nobody types much at once, a screen's clipboard can be large.
 */
const messageLimits = { typing: 64 * 1024, screen: 1024 * 1024 } as const;
type Use = keyof typeof messageLimits;

const waiting = new WeakMap<IncomingMessage, Upgrade>();

/**
 * Lets requests that want a WebSocket through the same routes, hooks and errors as all others: the handler of one
 * calls `openWebSocket`, or answers as usual, and then there is none.
 */
export const acceptUpgrades = (server: FastifyInstance): void => {
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isHandshake(request)) return replayRequest(server, request, socket, head);
    socket.on('error', () => socket.destroy());
    waiting.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // A server's socket is a net.Socket or a tls.TLSSocket; the type says less than that.
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    response.once('finish', () => hangUp(request.socket));
    server.routing(request, response);
  });
};

const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Node takes every request with an Upgrade header for one that is no HTTP from there on, and leaves its body unread.
 * Some clients offer HTTP/2 that way with all that they ask; a server may ignore it. So such a request is read once
 * more, without the offer.
 */
const replayRequest = ({ server }: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void => {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
};

/** Does this request ask for a WebSocket? */
export const wantsWebSocket = ({ raw }: FastifyRequest): boolean => waiting.has(raw);

const serverFor = (use: Use): WebSocketServer =>
  new WebSocketServer({ noServer: true, maxPayload: messageLimits[use], perMessageDeflate: false });
const servers: Readonly<Record<Use, WebSocketServer>> = { typing: serverFor('typing'), screen: serverFor('screen') };

/** Answers a request with a WebSocket. Nothing else may be sent on the reply from then on. */
export const openWebSocket = (request: FastifyRequest, reply: FastifyReply, use: Use): Promise<WebSocket> => {
  const upgrade = waiting.get(request.raw);
  if (upgrade === undefined) throw new Error('the request is not a WebSocket upgrade');
  waiting.delete(request.raw);
  reply.hijack();
  reply.raw.detachSocket(upgrade.socket as Parameters<ServerResponse['detachSocket']>[0]);
  return new Promise((resolve) => servers[use].handleUpgrade(request.raw, upgrade.socket, upgrade.head, resolve));
};

const heartbeatMs = 30_000;
/** How long a client may take to say goodbye. */
const closeTimeoutMs = 2_000;

/** Drops a WebSocket whose other end disappeared without closing, as laptops do. */
export const keepAlive = (socket: WebSocket): void => {
  let isAnswering = true;
  const beat = setInterval(() => {
    if (!isAnswering) return socket.terminate();
    isAnswering = false;
    socket.ping();
  }, heartbeatMs).unref();
  socket.on('pong', () => {
    isAnswering = true;
  });
  socket.once('close', () => clearInterval(beat));
};

/** Says why, and closes. */
export const closeWithReason = (socket: WebSocket, code: number, why: string): void => {
  socket.close(code, why);
  const end = setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
  socket.once('close', () => clearTimeout(end));
};
