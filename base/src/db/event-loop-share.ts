/** How long work that never waits for anything outside may keep everybody else from a turn of the event loop. */
const longestTurnMs = 15;

/**
 * The embedded database answers without leaving the event loop, so that a caller that queries it repeatedly (a reader
 * of a long history, thirty streams at once) would never let a timer or a connection have its turn. Before each
 * access to the database one asks here, and waits for a later turn when this one has lasted long enough.
 */
export class EventLoopShare {
  #began: number | null = null;
  #waiting: (() => void)[] = [];

  /** True: this turn has lasted long enough, or others wait already; `wait` then. */
  get isUsedUp(): boolean {
    if (this.#waiting.length > 0) return true;
    if (this.#began !== null) return performance.now() - this.#began >= longestTurnMs;
    this.#begin();
    return false;
  }

  /** Resolves in a later turn, in the order of asking: one each turn. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #begin(): void {
    this.#began = performance.now();
    setImmediate(() => {
      this.#began = null;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin();
      next();
    });
  }
}
