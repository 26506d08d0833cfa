/** So many times as may be at work wait at most. */
const mostWaiting = 16;

interface Waiting {
  readonly begin: () => void;
}

/** No caller waits longer: its work would be done too late. */
export class SemaphoreTimeout extends Error {
  constructor() {
    super('too many callers are waiting');
    this.name = 'NoTurn';
  }
}

/** Lets so many of each at work at once; the others of the same wait in order, for a while and up to a number. */
export class KeyedSemaphore {
  readonly #atOnce: number;
  readonly #timeoutMs: number;
  readonly #working = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(atOnce: number, timeoutMs: number) {
    this.#atOnce = atOnce;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs work when it is its turn; throws NoTurn if it does not get one. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if ((this.#working.get(key) ?? 0) >= this.#atOnce) await this.#wait(key);
    else this.#working.set(key, (this.#working.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  #wait(key: string): Promise<void> {
    const queue = this.#waiting.get(key) ?? [];
    if (queue.length >= mostWaiting * this.#atOnce) return Promise.reject(new SemaphoreTimeout());
    this.#waiting.set(key, queue);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(new SemaphoreTimeout());
      }, this.#timeoutMs);
      queue.push(waiting);
    });
  }

  /** The turn passes to the first waiter, or ends. */
  #release(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) {
      next.begin();
      return;
    }
    this.#waiting.delete(key);
    const left = (this.#working.get(key) ?? 1) - 1;
    if (left === 0) this.#working.delete(key);
    else this.#working.set(key, left);
  }
}
