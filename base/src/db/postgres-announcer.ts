/**
 * Notifies other processes of topics by NOTIFY, after the commits that they are about. Within a transaction, NOTIFY holds a
 * lock of the whole server until the commit is flushed, and all who notify wait for each other. Topics that come up while
 * one notification is under way go with the next.
 */
export class PostgresAnnouncer {
  readonly #notify: (topics: readonly string[]) => Promise<unknown>;
  readonly #topics = new Set<string>();
  #running: Promise<void> | null = null;

  constructor(notify: (topics: readonly string[]) => Promise<unknown>) {
    this.#notify = notify;
  }

  add(topic: string): void {
    this.#topics.add(topic);
    this.#running ??= this.#run();
  }

  /** Resolves when a notification of everything that was added was sent, or has failed. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#topics.size > 0) {
      const topics = [...this.#topics];
      this.#topics.clear();
      try {
        await this.#notify(topics);
      } catch {
        // The other processes poll, as after a notification that was lost on the way.
      }
    }
    this.#running = null;
  }
}
