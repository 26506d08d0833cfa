import { Cache } from '@corral/base/cache';
import { stateOfEvents } from '../db/event-order.ts';
import type { Db } from '../db/service-database.ts';

interface CachedResponse {
  readonly state: string;
  readonly text: Text;
}

/** Large ones as bytes: a string would be converted for every answer. */
type Text = string | Buffer;
const largestString = 16 * 1024;

/** Even unchanged, an answer is computed again after this long: a row that is edited by hand notifies nobody. */
const maxAgeMs = 5_000;
const mostCharacters = 32 * 1024 * 1024;

/**
 * Answers that stay right until something happens. Every change writes an event in its own transaction, so
 * the newest event names the state of everything: an answer made in that state is given again while the
 * name is the same. One look at an index instead of a join over seven tables, or ten thousand rows.
 */
export class ResponseCache {
  readonly #entries = new Cache<string, CachedResponse>({
    most: mostCharacters,
    sizeOf: (name, { text }) => name.length + text.length,
    lastsMs: maxAgeMs,
  });
  readonly #db: Db;
  #nextLook: Promise<string> | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  async answer(name: string, make: () => Promise<string>): Promise<Text> {
    const state = await this.#look();
    const cached = this.#entries.get(name);
    if (cached?.state === state) return cached.text;
    const now = performance.now();
    // Made after the name was read, so at worst it is newer than its name says.
    const made = await make();
    const text = made.length > largestString ? Buffer.from(made) : made;
    this.#entries.set(name, { state, text }, now);
    return text;
  }

  /**
   * Requests that came in together share one look: it begins after the last of them, so each sees all that
   * was acknowledged before it was sent. Who comes while it is under way waits for the next.
   */
  #look(): Promise<string> {
    this.#nextLook ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#nextLook = null;
        stateOfEvents(this.#db.query).then(resolve, reject);
      });
    });
    return this.#nextLook;
  }
}
