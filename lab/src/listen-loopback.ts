import { connect, createServer, type Server } from 'node:net';

/** Where something listens: a TCP port on loopback, or a unix socket. */
export type ListenAddress = { readonly port: number } | { readonly path: string };

/** Has a server listen on loopback, on any port if none is given, and tells which it is. */
export const listen = async (server: Server, port = 0): Promise<number> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

/** A TCP port on loopback that nobody has at the moment. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
};

/** Does anybody take a call there? */
export const isListening = (address: ListenAddress): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ ...address });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
