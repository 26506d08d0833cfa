import { hash, randomBytes } from 'node:crypto';
import { Cache } from '@corral/base/cache';

const refusalLastsMs = 5_000;
const mostGood = 10_000;
const mostRefused = 2_000;

/** Tokens that were looked into a short while ago, by a keyed hash. Refused ones crowd out no good ones. */
export class TokenCache<Identity> {
  readonly #key = randomBytes(32).toString('base64');
  readonly #good: Cache<string, { readonly identity: Identity; readonly expiresAt: number }>;
  readonly #refused: Cache<string, null>;

  constructor(lastsMs: number) {
    this.#good = new Cache({ most: mostGood, lastsMs });
    this.#refused = new Cache({ most: mostRefused, lastsMs: Math.min(refusalLastsMs, lastsMs) });
  }

  /** The name under which a token is remembered; says nothing about the token. */
  nameOf(token: string): string {
    return hash('sha256', this.#key + token, 'base64');
  }

  /** Whose token it is; null: it is not good; undefined: it has to be looked into. */
  recall(name: string): Identity | null | undefined {
    const good = this.#good.get(name);
    if (good !== undefined && Date.now() < good.expiresAt) return good.identity;
    this.#good.delete(name);
    return this.#refused.get(name);
  }

  /** `askedAt` is when the question was sent, by `performance.now()`: what happened since then may not be in the answer. */
  remember(name: string, identity: Identity, askedAt: number, expiresAt: number): void {
    this.#good.set(name, { identity, expiresAt }, askedAt);
  }

  refuse(name: string, askedAt: number): void {
    this.#refused.set(name, null, askedAt);
  }
}
