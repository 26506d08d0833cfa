import { PassThrough } from 'node:stream';
import { keepAlive, openWebSocket, closeWithReason, wantsWebSocket } from '@corral/base/http/websocket-upgrades';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { ConsoleClient } from '../core/console-hub.ts';
import type { GrantedMachine } from './obmd-routes.ts';

/** A client that has this much unread is cut off; what it missed is shown to it again when it comes back. */
const mostUnread = 1024 * 1024;
/** How long a client that was cut off may take to read what it was already sent. */
const graceMs = 2_000;
/** The WebSocket's code for a console that was taken away. */
const takenAway = 4000;

/** A console: bytes as they come, or both ways over a WebSocket. */
export const serveConsole = async (
  request: FastifyRequest,
  reply: FastifyReply,
  held: GrantedMachine,
): Promise<FastifyReply> => (wantsWebSocket(request) ? converse(request, reply, held) : stream(reply, held));

const stream = async (reply: FastifyReply, { machine }: GrantedMachine): Promise<FastifyReply> => {
  const bytes = new PassThrough({ highWaterMark: mostUnread });
  const client: ConsoleClient = {
    send: (chunk) => {
      if (bytes.writableEnded) return true;
      bytes.write(chunk);
      return bytes.writableLength + bytes.readableLength <= mostUnread;
    },
    end: (why) => {
      bytes.end(`\r\n[console: ${why}]\r\n`);
      setTimeout(() => bytes.destroy(), graceMs).unref();
    },
  };
  const isGone = () => reply.raw.destroyed;
  const attachment = await machine.console.attach(client);
  bytes.once('close', attachment.leave);
  reply.raw.once('close', () => bytes.destroy());
  if (isGone()) bytes.destroy();
  void reply.type('application/octet-stream').header('cache-control', 'no-store').send(bytes);
  // A silent console has no first byte to take the headers along, and the client would not know that it is connected.
  reply.raw.flushHeaders();
  return reply;
};

const converse = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { machine }: GrantedMachine,
): Promise<FastifyReply> => {
  const session: { socket: WebSocket | null; early: Buffer[]; ended: string | null } = {
    socket: null,
    early: [],
    ended: null,
  };
  const client: ConsoleClient = {
    send: (chunk) => {
      if (session.socket === null) session.early.push(chunk);
      else session.socket.send(chunk, { binary: true });
      return (session.socket?.bufferedAmount ?? 0) <= mostUnread;
    },
    end: (why) => {
      session.ended = why;
      if (session.socket) closeWithReason(session.socket, takenAway, why);
    },
  };
  // First the console, then the WebSocket: what goes wrong before is answered in HTTP.
  const attachment = await machine.console.attach(client);
  // A client that is gone by now, or whose handshake is refused, never gets its WebSocket.
  const connection = request.raw.socket;
  connection.once('close', attachment.leave);
  if (connection.destroyed) attachment.leave();
  const socket = await openWebSocket(request, reply, 'typing').catch((error: unknown) => {
    attachment.leave();
    throw error;
  });
  session.socket = socket;
  socket.on('error', () => socket.terminate());
  socket.once('close', attachment.leave);
  socket.on('message', (data: Buffer) => attachment.write(data));
  keepAlive(socket);
  for (const chunk of session.early) socket.send(chunk, { binary: true });
  if (session.ended !== null) closeWithReason(socket, takenAway, session.ended);
  return reply;
};
