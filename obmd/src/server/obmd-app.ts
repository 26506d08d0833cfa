import { createHash, timingSafeEqual } from 'node:crypto';
import { acceptJsonBodies } from '@corral/base/http/json-body';
import { closingOf } from '@corral/base/http/graceful-close';
import { knownPaths, methodNotAllowed } from '@corral/base/http/known-paths';
import { checkQuery, parseQuery } from '@corral/base/http/query-string';
import { securityHeaders } from '@corral/base/http/security-headers';
import {
  endUnread,
  ignoreExpectations,
  limitConnections,
  maxParamLength,
  newServer,
  requestIds,
  smallBodyLimit,
} from '@corral/base/http/http-server';
import type { TlsFiles } from '@corral/base/http/tls-files';
import { acceptUpgrades } from '@corral/base/http/websocket-upgrades';
import { checkOf, inBody, inPath, joinMistakes } from '@corral/base/schema/schema-check';
import { shortMessage, shortName } from '@corral/base/schema/shorten';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { invalid, notFound, ObmdError, unauthorized } from '../core/obmd-error.ts';
import type { NodeRegistry } from '../core/node-registry.ts';
import { serveConsole } from './serve-console.ts';
import { statusOf, toObmdError } from './obmd-http-errors.ts';
import type { Metrics } from './obmd-metrics.ts';
import { NodeParams, NoParams, type ObmdRoute, routes } from './obmd-routes.ts';

/** What the server needs to serve. */
export interface App {
  /** Each of them is an administrator's. */
  readonly adminTokens: readonly string[];
  /** Throws while another process has the nodes. */
  readonly nodeRegistry: () => NodeRegistry;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly tls: TlsFiles | null;
}

const console: Omit<ObmdRoute & { access: 'token' }, 'handle'> = {
  method: 'GET',
  path: '/node/:id/console',
  access: 'token',
  body: NoParams,
};
/** Its clients are few: services, and those who look at their own node. */
const mostConnections = 4096;
const noQuery = checkQuery(NoParams);
const tokenQuery = checkQuery(
  Type.Object({ token: Type.Optional(Type.String({ maxLength: 256 })) }, { additionalProperties: false }),
);

/** Builds the HTTP server out of the route list. */
export const buildServer = (app: App): FastifyInstance => {
  const server = newServer(app.tls, {
    routerOptions: { maxParamLength, querystringParser: parseQuery },
    genReqId: requestIds(),
    frameworkErrors: (error, request, reply) =>
      void tell(request, (reply as FastifyReply).headers(securityHeaders(request.protocol)), toObmdError(error)),
  });
  ignoreExpectations(server);
  limitConnections(server, { total: mostConnections, perAddress: 0, isExempt: () => true, onEvent: () => undefined });
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(request.protocol));
    // Before the body: there is no reason to read it.
    done(request.is404 ? refuseUncallable(request, reply) : undefined);
  });
  acceptUpgrades(server);
  acceptJsonBodies(server, invalid);
  closingOf(server);
  server.addHook('onResponse', (request, reply, done) => {
    observe(app, request, reply);
    done();
  });
  server.setErrorHandler((error, request, reply) => {
    const shown = toObmdError(error);
    if (shown.type === 'ServerError') app.log.error({ requestId: request.id, err: error }, 'request failed');
    return tell(request, reply, shown);
  });
  for (const route of routes) {
    server.route({
      method: route.method,
      url: route.path,
      ...(route.access === 'admin'
        ? { onRequest: (request, _reply, done) => done(refusalOf(request, app.adminTokens) ?? undefined) }
        : { bodyLimit: smallBodyLimit }),
      handler: handlerOf(app, route),
    });
  }
  server.get(console.path, consoleOf(app));
  return server;
};

const findPath = knownPaths([...routes, console]);

const refuseUncallable = (request: FastifyRequest, reply: FastifyReply): Error => {
  const { method, url } = request;
  const known = findPath(request);
  if (known === null)
    return notFound(
      `no route ${method} ${shortName(url.split('?')[0] ?? '')}; see the documentation of the OBM daemon`,
    );
  reply.header('allow', known.allow);
  return new ObmdError('MethodNotAllowedError', methodNotAllowed(method, known));
};

const tell = (request: FastifyRequest, reply: FastifyReply, { type, message }: ObmdError): FastifyReply => {
  endUnread(request, reply);
  reply.header('x-request-id', request.id);
  if (type === 'AuthorizationError') reply.header('www-authenticate', 'Basic realm="obmd", charset="UTF-8"');
  if (statusOf[type] === 503) reply.header('retry-after', '2');
  return reply
    .status(statusOf[type])
    .type('application/json; charset=utf-8')
    .send({ type, msg: shortMessage(message) });
};

/** Who asks comes first, for administrators before their body; then whether it makes sense, then the nodes. */
const handlerOf = (app: App, route: ObmdRoute) => {
  const check = checkerOf(route);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    check(request);
    const nodeRegistry = app.nodeRegistry();
    const answer: unknown =
      route.access === 'admin'
        ? await route.handle(nodeRegistry, idOf(request), request.body ?? {})
        : await route.handle(nodeRegistry, nodeRegistry.admit(idOf(request), tokenOf(request)), request.body ?? {});
    return answer === undefined ? reply.send() : reply.send(answer);
  };
};

const consoleOf = (app: App) => {
  const check = checkerOf(console);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    check(request);
    return serveConsole(request, reply, app.nodeRegistry().admit(idOf(request), tokenOf(request)));
  };
};

const checkerOf = ({ path, body, access }: Pick<ObmdRoute, 'path' | 'body' | 'access'>) => {
  const checks = [
    [checkOf(path.includes(':id') ? NodeParams : NoParams, inPath), (request: FastifyRequest) => request.params],
    [access === 'token' ? tokenQuery : noQuery, (request: FastifyRequest) => request.query],
    [checkOf(body, inBody), (request: FastifyRequest) => request.body ?? {}],
  ] as const;
  return (request: FastifyRequest): void => {
    const mistakes = checks.flatMap(([check, part]) => check(part(request)));
    if (mistakes.length > 0) throw invalid(joinMistakes(mistakes));
  };
};

const idOf = ({ params }: FastifyRequest): string => (params as { id?: string }).id ?? '';
const tokenOf = ({ query }: FastifyRequest): string | null => (query as { token?: string }).token ?? null;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Why this is no administrator; null if it is. Compared by hash: how long it takes tells neither the length nor the beginning of the token. */
export const refusalOf = ({ headers }: FastifyRequest, adminTokens: readonly string[]): ObmdError | null => {
  const [, encoded = ''] = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(headers.authorization ?? '') ?? [];
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  const hash = digest(given);
  // Each is compared, so that the time is the same for either.
  const fitting = adminTokens.filter((token) => timingSafeEqual(hash, digest(`admin:${token}`)));
  if (fitting.length > 0) return null;
  return unauthorized('this call needs the admin token of the OBM daemon, as HTTP Basic with the user name admin');
};

const observe = (app: App, request: FastifyRequest, reply: FastifyReply): void => {
  // The route's pattern, not the URL: that has the token in it.
  const route = request.routeOptions.url ?? findPath(request)?.path ?? 'unknown';
  const { statusCode: status, elapsedTime: ms } = reply;
  app.metrics.requestDone(request.method, route, status, ms);
  const isRoutine = request.method === 'GET' && (status < 500 || route === '/readyz');
  const level = isRoutine ? 'debug' : 'info';
  app.log[level]({ requestId: request.id, method: request.method, route, node: idOf(request), status, ms }, 'request');
};
