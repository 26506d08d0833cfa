import { unreadiness } from '@corral/base/db/readiness';
import { seesMetrics } from '@corral/base/http/metrics-access';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { NodeRegistry } from '../core/node-registry.ts';
import type { Db } from '../db/open-obmd-database.ts';
import type { Metrics } from './obmd-metrics.ts';

interface OperatorParts {
  readonly db: Db;
  /** Null while another process has the nodes. */
  readonly nodeRegistry: () => NodeRegistry | null;
  /** Why the caller is not an administrator; null if they are. */
  readonly adminRefusal: (request: FastifyRequest) => Error | null;
}

/** What an operator's machines ask. */
export const serveOperator = (
  server: FastifyInstance,
  metrics: Metrics,
  { db, nodeRegistry, adminRefusal }: OperatorParts,
): void => {
  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const why =
      (await unreadiness(db)) ?? (nodeRegistry() === null ? 'standby: another process manages the nodes' : null);
    return why === null ? reply.send({ status: 'ready' }) : reply.status(503).send({ status: why });
  });
  server.get('/metrics', {
    // Programs on this machine, and administrators.
    onRequest: (request, _reply, done) =>
      done(seesMetrics('loopback', request) ? undefined : (adminRefusal(request) ?? undefined)),
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text(nodeRegistry())),
  });
};
