import type { CorralEvent, FollowOptions } from './follow-events.ts';
import { timerFor } from './pause.ts';

/** How long to wait. */
export interface WatchOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** false: it looks now and then, and opens no stream of events: a browser has few connections for all its pages. */
  readonly listens?: boolean;
}

/** What waiting needs of a client. */
export interface Watched<T> {
  ask(id: string, signal: AbortSignal): Promise<T>;
  follow(options: FollowOptions): AsyncGenerator<CorralEvent>;
}

interface Watch<T> extends WatchOptions {
  readonly timeoutMs: number;
  readonly isOver: (found: T) => boolean;
  /** Called after every look while it is not over. */
  readonly onPending: (found: T) => void;
  /** What those get who have waited long enough. */
  readonly late: (cause: unknown) => Error;
}

const firstLookMs = 100;
const longestLookMs = 2_000;

/**
 * Looks at something that the service does to a node until it is over: whenever an event tells of the node, and now and
 * then in case the stream of events cannot be had.
 */
export const watchUntil = async <T extends { readonly node: string }>(
  source: Watched<T>,
  id: string,
  { timeoutMs, signal, listens = true, isOver, onPending, late }: Watch<T>,
): Promise<T> => {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timerFor(timeoutMs));
  const either = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
  const wakeup = new Wakeup();
  let node: string | null = null;
  const hear = (event: CorralEvent): void => {
    if (node === null || event.node === node) wakeup.notify();
  };
  const listening = listens ? listen(source, either, hear) : null;
  try {
    for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
      const found = await source.ask(id, either);
      if (isOver(found)) return found;
      node = found.node;
      onPending(found);
      await wakeup.wait(pauseMs, either);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!over.signal.aborted) throw error;
    throw late(error);
  } finally {
    clearTimeout(timer);
    over.abort();
    await listening;
  }
};

/** Without a stream, looking now and then has to do: so whatever is wrong with it concerns nobody. */
const listen = async (
  source: Pick<Watched<unknown>, 'follow'>,
  signal: AbortSignal,
  hear: (event: CorralEvent) => void,
): Promise<void> => {
  try {
    for await (const event of source.follow({ signal })) hear(event);
  } catch {
    // As said above.
  }
};

/** Wakes the waiter, or the next one. */
class Wakeup {
  #isNotified = false;
  #wake: () => void = () => undefined;

  notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#isNotified = false;
        resolve();
      };
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(end, ms);
      this.#wake = end;
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else if (this.#isNotified) end();
    });
  }
}
