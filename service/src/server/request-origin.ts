import { wantsWebSocket } from '@corral/base/http/websocket-upgrades';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unauthorized } from '../core/corral-error.ts';

const publicUrls = new WeakMap<FastifyInstance, string>();

/** Pages of this service have this origin from now on, whatever a request says. */
export const setPublicUrl = (server: FastifyInstance, origin: string): void => void publicUrls.set(server, origin);

/** The origin that pages of this service have, as the client sees it. */
export const originOf = (request: FastifyRequest): string =>
  publicUrls.get(request.server) ?? `${request.protocol}://${request.host}`;

/**
 * Refuses changes that a page of another origin makes a browser ask for. Browsers send along passwords that were once
 * typed into their own box, to whichever page makes them ask, and bodies are taken whatever their type; but they also
 * say whose page it was, which programs other than browsers do not. `trusted` are the origins of `cors.origins`.
 */
export const refuseForeignPages = (request: FastifyRequest, trusted: readonly string[]): void => {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn = site === undefined ? origin === undefined || origin === originOf(request) : site === 'same-origin';
  if (isOwn || (site === 'none' && origin === undefined)) return;
  const isSocket = wantsWebSocket(request);
  if (!isSocket && origin !== undefined && trusted.includes(origin)) return;
  throw unauthorized(
    isSocket
      ? 'a page of another origin may not open a WebSocket here; open it from this service'
      : 'a page of another origin may not change anything here; to allow it, add it to cors.origins',
  );
};
