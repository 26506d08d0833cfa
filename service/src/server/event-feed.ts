import { TimeShare } from '@corral/base/time-share';
import { allEventsAfter, type EventList, type EventView, listEvents } from '../core/audit.ts';
import { isAdmin, permissionsKey } from '../core/caller.ts';
import { newestOpenChange } from '../core/open-changes.ts';
import type { RequestContext } from '../core/request-context.ts';
import { settledEvents } from '../db/event-order.ts';
import type { Db } from '../db/service-database.ts';

/** Events of a page. Small enough that nobody waits for one to be made. */
const batch = 200;
/**
 * A busy tenant costs the others a look now and then, not one for each change: when looks took their share of the time,
 * what happens meanwhile is sent together. Who asks for one change sees at once that it was accepted, and that it is done.
 */
const looks = { share: 1 / 6, atOnceMs: 60, longestWaitMs: 50 };
/**
 * Without a change everybody looks this often anyway, in case a notification was missed; and proxies see that the stream lives.
 */
export const heartbeatMs = 5_000;
/**
 * Nobody looked for open changes for this long: there was no stream, or the process was paused. What happened meanwhile
 * may be much, and is not searched; a stream of before gets a hint.
 */
const forgottenMs = 60_000;
/** How many events are searched for a client that comes back after that. */
const mostSearched = 1_000;

/** What a stream sends next, made once for all that may see the same and are at the same place. */
export interface FeedPage {
  readonly frames: string;
  /** Where the stream is when it has sent this. */
  readonly upTo: number;
  /** There may be more already. */
  readonly isFull: boolean;
  /** Every event up to this one can be read. */
  readonly settled: number;
}

/** What is known of changes that everybody can see. */
export interface OpenChanges {
  /** Of those after this event, and not of earlier ones. */
  readonly since: number;
  /** The newest of them; `since` if there is none. */
  readonly newest: number;
}

/** Feeds all event streams of a process. Those of the same rights share each look at the database. */
export class EventFeed {
  #round = 0;
  #pages = new Map<string, Promise<FeedPage>>();
  #open: Promise<OpenChanges> | null = null;
  #lookedAt = 0;
  #known: (OpenChanges & { readonly upTo: number }) | null = null;
  readonly #waiting = new Set<() => void>();
  readonly #time = new TimeShare(looks);
  #gathering: { readonly cancel: () => void } | null = null;
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(db: Db) {
    db.changes.on('events', () => this.#notified());
    // A caller that lost access loses the stream too, and not only at the next event.
    db.changes.on('users', () => this.#notified());
  }

  /** Grows whenever there may be something new. A page of a round was read after the round began. */
  get round(): number {
    return this.#round;
  }

  /** The next events for a caller with the rights of this request context. */
  page(context: RequestContext, after: number): Promise<FeedPage> {
    const key = `${after}\0${permissionsKey(context.caller)}`;
    const known = this.#pages.get(key);
    if (known) return known;
    const began = performance.now();
    const made = read(context, after).finally(() => this.#time.took(performance.now() - began));
    const pages = this.#pages;
    pages.set(key, made);
    // A failure is nobody else's. What lies behind is shared by those who read it at once, and not kept.
    made.then(
      ({ isFull }) => isFull && pages.delete(key),
      () => pages.delete(key),
    );
    return made;
  }

  /**
   * Changes that everybody can see, up to the events of a page: one look in a round, for all streams. `seen`: the last
   * event that the stream's client knows everything up to.
   */
  openChanges({ query }: RequestContext, { settled }: FeedPage, seen: number): Promise<OpenChanges> {
    if (this.#open !== null) return this.#open;
    const made = this.#lookForOpenChanges(query, settled, seen);
    this.#open = made;
    // A failure is nobody else's.
    made.catch(() => {
      if (this.#open === made) this.#open = null;
    });
    return made;
  }

  async #lookForOpenChanges(query: RequestContext['query'], upTo: number, seen: number): Promise<OpenChanges> {
    const now = performance.now();
    const isOld = now - this.#lookedAt >= forgottenMs;
    this.#lookedAt = now;
    const known = (isOld ? null : this.#known) ?? begunAt(Math.max(Math.min(seen, upTo), upTo - mostSearched));
    const newest = await newestOpenChange(query, known.upTo, upTo);
    this.#known = { since: known.since, newest: newest ?? known.newest, upTo: Math.max(known.upTo, upTo) };
    return this.#known;
  }

  /** Resolves in the round after `round`, after so many milliseconds, or when `signal` aborts. */
  async next(round: number, signal: AbortSignal, longestMs: number): Promise<void> {
    if (this.#round !== round || signal.aborted || longestMs <= 0) return;
    this.#heartbeat ??= setTimeout(() => this.#begin(), heartbeatMs).unref();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, longestMs).unref();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #notified(): void {
    if (this.#gathering !== null) return;
    this.#gathering = after(this.#time.waitMs, () => this.#begin());
  }

  #begin(): void {
    this.#gathering?.cancel();
    if (this.#heartbeat !== null) clearTimeout(this.#heartbeat);
    this.#gathering = null;
    this.#heartbeat = null;
    this.#round += 1;
    this.#pages = new Map();
    this.#open = null;
    for (const wake of [...this.#waiting]) wake();
  }
}

const begunAt = (event: number) => ({ since: event, newest: event, upTo: event });

/** Without a wait it is an immediate: a timer takes a millisecond at least. */
const after = (ms: number, begin: () => void): { readonly cancel: () => void } => {
  if (ms > 0) {
    const timer = setTimeout(begin, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  }
  const immediate = setImmediate(begin);
  return { cancel: () => clearImmediate(immediate) };
};

const read = async (context: RequestContext, after: number): Promise<FeedPage> => {
  const { events, next, settled } = await eventsAfter(context, after);
  const frames = events.map(frameOf).join('');
  if (next === null) return { frames, upTo: Math.max(after, settled), isFull: false, settled };
  return { frames, upTo: next, isFull: true, settled };
};

/** Most looks find everything settled: who may see all of it is then answered by one look. */
const eventsAfter = async (context: RequestContext, after: number): Promise<EventList & { settled: number }> => {
  const all = isAdmin(context.caller) ? await allEventsAfter(context, after, batch) : null;
  if (all !== null) return all;
  const settled = await settledEvents(context.query);
  const page = await context.read((op) => listEvents(op, {}, { after, settled, limit: batch }));
  return { ...page, settled };
};

const frameOf = (event: EventView): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
