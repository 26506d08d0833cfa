/** How fast the number grows again, for each transaction that won. */
const growth = 0.05;
const shrinkage = 0.7;
/** One that waits for somebody else's row does not keep the others longer than this. */
const longestWaitMs = 1_000;

/**
 * How many writes of this process run at once. PostgreSQL aborts serializable transactions that touch the same pages of
 * an index, so on small tables those that overlap only undo each other's work: each loss lowers the number, each success
 * raises it a little. It is about speed only: a write that does not get its turn soon runs without it.
 */
export class WriteTurns {
  readonly #most: number;
  #limit: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
    this.#limit = most;
  }

  async run<T>(work: () => Promise<T>, isLost: (error: unknown) => boolean): Promise<T> {
    if (this.#running >= Math.floor(this.#limit)) await this.#turn();
    this.#running += 1;
    try {
      const result = await work();
      this.#limit = Math.min(this.#most, this.#limit + growth);
      return result;
    } catch (error) {
      if (isLost(error)) this.#limit = Math.max(1, shrinkage * this.#limit);
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#running < Math.floor(this.#limit)) this.#next();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, longestWaitMs);
      this.#waiting.add(go);
    });
  }

  #next(): void {
    for (const go of this.#waiting) {
      go();
      return;
    }
  }
}
