import { once } from 'node:events';
import { keepAlive, closeWithReason } from '@corral/base/http/websocket-upgrades';
import type { WebSocket } from 'ws';
import type { ConsoleSession } from '../core/console-sessions.ts';

/** The console ended by itself; the reason is in the other code. */
const over = 1000;
const takenAway = 4000;
/** How long a client may take to read the rest of a console that is over. */
const graceMs = 2_000;

/** Carries a console over a WebSocket, both ways, no faster than the client reads. */
export const pipeConsole = async (socket: WebSocket, session: ConsoleSession): Promise<void> => {
  const { stream } = session;
  const chunks: AsyncIterable<Buffer> = stream;
  socket.on('error', () => socket.terminate());
  socket.once('close', () => session.cut(null));
  socket.on('message', (data: Buffer) => session.write(data));
  keepAlive(socket);
  stream.on('error', () => undefined);
  // One that does not read at all would hold up the loop below, and with it the end of the service.
  stream.once('close', () => setTimeout(() => socket.terminate(), graceMs).unref());
  try {
    for await (const bytes of chunks) {
      if (socket.readyState !== socket.OPEN) break;
      await new Promise<void>((resolve) => socket.send(bytes, { binary: true }, () => resolve()));
    }
  } catch {
    // A client that was cut off for not reading: its stream was destroyed.
  }
  const why = session.closeReason();
  if (socket.readyState === socket.OPEN) {
    closeWithReason(socket, why === null ? over : takenAway, why ?? 'the console has ended');
    await once(socket, 'close');
  }
};
