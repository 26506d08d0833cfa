import type { Socket } from 'node:net';

/** How long, and for how many bytes, we go on listening to somebody who has had their answer. */
const lingerMs = 1_000;
const lingerBytes = 1024 * 1024;

const hangingUp = new WeakSet<Socket>();

/**
 * Ends a connection after a last word. Closing it at once would throw away that word together with what the client
 * is still sending, so what comes is dropped for a moment; waiting for the client to close would be waiting for ever.
 */
export const hangUp = (socket: Socket, lastWord?: string): void => {
  if (hangingUp.has(socket) || socket.destroyed) return;
  hangingUp.add(socket);
  // No part of what is dropped may be parsed as another HTTP request.
  socket.removeAllListeners('data');
  let left = lingerBytes;
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  const end = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(end));
  socket.once('end', () => {
    if (socket.writableFinished) socket.destroy();
    else socket.once('finish', () => socket.destroy());
  });
  if (lastWord === undefined) socket.end();
  else socket.end(lastWord);
  socket.resume();
};
