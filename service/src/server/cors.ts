import type { FindPath } from '@corral/base/http/known-paths';
import type { FastifyInstance } from 'fastify';
import type { Route } from './route.ts';

const headers = 'authorization, content-type, x-auth-token, last-event-id';
const exposed = 'x-request-id, retry-after';
const maxAgeS = '600';

/**
 * Lets pages of these origins call from a browser, with credentials that they hold themselves. Cookies are for our own
 * pages: a browser never gets permission to send them.
 */
export const allowOrigins = (
  server: FastifyInstance,
  origins: readonly string[],
  routes: readonly Pick<Route, 'method'>[],
  findPath: FindPath,
): void => {
  const allowed = new Set(origins);
  const methods = [...new Set(routes.map(({ method }) => method))].sort().join(', ');
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight || (request.is404 && findPath(request) === null)) {
      reply.header('access-control-expose-headers', exposed);
      return done();
    }
    void reply
      .status(204)
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', headers)
      .header('access-control-max-age', maxAgeS)
      .send();
  });
};
