import { hash, randomBytes } from 'node:crypto';

/** What is known of a token: whose it is, or null: it is not good. */
interface Entry<Identity> {
  readonly identity: Identity | null;
  /** By the clock that only goes forward, and by the one that the token's end is written in. */
  readonly until: number;
  readonly expiresAt: number;
}

const refusalLastsMs = 5_000;
const mostGood = 10_000;
const mostRefused = 2_000;

/** Tokens that were looked into a short while ago, by a keyed hash. Refused ones crowd out no good ones. */
export class RememberedTokens<Identity> {
  readonly #key = randomBytes(32).toString('base64');
  readonly #good = new Map<string, Entry<Identity>>();
  readonly #refused = new Map<string, Entry<Identity>>();
  readonly #cacheMs: number;

  constructor(cacheMs: number) {
    this.#cacheMs = cacheMs;
  }

  /** The name under which a token is remembered; says nothing about the token. */
  nameOf(token: string): string {
    return hash('sha256', this.#key + token, 'base64');
  }

  /** Whose token it is; null: it is not good; undefined: it has to be looked into. */
  recall(name: string): Identity | null | undefined {
    const entry = this.#good.get(name) ?? this.#refused.get(name);
    if (entry === undefined) return undefined;
    if (performance.now() < entry.until && Date.now() < entry.expiresAt) return entry.identity;
    this.#good.delete(name);
    this.#refused.delete(name);
    return undefined;
  }

  /** `askedAt` is when the question was sent, by `performance.now()`: what happened since then may not be in the answer. */
  remember(name: string, identity: Identity, askedAt: number, expiresAt: number): void {
    put(this.#good, mostGood, name, { identity, until: askedAt + this.#cacheMs, expiresAt });
  }

  refuse(name: string, askedAt: number): void {
    const until = askedAt + Math.min(refusalLastsMs, this.#cacheMs);
    put(this.#refused, mostRefused, name, { identity: null, until, expiresAt: Number.POSITIVE_INFINITY });
  }
}

const put = <T>(entries: Map<string, T>, most: number, name: string, entry: T): void => {
  entries.delete(name);
  entries.set(name, entry);
  if (entries.size <= most) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
};
