import { setTimeout as sleep } from 'node:timers/promises';
import { onAbort } from '@corral/base/abort';
import { busy } from './obmd-error.ts';

/** How calls to one BMC are spaced and limited. */
export interface CallLimits {
  /** From asking to the answer, waiting included. */
  readonly timeoutMs: number;
  /** BMCs are small computers: a pause after each call. */
  readonly gapMs: number;
}

/** More than this many calls waiting for one BMC are refused. */
const mostWaiting = 32;
/** A driver that has not stopped this long after its abort is abandoned. */
const letGoMs = 5_000;

/** Somebody no longer wants the call, or its time is over. */
export class CallAborted extends Error {
  readonly reason: 'late' | 'unwanted';

  constructor(reason: 'late' | 'unwanted') {
    super(reason === 'late' ? 'the call timed out' : 'the call was cancelled');
    this.name = 'CallAborted';
    this.reason = reason;
  }
}

/** One BMC does one thing at a time, in the order of asking. */
export class CallQueue {
  readonly #gapMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #freeAt = 0;

  constructor({ gapMs }: Pick<CallLimits, 'gapMs'>) {
    this.#gapMs = gapMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when everything that was asked so far is over. */
  async quiet(): Promise<void> {
    await this.#last;
  }

  run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#waiting >= mostWaiting) {
      throw busy(`${mostWaiting} calls are already waiting for the BMC of this node; try again later`);
    }
    this.#waiting += 1;
    const turn = this.#last.then(async () => {
      this.#waiting -= 1;
      await this.#pause(signal);
      signal.throwIfAborted();
      return this.#perform(signal, work);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** The next call begins when this one is over, whatever its caller got as an answer. */
  async #perform<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const done = work(signal);
    try {
      return await Promise.race([done, abandoned(signal)]);
    } finally {
      done.catch(() => undefined);
      this.#freeAt = performance.now() + this.#gapMs;
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const rest = this.#freeAt - performance.now();
    if (rest > 0) await sleep(rest, undefined, { signal }).catch(() => undefined);
  }
}

/** Rejects a while after the abort: a driver's own word on how it ended is better, if it comes. */
const abandoned = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    onAbort(signal, () => void setTimeout(() => reject(signal.reason as CallAborted), letGoMs).unref());
  });
