import type { IncomingHttpHeaders } from 'node:http';
import { acceptJsonBodies } from '@corral/base/http/json-body';
import { closingOf } from '@corral/base/http/graceful-close';
import { knownPaths } from '@corral/base/http/known-paths';
import { acceptUpgrades } from '@corral/base/http/websocket-upgrades';
import { securityHeaders } from '@corral/base/http/security-headers';
import { shortMessage } from '@corral/base/schema/shorten';
import { parseQuery } from '@corral/base/http/query-string';
import { trustIn } from '@corral/base/http/forwarded-headers';
import {
  endUnread,
  ignoreExpectations,
  maxParamLength,
  newServer,
  requestIds,
  smallBodyLimit,
} from '@corral/base/http/http-server';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isAdmin } from '../core/caller.ts';
import { invalid } from '../core/corral-error.ts';
import type { App } from './app-context.ts';
import { type CallParts, handlerOf } from './call-handler.ts';
import { allowOrigins } from './cors.ts';
import { statusOf, toCorralError } from './http-errors.ts';
import { guardRequests, limitStreams, refuseUncallable } from './request-guard.ts';
import { callerOf, identify, isForEverybody, rememberCallers } from './identify-caller.ts';
import { ResponseCache } from './response-cache.ts';
import { joinPortName } from './port-paths.ts';
import { isStream } from './route-reply.ts';
import type { Route } from './route.ts';

/** Builds the HTTP server out of the route list. */
export const buildServer = (app: App): FastifyInstance => {
  const { http } = app;
  const findPath = knownPaths(app.routes.map(({ method, path }) => ({ method, path: `/v0${path}` })));
  const server = newServer(http.tls, {
    ...(http.trustedProxies === null ? {} : { trustProxy: trustIn(http.trustedProxies) }),
    routerOptions: { maxParamLength, querystringParser: parseQuery },
    rewriteUrl: ({ url }) => joinPortName(url ?? '/'),
    genReqId: requestIds(),
    frameworkErrors: (error, request, reply: FastifyReply) => {
      const { type, message } = toCorralError(error);
      const answer = reply.status(statusOf[type]).headers(securityHeaders(request.protocol));
      endUnread(request, answer);
      void answer.header('x-request-id', request.id).send({ type, msg: shortMessage(message) });
    },
  });
  rememberCallers(server);
  ignoreExpectations(server);
  guardRequests(server, http, app.metrics);
  if (http.corsOrigins.length > 0) allowOrigins(server, http.corsOrigins, app.routes, findPath);
  server.addHook('onRequest', refuseUncallable(findPath));
  acceptUpgrades(server);
  acceptJsonBodies(server, invalid);
  server.addHook('onResponse', (request, reply, done) => {
    observe(app, request, reply, request.routeOptions.url ?? findPath(request)?.path ?? 'unknown');
    done();
  });
  server.setErrorHandler((error, request, reply) => {
    const shown = toCorralError(error);
    if (shown.type === 'ServerError')
      app.log.error({ requestId: request.id, err: shown.cause ?? shown }, 'request failed');
    else if (shown.cause !== undefined) app.log.warn({ requestId: request.id, err: shown.cause }, shown.message);
    if (shown.type === 'AuthorizationError') reply.header('www-authenticate', challengeFor(app, request.headers));
    endUnread(request, reply);
    if (shown.retryAfterS !== null) reply.header('retry-after', shown.retryAfterS);
    return reply
      .status(statusOf[shown.type])
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send({ type: shown.type, msg: shortMessage(isAdmin(callerOf(request)) ? shown.forAdmins : shown.message) });
  });

  const closing = closingOf(server);
  const cached = new ResponseCache(app.db);
  const streams = limitStreams(http.limits.streamsPerAddress, app.metrics);
  for (const declared of app.routes) {
    const isClosed = declared.access === 'anyone' && app.requireAuthentication;
    const route: Route = isClosed ? { ...declared, access: 'user' } : declared;
    server.route<CallParts>({
      method: route.method,
      url: `/v0${route.path}`,
      ...(isForEverybody(route) ? { bodyLimit: smallBodyLimit } : {}),
      onRequest: [identify(app.auth, route, http.corsOrigins), ...(isStream(route.reply) ? [streams] : [])],
      ...(route.reply.kind === 'json' ? { schema: { response: { [route.status]: route.reply.schema } } } : {}),
      handler: handlerOf(app, route, { cache: cached, closing }),
    });
  }
  return server;
};

/** A page that asks with a script says itself that one must sign in; the browser's own box would be in its way. */
const challengeFor = (app: App, headers: IncomingHttpHeaders): string => {
  // Only browsers tell the site; some programs send the mode too.
  const isScripted = headers['sec-fetch-site'] !== undefined && headers['sec-fetch-mode'] !== 'navigate';
  return isScripted ? 'Session realm="corral"' : app.auth.challenge;
};

const observe = (
  app: App,
  request: { id: string; method: string },
  reply: { statusCode: number; elapsedTime: number },
  route: string,
): void => {
  app.metrics.requestDone(request.method, route, reply.statusCode, reply.elapsedTime);
  // The route's pattern, not the URL: a query can carry what a log should not.
  const isRoutine = request.method === 'GET' && reply.statusCode < 500;
  if (isRoutine && !app.log.isLevelEnabled('debug')) return;
  const line = {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    ms: reply.elapsedTime,
  };
  app.log[isRoutine ? 'debug' : 'info'](line, 'request');
};
