import type { Socket } from 'node:net';

/**
 * Ends a connection so that nothing of ours arrives any more: the kernel discards what it still holds and sends a
 * reset. After a mere close it would go on sending for minutes, and what a dead flow held back would be carried out
 * by the other side long after we had given it up.
 */
export const resetSocket = (socket: Socket): void => {
  // Before it is connected nothing was sent. After our half was closed Node.js cannot reset it any more.
  if (socket.connecting || socket.writableEnded || socket.destroyed) {
    socket.destroy();
    return;
  }
  try {
    socket.resetAndDestroy();
  } catch {
    // Not TCP: what was written to a Unix socket has arrived, and the rest goes with the socket.
    socket.destroy();
  }
};
