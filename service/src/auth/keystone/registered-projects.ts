import { Cache } from '@corral/base/cache';
import type { Db } from '../../db/service-database.ts';
import { statement } from '../../db/service-statement.ts';

/** For this long a project that is there is not looked up again: what another replica deleted shows after it. */
const lookupLastsMs = 1_000;
const mostEntries = 10_000;

/** Which projects are registered here. One that is not is looked up every time: it may be the next moment. */
export class RegisteredProjects {
  readonly #db: Db;
  readonly #seen = new Cache<string, true>({ most: mostEntries, lastsMs: lookupLastsMs });
  #epoch = 0;

  constructor(db: Db) {
    this.#db = db;
    // Deleting a project changes who may do what, and notifies of `users`.
    db.changes.on('users', () => {
      this.#epoch += 1;
      this.#seen.clear();
    });
  }

  /** Known at once in most cases. */
  has(label: string): boolean | Promise<boolean> {
    return this.#seen.get(label) ?? this.#look(label);
  }

  async #look(label: string): Promise<boolean> {
    const epoch = this.#epoch;
    const begun = performance.now();
    const [found] = await this.#db.query(projectByLabel, { label });
    if (found === undefined) return false;
    if (epoch === this.#epoch) this.#seen.set(label, true, begun);
    return true;
  }
}

const projectByLabel = statement((tx, { label }: { label: string }) =>
  tx.selectFrom('projects').select('id').where('label', '=', label),
);
