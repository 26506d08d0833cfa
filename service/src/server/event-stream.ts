import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { firstOf, onAbort } from '@corral/base/abort';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { permissionsKey } from '../core/caller.ts';
import { invalid } from '../core/corral-error.ts';
import { prunedUpTo } from '../core/history.ts';
import { type RequestContext, createRequestContext } from '../core/request-context.ts';
import { settledEvents } from '../db/event-order.ts';
import type { App } from './app-context.ts';
import { ChangeHints } from './change-hints.ts';
import { EventFeed, heartbeatMs } from './event-feed.ts';
import { credentialsOf } from './identify-caller.ts';
import { mediaTypes } from './route-reply.ts';

/** A client that reads nothing for this long is disconnected, and may resume with Last-Event-ID. */
const stallTimeouts = { stalledMs: 30_000, lookMs: 5_000 };

/** Events as they happen, as server-sent events. A client that comes back with Last-Event-ID misses nothing. */
export const eventStream = (
  app: App,
  check: (request: FastifyRequest) => void,
  closing: AbortSignal,
): ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
  const feed = new EventFeed(app.db);
  return async (request, reply) => {
    check(request);
    const last = request.headers['last-event-id'];
    if (last !== undefined && !/^\d{1,15}$/.test(String(last))) {
      throw invalid('header "Last-Event-ID" is not the id of an event; expected a whole number');
    }
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort());
    // The caller is authenticated again at every page: without access there is no next event.
    const identify = () => app.auth.authenticate(credentialsOf(request, true));
    const context = async () =>
      createRequestContext(app.db, app.dependencies, { caller: await identify(), requestId: request.id });
    const start = last === undefined ? await settledEvents(app.db.query) : Number(last);
    const greeting = last === undefined ? '' : await gapAfter(app, start);
    const { signal, release } = firstOf(closed.signal, closing);
    onAbort(closed.signal, release);
    const frames = Readable.from(follow(feed, context, { start, greeting }, signal), { objectMode: false });
    hangUpOnStalled(reply.raw, closed.signal, stallTimeouts);
    return reply.type(`${mediaTypes.events}; charset=utf-8`).header('cache-control', 'no-store').send(frames);
  };
};

/** A page is read when the one before was taken, so a slow reader has two of them waiting at most. */
async function* follow(
  feed: EventFeed,
  context: () => Promise<RequestContext>,
  { start, greeting }: { readonly start: number; readonly greeting: string },
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `: connected\n\n${greeting}`;
  let after = start;
  let sentAt = performance.now();
  const hints = new ChangeHints(start);
  while (!signal.aborted) {
    const { round } = feed;
    const reader = await context();
    const page = await feed.page(reader, after);
    // While it was read, the caller may have lost access, and what happened after that is in it.
    if (page.frames !== '' && permissionsKey((await context()).caller) !== permissionsKey(reader.caller)) continue;
    hints.note(await feed.openChanges(reader, page, hints.seen), page.settled);
    after = page.upTo;
    // Nothing is sent because of something that the caller may not see, not even a sign of life.
    const isQuiet = performance.now() - sentAt >= heartbeatMs;
    const frames = `${page.frames}${hints.take()}` || (isQuiet ? ':\n\n' : '');
    if (frames !== '') {
      yield frames;
      sentAt = performance.now();
    }
    if (!page.isFull)
      await feed.next(round, signal, Math.min(hints.waitMs(), sentAt + heartbeatMs - performance.now()));
  }
}

/** Tells who comes back that some of what it has not seen may be gone. */
const gapAfter = async (app: App, last: number): Promise<string> => {
  const upTo = await app.db.read(prunedUpTo);
  return last < upTo ? `: events up to ${upTo} are no longer kept\n\n` : '';
};

/** Ends a connection whose other side has taken nothing of what waits for it, for too long. */
export const hangUpOnStalled = (
  response: ServerResponse,
  closed: AbortSignal,
  { stalledMs, lookMs }: { readonly stalledMs: number; readonly lookMs: number },
): void => {
  let sent = 0;
  let movedAt = performance.now();
  const timer = setInterval(() => {
    const { socket } = response;
    const now = performance.now();
    // What the kernel took; while nothing waits, nobody is late.
    const taken = (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
    if (taken !== sent || (socket?.writableLength ?? 0) === 0) [sent, movedAt] = [taken, now];
    else if (now - movedAt >= stalledMs) response.destroy();
  }, lookMs).unref();
  closed.addEventListener('abort', () => clearInterval(timer), { once: true });
};
