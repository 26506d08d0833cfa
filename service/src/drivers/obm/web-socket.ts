import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { ConsoleLine } from './contract.ts';

/** What a daemon made of the wish for a WebSocket. */
type Conversation =
  | { readonly kind: 'line'; readonly line: ConsoleLine }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string };

const largestRefusal = 64 * 1024;
/** How much may wait for the client before the daemon is made to wait. */
const highWaterMark = 64 * 1024;

/** Asks a daemon for a console that can be typed to. */
export const converse = async (url: URL, ca: string | null, signal: AbortSignal): Promise<Conversation> => {
  const { WebSocket } = await import('ws');
  const address = new URL(url);
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, { perMessageDeflate: false, ...(ca === null ? {} : { ca }) });
  const stop = () => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return new Promise((resolve, reject) => {
    // From the first moment: what the daemon sends right after its answer must find a listener.
    const line = lineOf(socket);
    socket.once('open', () => {
      // From here on, whoever reads the line ends it.
      signal.removeEventListener('abort', stop);
      resolve({ kind: 'line', line });
    });
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      void beginningOf(response).then((text) => {
        response.destroy();
        resolve({ kind: 'refused', status: response.statusCode ?? 0, text });
      });
    });
  });
};

const lineOf = (socket: WebSocket): ConsoleLine => {
  const end: { why: string | null } = { why: null };
  const bytes = new Readable({
    highWaterMark,
    read: () => socket.resume(),
    destroy: (error, done) => {
      socket.terminate();
      done(error);
    },
  });
  socket.on('message', (data: Buffer) => {
    if (!bytes.push(data)) socket.pause();
  });
  socket.once('close', (_code, reason) => {
    const text = reason.toString('utf8').replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
    end.why = text === '' ? null : text;
    if (!bytes.destroyed) bytes.push(null);
  });
  return { bytes, type: (typed) => socket.send(typed, { binary: true }), why: () => end.why };
};

const beginningOf = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  // A daemon without WebSockets sends its console, which has no end: only a refusal is read.
  if (response.statusCode === undefined || response.statusCode < 300) return text;
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > largestRefusal) break;
    }
  } catch {
    // What came is enough to judge by.
  }
  return text;
};
