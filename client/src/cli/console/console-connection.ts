import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { type Corral, ProtocolError, TimedOutError } from '../../index.ts';
import { timerFor } from '../../pause.ts';
import { refusalIn, unreachable } from '../../transport.ts';

/** What one message to the service may hold; a paste can be longer. */
const messageBytes = 16 * 1024;
/** The service sends a ping more often than this: one that does not is gone. */
const silentMs = 90_000;
/** How often the service hears of a client that reads nothing now; it drops one that is silent for 30 seconds or more. */
const stillHereMs = 10_000;
/** How long the service may take to say goodbye. */
const goodbyeMs = 1_000;
/** How the service says that it took the console away. */
const takenAway = 4000;
const endedByItself = 1000;

/** How a console ended: cut off by the service, by itself, or with the connection. */
export type ConsoleEnd =
  | { readonly kind: 'cut'; readonly reason: string }
  | { readonly kind: 'over' }
  | { readonly kind: 'lost'; readonly why: string | null };

/** A console that is open. */
export interface ConsoleConnection {
  /** Resolves when it was handed to the system, or never will be. */
  type(bytes: Buffer): Promise<void>;
  /** Resolves when all that came before the end was taken. */
  readonly ended: Promise<ConsoleEnd>;
  close(): void;
}

/** What is done with a console. */
export interface ConsoleListener {
  /** It is open now; nothing was taken yet. */
  readonly opened: () => void;
  /** Bytes of the machine. No more are read before these are taken. */
  readonly take: (bytes: Buffer) => Promise<void>;
}

/** Opens the console of a node for reading and typing. The client that has it now loses it. */
export const openConsole = async (
  corral: Corral,
  node: string,
  listener: ConsoleListener,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ConsoleConnection> => {
  const limit = AbortSignal.timeout(timerFor(timeoutMs));
  const either = AbortSignal.any([signal, limit]);
  try {
    const { url, headers } = await corral.webSocket('showConsole', { node }, { signal: either });
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, followRedirects: false });
    // Before it is open: the first bytes can arrive together with the answer.
    const connection = connectionOf(socket, listener);
    await opened(socket, corral.endpoint, either);
    return connection;
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    throw new TimedOutError(`${corral.endpoint} did not answer within ${timeoutMs / 1000} s`, { cause: error });
  }
};

const opened = async (socket: WebSocket, endpoint: string, signal: AbortSignal): Promise<void> => {
  const abort = (): void => socket.terminate();
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', (error) => reject(unreachable(endpoint, error)));
      socket.once('unexpected-response', (_request, response) => {
        refusalOf(response, endpoint).then(reject, (error: unknown) => reject(unreachable(endpoint, error)));
      });
    });
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

const connectionOf = (socket: WebSocket, { opened, take }: ConsoleListener): ConsoleConnection => {
  let watch: NodeJS.Timeout | undefined;
  let stillHere: NodeJS.Timeout | undefined;
  let failure: Error | null = null;
  let taking = Promise.resolve();
  let untaken = 0;
  socket.once('open', () => {
    // As long as the terminal takes nothing, nothing is read, and the silence is ours.
    watch = setTimeout(() => (untaken > 0 ? watch?.refresh() : socket.terminate()), silentMs);
    stillHere = setInterval(() => {
      if (untaken > 0) socket.pong();
    }, stillHereMs);
    opened();
  });
  socket.on('ping', () => watch?.refresh());
  socket.on('message', (data: Buffer) => {
    watch?.refresh();
    untaken += 1;
    // Several messages can arrive at once: the next are read when all of them are taken.
    socket.pause();
    taking = taking
      .then(() => take(data))
      .then(() => {
        untaken -= 1;
        if (untaken > 0) return;
        watch?.refresh();
        socket.resume();
      });
  });
  socket.on('error', (error) => (failure = error));
  return {
    ended: new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        clearTimeout(watch);
        clearInterval(stillHere);
        void taking.then(() => resolve(endOf(code, reason.toString(), failure)));
      });
    }),
    type: async (bytes) => {
      const pieces = Array.from({ length: Math.ceil(bytes.length / messageBytes) }, (_, index) =>
        bytes.subarray(index * messageBytes, (index + 1) * messageBytes),
      );
      await Promise.all(pieces.map((piece) => new Promise<void>((resolve) => socket.send(piece, () => resolve()))));
    },
    close: () => {
      socket.close(endedByItself);
      setTimeout(() => socket.terminate(), goodbyeMs).unref();
    },
  };
};

const endOf = (code: number, reason: string, failure: Error | null): ConsoleEnd => {
  if (code === takenAway) return { kind: 'cut', reason };
  if (code === endedByItself) return { kind: 'over' };
  return { kind: 'lost', why: failure?.message ?? null };
};

const refusalOf = async (response: IncomingMessage, endpoint: string): Promise<Error> => {
  const { statusCode: status = 0, headers } = response;
  // The console as a stream that has no end.
  if (status === 200) return new ProtocolError(`${endpoint} opens no WebSocket; does a proxy drop the Upgrade header?`);
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const answer = { status, headers: { get: (name: string) => headers[name]?.toString() ?? null } };
  return refusalIn(endpoint, answer, Buffer.concat(parts).toString());
};
