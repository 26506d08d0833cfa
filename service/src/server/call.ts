import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { invalid } from '../core/errors.ts';
import { type Desk, deskFor } from '../core/op.ts';
import { type Check, checkOf, inBody, inPath, inQuery } from '../schema/check.ts';
import type { App } from './app.ts';
import { callerOf } from './identify.ts';
import type { KeptAnswers } from './kept.ts';
import type { Route } from './route.ts';

/** Turns a route into a handler: check every part, open a desk for the caller, run, answer. */
export const handlerOf = (app: App, route: Route, kept: KeptAnswers): RouteHandlerMethod => {
  const checks: readonly (readonly [Check, (request: FastifyRequest) => unknown])[] = [
    [checkOf(route.params, inPath), (request) => request.params],
    [checkOf(route.query, inQuery), (request) => request.query],
    [checkOf(route.body, inBody), (request) => request.body ?? {}],
  ];
  return async (request, reply) => {
    const mistakes = checks.flatMap(([check, part]) => check(part(request)));
    if (mistakes.length > 0) throw invalid(mistakes.join('; '));
    const desk = deskFor(app.db, app.site, { caller: callerOf(request), requestId: request.id });
    const args = { params: request.params, query: request.query, body: request.body ?? {} };
    reply.status(route.status);
    if (route.keep) return sendKept(reply, route, kept, desk, args);
    const answer = await route.handle(desk, args, gone(reply));
    if (answer instanceof Readable) return sendStream(reply, route, answer);
    return route.reply === null ? reply.send() : reply.send(answer);
  };
};

type Arguments = Parameters<Route['handle']>[1];

const sendKept = async (reply: FastifyReply, route: Route, kept: KeptAnswers, desk: Desk, args: Arguments) => {
  const bytes = await kept.answer(`${route.name} ${JSON.stringify(args)}`, async () =>
    JSON.stringify(await route.handle(desk, args, gone(reply))),
  );
  return reply.type('application/json; charset=utf-8').send(bytes);
};

const sendStream = (reply: FastifyReply, route: Route, stream: Readable) =>
  reply.type(typeof route.reply === 'string' ? route.reply : 'application/octet-stream').send(stream);

/** Aborts when the client is gone before the answer is. */
const gone = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
};
