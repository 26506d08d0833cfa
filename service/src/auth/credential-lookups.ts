import { Cache } from '@corral/base/cache';
import type { Caller } from '../core/caller.ts';
import { hashOfSecret } from '../core/token-secret.ts';
import type { Db } from '../db/service-database.ts';

/** Who holds a secret that was made here. */
export interface Holder {
  /** Of the session or token. */
  readonly id: number;
  readonly caller: Caller;
  /** From when on it does not count any more, whatever happens. */
  readonly until: number;
  readonly usedAt: number;
}

interface Entry {
  readonly holder: Holder;
  readonly epoch: number;
  /** Moves on as soon as a use is being written down. */
  usedAt: number;
}

/** Where secrets of one kind are kept. */
export interface SecretStore {
  /** Throws AuthorizationError where nobody holds it. */
  find(hash: string): Promise<Holder>;
  /** Told of every use. */
  used?(id: number): void;
  /** Writes down that it was used. */
  use(id: number, now: number): Promise<unknown>;
}

/** For this long a holder is not looked up again: what another replica changed shows after it at the latest. */
const lookupLastsMs = 1_000;
/** Uses are written down no more often than this, so that a request costs no write. */
const useEveryMs = 60_000;
const mostEntries = 10_000;

/** Secrets that were looked up a short while ago. A change to users makes every one be looked up again. */
export class CredentialLookups {
  readonly #store: SecretStore;
  readonly #entries = new Cache<string, Entry>({ most: mostEntries, lastsMs: lookupLastsMs });
  readonly #underWay = new Map<string, Promise<Caller>>();
  readonly #noting = new Set<number>();
  #epoch = 0;

  constructor(db: Db, store: SecretStore) {
    this.#store = store;
    db.changes.on('users', () => (this.#epoch += 1));
  }

  /** The caller who holds the secret; known at once if it was looked up just now. */
  callerOf(secret: string, use: 'use' | 'look'): Caller | Promise<Caller> {
    const hash = hashOfSecret(secret);
    const now = Date.now();
    const entry = this.#entries.get(hash);
    if (entry?.epoch === this.#epoch && now < entry.holder.until) return this.#admit(entry, use, now);
    // A request after a change does not join a lookup that began before it.
    const key = `${this.#epoch} ${use} ${hash}`;
    const waiting = this.#underWay.get(key);
    if (waiting) return waiting;
    const found = this.#find(hash, use).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, found);
    return found;
  }

  async #find(hash: string, use: 'use' | 'look'): Promise<Caller> {
    const epoch = this.#epoch;
    const lookedUpAt = performance.now();
    this.#entries.delete(hash);
    const holder = await this.#store.find(hash);
    const entry = { holder, epoch, usedAt: holder.usedAt };
    this.#entries.set(hash, entry, lookedUpAt);
    return this.#admit(entry, use, Date.now());
  }

  #admit(entry: Entry, use: 'use' | 'look', now: number): Caller {
    const { id, caller } = entry.holder;
    if (use === 'use') this.#store.used?.(id);
    // Also when it was used in the future: the clock has been set back since.
    if (use === 'use' && Math.abs(now - entry.usedAt) >= useEveryMs && !this.#noting.has(id)) {
      entry.usedAt = now;
      this.#note(id, now);
    }
    return caller;
  }

  /**
   * In the background; a request does not fail because its time cannot be written down. Where it cannot, as on a disk
   * that is full, it is not tried again before the next use would be written down.
   */
  #note(id: number, now: number): void {
    this.#noting.add(id);
    const forget = (): void => void this.#noting.delete(id);
    this.#store.use(id, now).then(forget, () => void setTimeout(forget, useEveryMs).unref());
  }
}
