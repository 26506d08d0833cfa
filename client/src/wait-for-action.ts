import type { Calls } from './calls.ts';
import { ActionFailedError, NotFoundError, TimedOutError } from './api-errors.ts';
import type { CorralEvent, FollowOptions } from './follow-events.ts';
import { timerFor } from './pause.ts';

/** What became of a queued change, as `show_networking_action` tells it. */
export type Action = Calls['showNetworkingAction']['reply'];

/** How long to wait, and where to report progress. */
export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** false: it looks now and then, and opens no stream of events: a browser has few connections for all its pages. */
  readonly listens?: boolean;
  /** Called after every check while it is pending. */
  readonly onPending?: (action: Action) => void;
}

/** What waiting needs of a client. */
interface ActionSource {
  ask(statusId: string, signal: AbortSignal): Promise<Action>;
  follow(options: FollowOptions): AsyncGenerator<CorralEvent>;
}

const usualTimeoutMs = 120_000;
const firstLookMs = 100;
const longestLookMs = 2_000;

/**
 * Looks at a queued change until it is over: whenever an event tells of its node, and now and then in case the stream
 * of events cannot be had.
 */
export const waitForAction = async (
  source: ActionSource,
  statusId: string,
  options: WaitOptions = {},
): Promise<Action> => {
  const { timeoutMs = usualTimeoutMs, signal, listens = true, onPending } = options;
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
      const action = await look(source, statusId, either);
      if (action.status === 'DONE') return action;
      if (action.status === 'ERROR') throw new ActionFailedError(action.error ?? 'the change failed');
      node = action.node;
      onPending?.(action);
      await wakeup.wait(pauseMs, either);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!over.signal.aborted) throw error;
    throw new TimedOutError(`the change is still pending after ${timeoutMs / 1000} s; check ${statusId} later`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    over.abort();
    await listening;
  }
};

const look = async (source: ActionSource, statusId: string, signal: AbortSignal): Promise<Action> => {
  try {
    return await source.ask(statusId, signal);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new ActionFailedError(
      `change ${statusId} does not exist: a later one on the same nic replaced it, or it was never queued`,
      { cause: error },
    );
  }
};

/** Without a stream, looking now and then has to do: so whatever is wrong with it concerns nobody. */
const listen = async (source: ActionSource, signal: AbortSignal, hear: (event: CorralEvent) => void): Promise<void> => {
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
