import { EventEmitter } from 'node:events';

/** A doorbell: it says that something changed, never what. Listeners read the state themselves. */
export class Changes<Topic extends string> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  ring(topic: Topic): void {
    this.#emitter.emit(topic);
  }

  /** Calls `listener` at every ring until the returned function is called. */
  on(topic: Topic, listener: () => void): () => void {
    this.#emitter.on(topic, listener);
    return () => this.#emitter.off(topic, listener);
  }

  /** Begins to listen now: a ring before the first wait is not missed. */
  listen(topic: Topic): Listener {
    return new Listener((ring) => this.on(topic, ring));
  }
}

/** Hears one topic and remembers that it rang. */
export class Listener {
  readonly #off: () => void;
  #rung = false;
  #wake: () => void = () => undefined;

  constructor(subscribe: (ring: () => void) => () => void) {
    this.#off = subscribe(() => this.ring());
  }

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** Resolves when it rang since the last wait, after `ms` at the latest, or when `signal` aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
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
    this.#rung = false;
  }

  close(): void {
    this.#off();
  }
}
