import { addressKey, isOwnKey } from '@corral/base/http/address-key';
import { isForwarded, tidyForwarded, trustIn } from '@corral/base/http/forwarded-headers';
import type { HttpOptions } from '@corral/base/http/http-options';
import { securityHeaders } from '@corral/base/http/security-headers';
import { ConcurrencyLimit } from '@corral/base/http/concurrency-limit';
import { RateLimit } from '@corral/base/http/rate-limit';
import { limitConnections } from '@corral/base/http/http-server';
import { wantsWebSocket } from '@corral/base/http/websocket-upgrades';
import { type FindPath, methodNotAllowed } from '@corral/base/http/known-paths';
import { shortName } from '@corral/base/schema/shorten';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { CorralError, invalid, notFound, tooMany } from '../core/corral-error.ts';
import type { Metrics } from './metrics.ts';

/** Before anything is asked of a request: what every answer carries, who sent it, and whether that is too often. */
export const guardRequests = (server: FastifyInstance, http: HttpOptions, metrics: Metrics): void => {
  const isTrusted = http.trustedProxies === null ? () => false : trustIn(http.trustedProxies);
  limitConnections(server, {
    total: http.limits.connections,
    perAddress: http.limits.connectionsPerAddress,
    isExempt: isTrusted,
    onEvent: (what) => metrics.refused(what === 'refused' ? 'connections' : 'made_room'),
  });
  if (http.trustedProxies !== null) {
    server.addHook('onRequest', (request, _reply, done) => {
      if (isTrusted(request.socket.remoteAddress ?? '')) trustForwardedHeaders(request);
      done();
    });
  }
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(request.protocol)).header('x-request-id', request.id);
    done();
  });
  if (http.limits.rate > 0) server.addHook('onRequest', limitRate(http.limits.rate, metrics));
};

/**
 * Takes a trusted proxy's word. A client that it does not name, or calls this very machine, is nobody in particular:
 * programs on this machine have no limits, and come without a proxy.
 */
const trustForwardedHeaders = (request: FastifyRequest): void => {
  const { headers } = request;
  const hasComeThrough = isForwarded(headers);
  tidyForwarded(headers);
  if (hasComeThrough && isOwnKey(keyOf(request))) headers['x-forwarded-for'] = 'unknown';
};

/** There is nothing at this address. */
export const unknownRoute = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): CorralError =>
  notFound(`no route ${method} ${shortName(url.split('?')[0] ?? '')}; all calls are under /v0, see /reference`);

export const refuseUnknown = (request: FastifyRequest): never => {
  throw unknownRoute(request);
};

/** Does a browser ask for a page? What looks like a call is none, also one that is misspelt. */
const wantsPage = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && /^\/(?!\/|v0)/i.test(url) && (headers.accept ?? '').includes('text/html');

/**
 * An unknown route is reported before its body is read. A browser's goes on to the handler of what is not found, which
 * has a page for it, or refuses it too (`refuseUnknown`).
 */
export const refuseUncallable =
  (findPath: FindPath): onRequestHookHandler =>
  (request, reply, done) => {
    const known = request.is404 ? findPath(request) : null;
    if (request.is404 && known === null && !wantsPage(request)) {
      done(unknownRoute(request));
    } else if (request.headers.host === undefined && request.raw.httpVersionMinor > 0) {
      done(invalid('the request has no Host header; HTTP/1.1 needs one'));
    } else if (known !== null) {
      reply.header('allow', known.allow);
      done(new CorralError('MethodNotAllowedError', methodNotAllowed(request.method, known)));
    } else done();
  };

const limitRate = (rate: number, metrics: Metrics): onRequestHookHandler => {
  const limit = new RateLimit(rate);
  return (request, _reply, done) => {
    const key = keyOf(request);
    const seconds = isOwnKey(key) ? 0 : limit.wait(key);
    if (seconds === 0) return done();
    metrics.refused('rate');
    done(tooMany(`more than ${rate} requests a second from your address; wait a moment`, seconds));
  };
};

/** Keeps one address from holding all the streams there can be: event streams, consoles, screens. */
export const limitStreams = (most: number, metrics: Metrics): onRequestHookHandler => {
  const streamLimit = new ConcurrencyLimit(most === 0 ? Infinity : most);
  return (request, reply, done) => {
    const key = keyOf(request);
    if (isOwnKey(key)) return done();
    const giveBack = streamLimit.take(key);
    if (giveBack === null) {
      metrics.refused('streams');
      done(tooMany(`${most} streams and consoles are open from your address; close one first`, 1));
      return;
    }
    const connection = wantsWebSocket(request) ? request.raw.socket : reply.raw;
    connection.once('close', giveBack);
    // It may have left while we found out who it is.
    if (connection.destroyed) giveBack();
    done();
  };
};

/** A client that is gone has no address any more. */
const keyOf = ({ ip }: { readonly ip?: string | undefined }): string => addressKey(ip ?? '');
