import { firstOf, onAbort } from '@corral/base/abort';
import { openWebSocket, wantsWebSocket } from '@corral/base/http/websocket-upgrades';
import type {
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteHandlerMethod,
} from 'fastify';
import { permissionsKey, type Caller } from '../core/caller.ts';
import type { ConsoleSession } from '../core/console-sessions.ts';
import { createRequestContext } from '../core/request-context.ts';
import type { App } from './app-context.ts';
import { pipeConsole } from './console-socket.ts';
import { admit, callerOf, credentialsOf, identifyAgain } from './identify-caller.ts';
import type { ResponseCache } from './response-cache.ts';
import type { RequestParts } from './request-parts.ts';
import { type ParseRequest, type Call, type Client, type CacheScope, mediaTypes } from './route-reply.ts';
import type { Route } from './route.ts';
import { eventStream } from './event-stream.ts';
import { openTunnel } from './tunnel-socket.ts';
import { watchAccess } from './access-watch.ts';

/** How Fastify types the parts of a request: the arguments of a path are strings. */
export interface CallParts {
  readonly Params: Readonly<Record<string, string>>;
}

type Request = FastifyRequest<CallParts>;
type Handler = RouteHandlerMethod<RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, CallParts>;

interface HandlerOptions {
  readonly cache: ResponseCache;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}

/** Turns a route into a handler: check every part, make a request context for the caller, run, answer. */
export const handlerOf = (app: App, route: Route, { cache: cached, closing }: HandlerOptions): Handler => {
  const answer = route.reply;
  switch (answer.kind) {
    case 'none':
      return async (request, reply) => {
        await run(app, route, answer.parse, request, reply);
        return reply.status(route.status).send();
      };
    case 'json':
      return async (request, reply) => {
        const make = async () => (await run(app, route, answer.parse, request, reply)).result;
        // What is kept for these arguments was made for a request that passed the check; a query has not been checked.
        if (answer.keep === null || request.url.includes('?')) {
          void reply.status(route.status);
          return reply.send(await make());
        }
        const text = await cached.answer(keyOf(request, route, answer.keep), async () =>
          textOf(reply.serialize(await make())),
        );
        return reply.type('application/json; charset=utf-8').send(text);
      };
    case 'console':
      return async (request, reply) => {
        const { call, result: session } = await run(app, route, answer.parse, request, reply);
        const accessWatch = watchAccess(app, request, route, call.recheckAccess);
        session.stream.once('close', accessWatch.end);
        onAbort(accessWatch.signal, () => session.cut(String(accessWatch.signal.reason)));
        return sendConsole(request, reply, session);
      };
    case 'tunnel':
      return async (request, reply) => {
        const { call, result: endpoint } = await run(app, route, answer.parse, request, reply);
        const accessWatch = watchAccess(app, request, route, call.recheckAccess);
        const { signal, release } = firstOf(closing, accessWatch.signal);
        return openTunnel(request, reply, endpoint, signal).finally(() => {
          release();
          accessWatch.end();
        });
      };
    case 'events':
      return eventStream(app, (request) => answer.parse(partsOf(request)), closing);
  }
};

const partsOf = ({ params, query, body }: FastifyRequest): RequestParts => ({ params, query, body: body ?? {} });

const run = async <T, C extends Call<T>>(
  app: App,
  route: Route,
  accept: ParseRequest<C & Call<T>>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly call: C; readonly result: T }> => {
  const call = accept(partsOf(request));
  await identifyAgain(app.auth, request, route);
  const rights = { admit: (caller: Caller) => admit(caller, route), effect: route.effect, devices: route.devices };
  const context = createRequestContext(app.db, app.dependencies, {
    caller: callerOf(request),
    requestId: request.id,
    rights,
  });
  return { call, result: await call.run(context, clientOf(route, request, reply)) };
};

const clientOf = (route: Route, request: FastifyRequest, reply: FastifyReply): Client => ({
  gone: () => gone(request, reply),
  wantsWebSocket: wantsWebSocket(request),
  address: request.ip,
  credentials: credentialsOf(request),
  setHeader: (name, value) => void reply.header(name, value),
  accepted: () => {
    if (!route.mayWait) throw new Error('a call answers with 202, and its route does not declare it');
    void reply.status(202);
  },
});

/** The serializers of schemas make strings; others could make bytes. */
const textOf = (made: string | ArrayBuffer | Buffer): string =>
  typeof made === 'string' ? made : new TextDecoder().decode(made);

/** By arguments, not by URL: the same call has many spellings. No label that passes the check holds a NUL. */
const keyOf = (request: Request, { name }: Route, cache: Exclude<CacheScope, null>): string => {
  const whose = cache === 'everyone' ? '' : permissionsKey(callerOf(request));
  return `${whose}\0\0${name}\0${Object.values(request.params).join('\0')}`;
};

const sendConsole = async (
  request: FastifyRequest,
  reply: FastifyReply,
  session: ConsoleSession,
): Promise<FastifyReply> => {
  if (wantsWebSocket(request)) await pipeConsole(await openWebSocket(request, reply, 'typing'), session);
  else {
    void reply.type(mediaTypes.console).send(session.stream);
    // A silent console has no first byte to take the headers along, and the client would not know that it is connected.
    reply.raw.flushHeaders();
  }
  return reply;
};

/** Aborts when the client is gone. Asked for by the few that stream: an abort costs more than most answers. */
const gone = (request: FastifyRequest, reply: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  const connection = wantsWebSocket(request) ? request.raw.socket : reply.raw;
  connection.once('close', () => controller.abort());
  // It may have left while we found out who it is.
  if (connection.destroyed) controller.abort();
  return controller.signal;
};
