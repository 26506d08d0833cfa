import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Client } from '../http/http-client.ts';
import type { Service } from '../services/service.ts';

/** How a WebSocket ended. */
export interface Ending {
  readonly code: number;
  readonly why: string;
}

/** A client that looks at the screen of a headnode. */
export class Screen {
  readonly socket: WebSocket;
  readonly ended: Promise<Ending>;
  bytes = Buffer.alloc(0);
  count = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.ended = new Promise((resolve) => {
      socket.once('close', (code: number, why: Buffer) => resolve({ code, why: why.toString() }));
    });
    socket.on('message', (data: Buffer) => {
      this.count += data.length;
      // The rest of a big transfer is only counted.
      if (this.bytes.length < 65_536) this.bytes = Buffer.concat([this.bytes, data]);
    });
    onTestFinished(() => socket.terminate());
  }

  /** Opens it, or tells how it was refused. */
  static async open(
    service: Pick<Service, 'url'>,
    client: Client,
    headnode: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Screen | Refused> {
    const url = `${service.url.replace('http', 'ws')}/v0/headnode/${headnode}/vnc`;
    const socket = new WebSocket(url, { headers: { ...client.headers, ...headers }, perMessageDeflate: false });
    const screen = new Screen(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(screen));
      socket.once('unexpected-response', (_request, response) => void refused(response).then(resolve, reject));
      socket.on('error', reject);
    });
  }
}

export interface Refused {
  readonly status: number;
  readonly type: string;
  readonly msg: string;
}

const refused = async (response: IncomingMessage): Promise<Refused> => {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Omit<Refused, 'status'>;
  return { status: response.statusCode ?? 0, ...body };
};

/** Something that listens where a VNC would. */
export interface Display {
  readonly port: number;
  /** Those who are connected, in the order of their coming. */
  readonly viewers: readonly Socket[];
  /** The next one to come. */
  viewer(): Promise<Socket>;
  /** Hangs up on everybody and no longer listens. */
  stop(): Promise<void>;
}

/** Starts a display on a port of loopback; it ends with the test. */
export const startDisplay = async (): Promise<Display> => {
  const viewers: Socket[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    viewers.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const stop = async (): Promise<void> => {
    for (const socket of viewers) socket.destroy();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  let seen = 0;
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    viewers,
    viewer: async () => {
      while (viewers.length <= seen) await once(server, 'connection');
      const [viewer] = viewers.slice(seen);
      seen += 1;
      if (viewer === undefined) throw new Error('nobody came');
      return viewer;
    },
    stop,
  };
};
