import { type EventView, listEvents } from '../core/audit.ts';
import { permissionsKey } from '../core/caller.ts';
import type { RequestContext } from '../core/request-context.ts';
import { settledEvents } from '../db/event-order.ts';
import type { Db } from '../db/service-database.ts';

/** Events of a page. Small enough that nobody waits for one to be made. */
const batch = 200;
/** What happens within this time is sent together: a busy tenant costs the others a look each time, not each change. */
const gatherMs = 50;
/**
 * Without a change everybody looks this often anyway, in case a notification was missed; and proxies see that the stream lives.
 */
const heartbeatMs = 5_000;

/** What a stream sends next, made once for all that may see the same and are at the same place. */
export interface FeedPage {
  readonly frames: string;
  /** Where the stream is when it has sent this. */
  readonly upTo: number;
  /** There may be more already. */
  readonly isFull: boolean;
}

/** Feeds all event streams of a process. Those of the same rights share each look at the database. */
export class EventFeed {
  #round = 0;
  #pages = new Map<string, Promise<FeedPage>>();
  readonly #waiting = new Set<() => void>();
  #gathering: NodeJS.Timeout | null = null;
  #heartbeat: NodeJS.Timeout | null = null;
  #lastRoundAt = -gatherMs;

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
    const made = read(context, after);
    const pages = this.#pages;
    pages.set(key, made);
    // A failure is nobody else's. What lies behind is shared by those who read it at once, and not kept.
    made.then(
      ({ isFull }) => isFull && pages.delete(key),
      () => pages.delete(key),
    );
    return made;
  }

  /** Resolves in the round after `round`, or when `signal` aborts. */
  async next(round: number, signal: AbortSignal): Promise<void> {
    if (this.#round !== round || signal.aborted) return;
    this.#heartbeat ??= setTimeout(() => this.#begin(), heartbeatMs).unref();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #notified(): void {
    if (this.#gathering !== null) return;
    const pause = Math.max(0, this.#lastRoundAt + gatherMs - performance.now());
    this.#gathering = setTimeout(() => this.#begin(), pause).unref();
  }

  #begin(): void {
    for (const timer of [this.#gathering, this.#heartbeat]) if (timer !== null) clearTimeout(timer);
    this.#gathering = null;
    this.#heartbeat = null;
    this.#lastRoundAt = performance.now();
    this.#round += 1;
    this.#pages = new Map();
    for (const wake of [...this.#waiting]) wake();
  }
}

const read = async (context: RequestContext, after: number): Promise<FeedPage> => {
  const settled = await settledEvents(context.query);
  const { events, next } = await context.read((op) => listEvents(op, {}, { after, settled, limit: batch }));
  const frames = events.map(frameOf).join('');
  if (next === null) return { frames, upTo: Math.max(after, settled), isFull: false };
  return { frames, upTo: next, isFull: true };
};

const frameOf = (event: EventView): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
