import { connect, type Socket } from 'node:net';

const longestWaitMs = 30_000;

/**
 * Sends bytes over a connection of their own and waits until the service closes; returns the first line of the answer.
 */
export const sendRaw = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(longestWaitMs, () => socket.destroy());
    socket.on('data', (chunk) => (answer = answer === '' ? chunk.toString('latin1') : answer));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(answer.split('\r\n', 1)[0] ?? ''));
  });

/** An event stream. */
export interface Stream {
  readonly socket: Socket;
  /** Bytes that were read of it. */
  received(): number;
  close(): void;
}

/** Opens an event stream, from this event on; one that does not read takes nothing from its connection. */
export const openStream = (
  url: string,
  authorization: string,
  options: { readonly after?: number; readonly reads: boolean },
): Stream => {
  let received = 0;
  const after = options.after === undefined ? '' : `Last-Event-ID: ${options.after}\r\n`;
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
    socket.write(
      `GET /v0/events/stream HTTP/1.1\r\nHost: corral\r\nAuthorization: ${authorization}\r\n` +
        `Accept: text/event-stream\r\n${after}\r\n`,
    ),
  );
  socket.on('error', () => undefined);
  if (options.reads) socket.on('data', (chunk) => (received += chunk.length));
  return { socket, received: () => received, close: () => socket.destroy() };
};
