/** Lets one piece of work run at a time, in the order of asking. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Nobody is at work or waits for it. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#last.then(work).finally(() => (this.#waiting -= 1));
    this.#last = result.catch(() => undefined);
    return result;
  }
}
