import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Listens; under the name `localhost` at both of its addresses, with the same limits for both. */
export const listenAt = async (
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> => {
  if (host !== 'localhost') {
    await app.listen({ host, port });
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
  await app.listen({ host: '127.0.0.1', port });
  second.listen((app.server.address() as AddressInfo).port, '::1');
  // Where there is no IPv6, one will do.
  await once(second, 'listening').catch(() => undefined);
};
