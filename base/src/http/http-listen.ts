import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

interface Listening {
  readonly host: string;
  readonly port: number;
  /** The port is not shared with other processes of the program. */
  readonly exclusive?: boolean;
}

/** Listens; under the name `localhost` at both of its addresses, with the same limits for both. */
export const listenAt = async (app: FastifyInstance, { host, port, exclusive = false }: Listening): Promise<void> => {
  if (host !== 'localhost') {
    await app.listen({ host, port, exclusive });
    return;
  }
  // Both feed one HTTP server: the framework would make a second one that knows nothing of our manners.
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app.server.emit('connection', socket),
  );
  app.addHook('preClose', (done) => {
    second.close();
    done();
  });
  await app.listen({ host: '127.0.0.1', port, exclusive });
  second.listen({ host: '::1', port: (app.server.address() as AddressInfo).port, exclusive });
  // Where there is no IPv6, one will do.
  await once(second, 'listening').catch(() => undefined);
};
