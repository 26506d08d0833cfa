import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { authorityOf, type Caller } from '../core/caller.ts';
import { invalid } from '../core/errors.ts';
import { deskFor } from '../core/op.ts';
import { openWebSocket, wantsWebSocket } from '@corral/base/http/upgrades';
import { type Check, checkOf, inBody, inPath, joinMistakes } from '@corral/base/schema/check';
import type { ConsoleSession } from '../core/console-sessions.ts';
import { Tunnel } from '../core/vnc.ts';
import { converse } from './console-socket.ts';
import { openTunnel } from './tunnel-socket.ts';
import type { App } from './app.ts';
import { admit, callerOf, credentialsOf, identifyAgain } from './identify.ts';
import type { KeptAnswers } from './kept.ts';
import { checkQuery } from '@corral/base/http/query';
import type { Route } from './route.ts';
import { keepVigil } from './vigil.ts';

/** Refuses a request of which any part does not fit the route, and says what is wrong with all of them. */
export const checkerOf = (route: Route): ((request: FastifyRequest) => void) => {
  const checks: readonly (readonly [Check, (request: FastifyRequest) => unknown])[] = [
    [checkOf(route.params, inPath), (request) => request.params],
    [checkQuery(route.query), (request) => request.query],
    [checkOf(route.body, inBody), (request) => request.body ?? {}],
  ];
  return (request) => {
    const mistakes = checks.flatMap(([check, part]) => check(part(request)));
    if (mistakes.length > 0) throw invalid(joinMistakes(mistakes));
  };
};

/** Turns a route into a handler: check every part, open a desk for the caller, run, answer. */
export const handlerOf = (app: App, route: Route, kept: KeptAnswers, closing: AbortSignal): RouteHandlerMethod => {
  const check = checkerOf(route);
  return async (request, reply) => {
    const run = async (): Promise<unknown> => {
      check(request);
      await identifyAgain(app.auth, request, route);
      const rights = { admit: (caller: Caller) => admit(caller, route), effect: route.effect, devices: route.devices };
      const desk = deskFor(app.db, app.site, { caller: callerOf(request), requestId: request.id, rights });
      const args = { params: request.params, query: request.query, body: request.body ?? {} };
      return route.handle(desk, args, {
        gone: () => gone(request, reply),
        wantsWebSocket: wantsWebSocket(request),
        address: request.ip,
        credentials: credentialsOf(request),
        setHeader: (name, value) => void reply.header(name, value),
      });
    };
    // What is kept for these arguments was made for a request that passed the check; a query has not been looked at.
    if (route.keep !== null && !request.url.includes('?')) return sendKept(request, reply, route, kept, run);
    const answer = await run();
    reply.status(route.status);
    if (typeof route.reply === 'string') {
      const vigil = keepVigil(app, request, route);
      if (answer instanceof Tunnel) {
        return openTunnel(request, reply, answer, AbortSignal.any([closing, vigil.signal])).finally(vigil.end);
      }
      const session = answer as ConsoleSession;
      session.stream.once('close', vigil.end);
      vigil.signal.addEventListener('abort', () => session.cut(String(vigil.signal.reason)), { once: true });
      return sendConsole(request, reply, session);
    }
    return route.reply === null ? reply.send() : reply.send(answer);
  };
};

const sendKept = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { name, keep }: Route,
  kept: KeptAnswers,
  run: () => Promise<unknown>,
): Promise<FastifyReply> => {
  const whose = keep === 'everyone' ? '' : authorityOf(callerOf(request));
  // By arguments, not by URL: of that there are endless spellings. No label that passes the check holds a NUL.
  const args = Object.values(request.params as Readonly<Record<string, string>>).join('\0');
  const text = await kept.answer(`${whose}\0\0${name}\0${args}`, async () => JSON.stringify(await run()));
  return reply.type('application/json; charset=utf-8').send(text);
};

const sendConsole = async (
  request: FastifyRequest,
  reply: FastifyReply,
  session: ConsoleSession,
): Promise<FastifyReply> => {
  if (wantsWebSocket(request)) await converse(await openWebSocket(request, reply, 'typing'), session);
  else sendStream(reply, session.stream);
  return reply;
};

const sendStream = (reply: FastifyReply, stream: Readable): void => {
  void reply.type('application/octet-stream').send(stream);
  // A silent console has no first byte to take the headers along, and the client would not know that it is connected.
  reply.raw.flushHeaders();
};

/** Aborts when the client is gone. Asked for by the few that stream: an abort costs more than most answers. */
const gone = (request: FastifyRequest, reply: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  const line = wantsWebSocket(request) ? request.raw.socket : reply.raw;
  line.once('close', () => controller.abort());
  // It may have left while we found out who it is.
  if (line.destroyed) controller.abort();
  return controller.signal;
};
