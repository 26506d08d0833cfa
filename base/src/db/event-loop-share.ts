/**
 * The embedded database answers without leaving the event loop, so that a caller that queries it repeatedly (a reader
 * of a long history, thirty streams at once) would never let a timer or a connection have its turn. Before each
 * access to the database one asks here, and waits for a later turn when this one has lasted long enough.
 */
export class EventLoopShare {
  readonly #longestTurnMs: number;
  #began: number | null = null;
  #waiting: (() => void)[] = [];

  /** How long those who ask here may keep everybody else from a turn of the event loop. */
  constructor(longestTurnMs: number) {
    this.#longestTurnMs = longestTurnMs;
  }

  /** True: this turn has lasted long enough, or others wait already; `wait` then. */
  get isUsedUp(): boolean {
    if (this.#waiting.length > 0) return true;
    if (this.#began !== null) return this.#isTurnOver;
    this.#begin();
    return false;
  }

  /** Resolves in a later turn, in the order of asking. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get #isTurnOver(): boolean {
    return this.#began !== null && performance.now() - this.#began >= this.#longestTurnMs;
  }

  #begin(): void {
    this.#began = performance.now();
    setImmediate(() => {
      this.#began = null;
      if (this.#waiting.length === 0) return;
      this.#begin();
      this.#resumeNext();
    });
  }

  /** One after the other: the next when the one before has done what it can without waiting, if there is time left. */
  #resumeNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    next();
    // After all that is to be done at once.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (!this.#isTurnOver) this.#resumeNext();
      }),
    );
  }
}
