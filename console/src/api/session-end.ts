/** Whether the service said that nobody is signed in any more, while a page is open. */
class SessionEnd {
  #isOver = false;
  readonly #listeners = new Set<() => void>();

  get isOver(): boolean {
    return this.#isOver;
  }

  set(isOver: boolean): void {
    if (this.#isOver === isOver) return;
    this.#isOver = isOver;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const sessionEnd = new SessionEnd();
