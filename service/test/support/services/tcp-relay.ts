import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a program and a server that is to be gone for a while. */
export interface Relay {
  readonly port: number;
  /** Nothing listens there any more, and what was connected is cut off. */
  readonly cut: () => Promise<void>;
  /** To the same server, or to another. */
  readonly restore: (to?: number) => Promise<void>;
}

/** Relays connections on a loopback port of its own to another. */
export const relayTo = async (port: number): Promise<Relay> => {
  const sockets = new Set<Socket>();
  let target = port;
  const pair = (client: Socket): void => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  };
  const listenAt = async (at: number): Promise<Server> => {
    const server = createServer(pair);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, '127.0.0.1', resolve);
    });
    return server;
  };
  let server = await listenAt(0);
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port: own,
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restore: async (to = target) => {
      target = to;
      server = await listenAt(own);
    },
  };
};
