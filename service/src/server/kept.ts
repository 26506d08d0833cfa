import { newestEvent } from '../core/audit.ts';
import type { Db } from '../db/db.ts';

interface Kept {
  readonly event: number;
  readonly until: number;
  readonly text: Text;
}

/** Large ones as bytes: a string would be turned into bytes anew for every answer. */
type Text = string | Buffer;
const largestString = 16 * 1024;

/** Even unchanged, an answer is made anew after this long: a row that someone edits by hand rings no bell. */
const keptForMs = 5_000;
const mostCharacters = 32 * 1024 * 1024;

const sizeOf = (name: string, { text }: Kept): number => name.length + text.length;

/**
 * Answers that stay right until something happens. Every change writes an event in its own transaction, so
 * the newest event's id names the state of everything: an answer made at that id is given again while the
 * id is the same. One look at an index instead of a join over seven tables, or ten thousand rows.
 */
export class KeptAnswers {
  readonly #answers = new Map<string, Kept>();
  readonly #db: Db;
  #characters = 0;
  #nextLook: Promise<number> | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  async answer(name: string, make: () => Promise<string>): Promise<Text> {
    const event = await this.#newest();
    const kept = this.#answers.get(name);
    const now = performance.now();
    if (kept?.event === event && now < kept.until) return kept.text;
    // Made after the id was read, so at worst it is newer than its id says.
    const made = await make();
    const text = made.length > largestString ? Buffer.from(made) : made;
    this.#keep(name, { event, until: now + keptForMs, text });
    return text;
  }

  /**
   * Requests that came in together share one look: it begins after the last of them, so each sees all that
   * was acknowledged before it was sent. Who comes while it is under way waits for the next.
   */
  #newest(): Promise<number> {
    this.#nextLook ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#nextLook = null;
        newestEvent(this.#db.ask).then(resolve, reject);
      });
    });
    return this.#nextLook;
  }

  #keep(name: string, kept: Kept): void {
    this.#drop(name);
    this.#answers.set(name, kept);
    this.#characters += sizeOf(name, kept);
    for (const oldest of this.#answers.keys()) {
      if (this.#characters <= mostCharacters) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const kept = this.#answers.get(name);
    if (kept === undefined) return;
    this.#characters -= sizeOf(name, kept);
    this.#answers.delete(name);
  }
}
