import { Readable } from 'node:stream';
import type { RouteHandlerMethod } from 'fastify';
import { type EventView, listEvents, newestEvent } from '../core/audit.ts';
import { invalid } from '../core/errors.ts';
import { deskFor } from '../core/op.ts';
import type { App } from './app.ts';
import { checkerOf } from './call.ts';
import { credentialsOf } from './identify.ts';
import type { Route } from './route.ts';

const batch = 200;
/** A comment this often keeps proxies from closing a quiet stream, and polls in case a ring was missed. */
const heartbeatMs = 5_000;

/** Events as they happen, as server-sent events. A client that comes back with Last-Event-ID misses nothing. */
export const eventStream = (app: App, route: Route, closing: AbortSignal): RouteHandlerMethod => {
  const check = checkerOf(route);
  return async (request, reply) => {
    check(request);
    const last = request.headers['last-event-id'];
    if (last !== undefined && !/^\d{1,15}$/.test(String(last))) {
      throw invalid('header "Last-Event-ID" is not the id of an event; expected a whole number');
    }
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort());
    // The caller is asked for anew at every batch: whoever loses access loses the stream's next event.
    const identify = () => app.auth.authenticate({ ...credentialsOf(request), isAskedAgain: true });
    const desk = async () => deskFor(app.db, app.site, { caller: await identify(), requestId: request.id });
    const start = last === undefined ? await newestEvent(app.db.ask) : Number(last);
    const frames = Readable.from(follow(app, desk, start, AbortSignal.any([closed.signal, closing])), {
      objectMode: false,
    });
    return reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store').send(frames);
  };
};

async function* follow(
  app: App,
  desk: () => Promise<ReturnType<typeof deskFor>>,
  start: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield ': connected\n\n';
  const bell = app.db.changes.listen('events');
  let after = start;
  try {
    while (!signal.aborted) {
      const events = await (await desk()).read((op) => listEvents(op, {}, { after, limit: batch }));
      for (const event of events) yield frameOf(event);
      after = events.at(-1)?.id ?? after;
      if (events.length < batch) await bell.wait(heartbeatMs, signal);
      if (events.length === 0) yield ':\n\n';
    }
  } finally {
    bell.close();
  }
}

const frameOf = (event: EventView): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
