import { Readable } from 'node:stream';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { onAbort } from '@corral/base/abort';
import type { Outbound } from '@corral/base/http/outbound';
import { connectTcp } from '@corral/base/net/connect-tcp';
import { resetSocket } from '@corral/base/net/reset-socket';
import { WebSocket } from 'ws';
import { beginningOf } from './obm-responses.ts';
import type { CallPermit, ConsoleConnection } from './obm-contract.ts';

/** What a daemon made of the wish for a WebSocket. */
export type ConsoleUpgrade =
  | { readonly kind: 'line'; readonly line: ConsoleConnection }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string };

/** How a daemon is reached. */
export interface DaemonAddress {
  /** PEM of the authority that its certificate is from; undefined: those that Node.js trusts. */
  readonly ca: string | undefined;
  readonly outbound: Outbound;
}

/** How much may wait for the client before the daemon is made to wait. */
const highWaterMark = 64 * 1024;
/** What is typed faster than the daemon takes it is lost beyond this, as on any serial line. */
const mostUntyped = 64 * 1024;
/** What one message of a daemon may hold; more ends the console. */
const maxPayload = 1024 * 1024;

/** Asks a daemon for a console that can be typed to; one that knows no WebSockets gives one that can only be read. */
export const openConsoleSocket = async (
  url: URL,
  daemon: DaemonAddress,
  signal: AbortSignal,
  permit: CallPermit,
): Promise<ConsoleUpgrade> => {
  const { plain, connection } = connectTo(url, daemon);
  const address = new URL(url);
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, {
    ...{ followRedirects: false, perMessageDeflate: false, maxPayload },
    createConnection: () => connection,
    finishRequest: sendWhenConnected(permit),
  });
  // What was typed and not delivered yet is never sent.
  const giveUp = (): void => {
    resetSocket(plain);
    socket.terminate();
  };
  const release = onAbort(signal, giveUp);
  return new Promise((resolve, reject) => {
    // From the first moment: what the daemon sends right after its answer must find a listener.
    const line = lineOf(socket, giveUp);
    const give = (given: ConsoleConnection) => {
      // From here on, the reader closes the connection.
      release();
      resolve({ kind: 'line', line: given });
    };
    socket.once('open', () => give(line));
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      // To ask once more would take the console from ourselves, and some daemons refuse that.
      if (isSuccess(response)) return give({ bytes: response, write: null, closeReason: () => null });
      void beginningOf(response).then((text) => {
        response.destroy();
        resolve({ kind: 'refused', status: response.statusCode ?? 0, text });
      });
    });
  });
};

/** A TLS socket of Node.js cannot be reset; what is beneath it can. */
const connectTo = (url: URL, { ca, outbound }: DaemonAddress): { plain: Socket; connection: Socket } => {
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const plain = connectTcp({ host, port: Number(url.port) || (isTls ? 443 : 80) }, outbound);
  if (!isTls) return { plain, connection: plain };
  const servername = isIP(host) === 0 ? host : '';
  const connection = connectTls({ socket: plain, host, servername, ...(ca === undefined ? {} : { ca }) });
  plain.on('error', (error) => connection.destroy(error));
  return { plain, connection };
};

/** Sends the request when there is a connection, if it may still be sent then. */
const sendWhenConnected =
  (permit: CallPermit) =>
  (request: ClientRequest): void => {
    const send = (): void => {
      try {
        permit.check();
        request.end();
      } catch (error) {
        request.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    };
    request.once('socket', (socket) => {
      if (!socket.connecting) send();
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', send);
    });
  };

/** What a WebSocket that was not closed is said to have been closed with. */
const lineLost = 1006;

const lineOf = (socket: WebSocket, giveUp: () => void): ConsoleConnection => {
  const end: { why: string | null } = { why: null };
  const bytes = new Readable({
    highWaterMark,
    read: () => socket.resume(),
    destroy: (error, done) => {
      giveUp();
      done(error);
    },
  });
  // A line that breaks before it is read is reported by its caller.
  bytes.on('error', () => undefined);
  socket.on('message', (data: Buffer) => {
    if (!bytes.push(data)) socket.pause();
  });
  socket.once('close', (code, reason) => {
    const text = reason.toString('utf8').replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
    end.why = text === '' ? null : text;
    if (bytes.destroyed) return;
    // Closed without a reason: this is not the end of the console.
    if (code === lineLost) bytes.destroy(new Error('connection lost'));
    else bytes.push(null);
  });
  const type = (typed: Buffer): void => {
    if (socket.bufferedAmount <= mostUntyped) socket.send(typed, { binary: true });
  };
  return { bytes, write: type, closeReason: () => end.why };
};

const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;
