import { EventEmitter } from 'node:events';

/** A change notifier: it says that something changed, never what. Listeners read the state themselves. */
export class ChangeNotifier<Topic extends string> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  notify(topic: Topic): void {
    this.#emitter.emit(topic);
  }

  /** Calls `listener` at every notification until the returned function is called. */
  on(topic: Topic, listener: () => void): () => void {
    this.#emitter.on(topic, listener);
    return () => this.#emitter.off(topic, listener);
  }

  /** Begins to listen now: a notification before the first wait is not missed. */
  listen(...topics: readonly Topic[]): ChangeListener {
    return new ChangeListener((notify) => {
      const subscriptions = topics.map((topic) => this.on(topic, notify));
      return () => subscriptions.forEach((unsubscribe) => unsubscribe());
    });
  }
}

/** Listens for its topics and remembers that it was notified. */
export class ChangeListener {
  readonly #off: () => void;
  #isNotified = false;
  #wake: () => void = () => undefined;

  constructor(subscribe: (notify: () => void) => () => void) {
    this.#off = subscribe(() => this.notify());
  }

  notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  /** Resolves when it was notified since the last wait, after `ms` at the latest, or when `signal` aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isNotified && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', this.#wake);
      });
      signal.removeEventListener('abort', this.#wake);
    }
    this.#isNotified = false;
  }

  close(): void {
    this.#off();
  }
}
