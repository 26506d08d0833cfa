import { unreadiness } from '@corral/base/db/readiness';
import type { HttpOptions } from '@corral/base/http/http-options';
import { seesMetrics } from '@corral/base/http/metrics-access';
import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Db } from '../db/service-database.ts';
import { identify } from './identify-caller.ts';
import type { Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import { referencePage, referencePolicy } from './reference-page.ts';
import type { RouteGroup } from './routes/all-routes.ts';

/** What an operator's machines ask: health and metrics. */
export interface OperatorParts {
  readonly db: Db;
  readonly metrics: Metrics;
  /** They name switches: administrators see them, and others that the operator permits. */
  readonly seesMetrics: HttpOptions['metrics'];
  readonly auth: Authenticator;
  /** False as soon as the process is stopping. */
  readonly isAccepting: () => boolean;
}

export const serveOperator = (server: FastifyInstance, parts: OperatorParts): void => {
  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    if (!parts.isAccepting()) return reply.status(503).send({ status: 'stopping' });
    const why = await unreadiness(parts.db);
    return why === null ? reply.send({ status: 'ready' }) : reply.status(503).send({ status: why });
  });
  const admins = identify(parts.auth, { access: 'admin', effect: 'reads' }, []);
  server.get('/metrics', {
    onRequest: (request, reply, done) => {
      if (seesMetrics(parts.seesMetrics, request)) done();
      else admins.call(server, request, reply, done);
    },
    handler: async (_request, reply) => reply.type(parts.metrics.contentType).send(await parts.metrics.text()),
  });
};

/** The document and the page that describe the calls. */
export const serveReference = (server: FastifyInstance, groups: readonly RouteGroup[], version: string): void => {
  const document = JSON.stringify(openApi(groups, version));
  const page = referencePage(groups, version);
  const json = 'application/json; charset=utf-8';
  server.get('/openapi.json', (_request, reply) => reply.type(json).send(document));
  server.get('/reference', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', referencePolicy)
      .header('cache-control', 'no-cache')
      .send(page),
  );
};
