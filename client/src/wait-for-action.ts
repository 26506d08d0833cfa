import type { Calls } from './calls.ts';
import { ActionFailedError, NotFoundError, TimedOutError } from './api-errors.ts';
import { type WatchOptions, watchUntil, type Watched } from './watch-until.ts';

/** What became of a queued change, as `show_networking_action` tells it. */
export type Action = Calls['showNetworkingAction']['reply'];

/** How long to wait, and where to report progress. */
export interface WaitOptions extends WatchOptions {
  /** Called after every check while it is pending. */
  readonly onPending?: (action: Action) => void;
}

const usualTimeoutMs = 120_000;

/** Looks at a queued change until it is over. */
export const waitForAction = async (
  source: Watched<Action>,
  statusId: string,
  { onPending, timeoutMs = usualTimeoutMs, ...options }: WaitOptions = {},
): Promise<Action> => {
  const ask = (id: string, signal: AbortSignal): Promise<Action> => look(source, id, signal);
  const action = await watchUntil({ ...source, ask }, statusId, {
    ...options,
    timeoutMs,
    isOver: ({ status }) => status !== 'PENDING',
    onPending: (pending) => onPending?.(pending),
    late: (cause) =>
      new TimedOutError(`the change is still pending after ${timeoutMs / 1000} s; check ${statusId} later`, { cause }),
  });
  if (action.status === 'ERROR') throw new ActionFailedError(action.error ?? 'the change failed');
  return action;
};

const look = async (source: Watched<Action>, statusId: string, signal: AbortSignal): Promise<Action> => {
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
