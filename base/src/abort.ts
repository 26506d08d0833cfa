import { setMaxListeners } from 'node:events';

/*
 * AbortSignal.any is not used anywhere: on Node 20 a signal of AbortSignal.timeout inside it is lost with the next
 * garbage collection, and a source that lives long keeps a record of every signal that was ever made from it.
 */

/** The time for something is over. */
export class TimedOut extends Error {
  override readonly name = 'TimeoutError';

  constructor(ms: number) {
    super(`no answer within ${ms / 1_000} s`);
  }
}

/** Calls `act` when the signal aborts, at once if it has aborted already. Returns a function that takes it back. */
export const onAbort = (signal: AbortSignal, act: () => void): (() => void) => {
  // Many may wait for one signal, such as the end of the service: no sign of a leak.
  setMaxListeners(0, signal);
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
};

/** What to do about an abort. */
interface OnAbort {
  /** What the promise is rejected with; the reason itself if nothing else is said. */
  readonly error?: (reason: unknown) => Error;
  /** Ends what was begun, after the rejection: what it does must not give another reason. */
  readonly giveUp?: () => void;
}

/**
 * Settles as `work` does, or rejects as soon as the signal aborts. Work that cannot be stopped goes on, and nobody
 * hears how it ends; work given as a function does not begin after an abort.
 */
export const unlessAborted = <T>(
  work: Promise<T> | (() => Promise<T>),
  signal: AbortSignal,
  { error = reasonOf, giveUp }: OnAbort = {},
): Promise<T> =>
  new Promise((resolve, reject) => {
    const release = onAbort(signal, () => {
      reject(error(signal.reason));
      giveUp?.();
    });
    if (typeof work === 'function' && signal.aborted) return;
    (typeof work === 'function' ? work() : work).then(resolve, reject).finally(release);
  });

const reasonOf = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('aborted'));

/** A signal that aborts with the first of `signals`, until it is released. */
export const firstOf = (...signals: readonly AbortSignal[]): { signal: AbortSignal; release: () => void } => {
  const controller = new AbortController();
  const releases = signals.map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  return { signal: controller.signal, release: () => releases.forEach((release) => release()) };
};

/** How long something may take. */
export interface Deadline {
  readonly ms: number;
  /** What ends it too. */
  readonly signals?: readonly AbortSignal[];
  /** The reason when the time is over. */
  readonly late?: () => Error;
}

/** Does work with a signal that aborts when the time is over; waits no longer, whatever the work makes of it. */
export const withDeadline = async <T>(
  { ms, signals = [], late = () => new TimedOut(ms) }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(late()), ms);
  const { signal, release } = firstOf(over.signal, ...signals);
  try {
    signal.throwIfAborted();
    return await unlessAborted(work(signal), signal);
  } finally {
    clearTimeout(timer);
    release();
  }
};
