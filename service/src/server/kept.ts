import type { Db } from '../db/db.ts';
import { newestEvent } from '../core/audit.ts';

/**
 * Answers that stay right until something happens. Every change writes an event in its own transaction, so
 * the newest event's id names the state of everything: an answer made at that id is kept as bytes and given
 * again while the id is the same. One look at an index instead of ten thousand rows.
 */
export class KeptAnswers {
  readonly #answers = new Map<string, { readonly event: number; readonly bytes: string }>();
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async answer(name: string, make: () => Promise<string>): Promise<string> {
    const event = await this.#db.read((tx) => newestEvent({ tx }));
    const kept = this.#answers.get(name);
    if (kept?.event === event) return kept.bytes;
    // Made after the id was read, so at worst it is newer than its name says.
    const bytes = await make();
    this.#answers.set(name, { event, bytes });
    return bytes;
  }
}
