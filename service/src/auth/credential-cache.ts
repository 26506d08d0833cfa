import { hash, randomBytes } from 'node:crypto';
import { Cache } from '@corral/base/cache';
import { type Caller, nameOf } from '../core/caller.ts';

/** A credential that passed the slow check, and its user. */
export interface CachedCredential {
  readonly userId: number;
  /** The user's version that the credential was checked against. */
  readonly version: number;
  readonly caller: Caller;
  /** The address or network that it came from. */
  readonly from: string;
}

interface Entry extends CachedCredential {
  /** When the slow check was passed, and when the user was last looked up. */
  readonly verifiedAt: number;
  readonly lookedUpAt: number;
  readonly epoch: number;
}

/** After this long the slow check is made again, whatever happened to the user. */
const verificationLastsMs = 5 * 60_000;
/** For this long a remembered user is not looked up again: what another replica changed shows after it. */
const lookupLastsMs = 1_000;
const mostEntries = 10_000;

/**
 * Credentials that were verified a short while ago, by a keyed hash: the slow hash on every request would
 * cap the service at a few requests a second. Changes to users start a new epoch, which makes every entry
 * be looked up again before it counts.
 */
export class CredentialCache {
  readonly #key = randomBytes(32).toString('base64');
  readonly #entries = new Cache<string, Entry>({ most: mostEntries });
  #epoch = 0;

  /** The name under which a credential is remembered; says nothing about the credential. */
  nameOf(credential: string): string {
    return hash('sha256', this.#key + credential, 'base64');
  }

  /** Which epoch a look-up belongs to; taken before the look-up begins. */
  get epoch(): number {
    return this.#epoch;
  }

  forgetLookups(): void {
    this.#epoch += 1;
  }

  /** The caller, if nothing needs to be asked. */
  fresh(name: string, now: number): Caller | null {
    const entry = this.#entries.get(name);
    if (entry?.epoch !== this.#epoch) return null;
    return now - entry.lookedUpAt < lookupLastsMs ? entry.caller : null;
  }

  /** A verified credential whose user has to be looked up again; null if the slow check is due. */
  stale(name: string, now: number): CachedCredential | null {
    const entry = this.#entries.get(name);
    return entry && now - entry.verifiedAt < verificationLastsMs ? entry : null;
  }

  remember(name: string, cache: CachedCredential, epoch: number, now: number): void {
    const verifiedAt = this.stale(name, now) ? (this.#entries.get(name)?.verifiedAt ?? now) : now;
    this.#entries.set(name, { ...cache, verifiedAt, lookedUpAt: now, epoch });
  }

  forget(name: string): void {
    this.#entries.delete(name);
  }

  /** Forgets all credentials of a user that came from there. */
  forgetThose(username: string, from: string): void {
    this.#entries.deleteWhere((entry) => entry.from === from && nameOf(entry.caller) === username);
  }
}
