import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onAbort } from '@corral/base/abort';
import { keepAlive, openWebSocket, closeWithReason, wantsWebSocket } from '@corral/base/http/websocket-upgrades';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { hypervisorFailed, invalid } from '../core/corral-error.ts';
import type { VncPort } from '../core/vnc.ts';

const connectMs = 5_000;
/** How much may wait for a client before the other side is made to wait. */
const mostUnread = 1024 * 1024;
const over = 1000;
const goingAway = 1001;
const takenAway = 4000;

/** Carries bytes between a WebSocket and a port that the caller cannot reach, until either side ends it. */
export const openTunnel = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { host, port: number, isCurrent }: VncPort,
  ending: AbortSignal,
): Promise<FastifyReply> => {
  if (!wantsWebSocket(request)) throw invalid('this call is a WebSocket; send "Upgrade: websocket"');
  const port = await connected(host, number);
  let socket: WebSocket;
  try {
    if (!(await isCurrent())) throw hypervisorFailed('the screen of the headnode has just moved; try again');
    socket = await openWebSocket(request, reply, 'screen');
  } catch (error) {
    port.destroy();
    throw error;
  }
  carry(socket, port);
  const stop = () => {
    // A reason in words is one that only this caller has.
    if (typeof ending.reason === 'string') closeWithReason(socket, takenAway, ending.reason);
    else closeWithReason(socket, goingAway, 'the service is stopping');
  };
  const release = onAbort(ending, stop);
  await once(socket, 'close');
  release();
  return reply;
};

const connected = async (host: string, port: number): Promise<Socket> => {
  const socket = connect({ host, port, noDelay: true });
  const timer = setTimeout(() => socket.destroy(new Error('timed out')), connectMs);
  try {
    await once(socket, 'connect');
    // From now on: it may close before any data is carried.
    return socket.on('error', () => socket.destroy());
  } catch (error) {
    socket.destroy();
    throw hypervisorFailed('the screen of the headnode does not answer; try again', { cause: error });
  } finally {
    clearTimeout(timer);
  }
};

const carry = (socket: WebSocket, port: Socket): void => {
  keepAlive(socket);
  socket.on('error', () => socket.terminate());
  socket.once('close', () => port.destroy());
  socket.on('message', (data: Buffer) => {
    if (!port.write(data)) socket.pause();
  });
  port.on('drain', () => socket.resume());
  port.on('data', (data) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(data, { binary: true }, () => {
      if (socket.bufferedAmount <= mostUnread) port.resume();
    });
    if (socket.bufferedAmount > mostUnread) port.pause();
  });
  const end = () => {
    if (socket.readyState === socket.OPEN) closeWithReason(socket, over, 'the headnode closed the connection');
  };
  port.once('close', end);
  if (port.destroyed) end();
};
