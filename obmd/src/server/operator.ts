import type { FastifyInstance } from 'fastify';
import type { Fleet } from '../core/fleet.ts';
import type { Metrics } from './metrics.ts';

/** What an operator's machines ask. `fleet` is null while another process has the nodes. */
export const serveOperator = (server: FastifyInstance, metrics: Metrics, fleet: () => Fleet | null): void => {
  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', (_request, reply) =>
    fleet() === null
      ? reply.status(503).send({ status: 'standby: another process looks after the nodes' })
      : reply.send({ status: 'ready' }),
  );
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text(fleet())));
};
