import type { createLocalJWKSet, JSONWebKeySet, JWTVerifyGetKey } from 'jose';

export interface ProviderKeysOptions {
  /** Asks the provider; throws UnavailableError. */
  readonly fetch: () => Promise<JSONWebKeySet>;
  readonly keySetOf: typeof createLocalJWKSet;
  /** Other keys count from now on. */
  readonly changed: () => void;
  /** The JWKS cannot be fetched; the known keys stay valid. */
  readonly failed: (error: unknown) => void;
}

/** For this long keys are not asked for again: one that the provider took back is good no longer than that. */
const freshMs = 5 * 60_000;
/** For this long they stay valid while the JWKS cannot be fetched. */
const lastResortMs = 24 * 3_600_000;
/** After a failure, and after a key that even the provider does not know, it is left alone for a moment. */
const failurePauseMs = 1_000;
const unknownKeyPauseMs = 10_000;

/**
 * The provider's keys. They are asked for when they are needed, now and then, and at once when a token names one that
 * is not there: the provider changed its keys. Made-up names of keys cost the provider one question in ten seconds;
 * after one of them a new key may be taken for made up for as long.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  #keys: { readonly find: JWTVerifyGetKey; readonly text: string; readonly fetchedAt: number } | null = null;
  #failure: { readonly error: Error; readonly at: number } | null = null;
  #unknownKeyAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | null = null;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  /** The key that a token names in its header. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    await this.#freshen();
    const first = await this.#lookUp(header, token);
    if (first !== null) return first;
    if (performance.now() - this.#unknownKeyAt > unknownKeyPauseMs) {
      await this.#reload();
      const second = await this.#lookUp(header, token);
      if (second !== null) return second;
      this.#unknownKeyAt = performance.now();
    }
    throw new UnknownKey();
  };

  /** For how long from now on they count without another question. */
  get freshForMs(): number {
    return this.#keys === null ? 0 : Math.max(0, freshMs - ageMs(this.#keys));
  }

  async #lookUp(...[header, token]: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<JWTVerifyGetKey>> | null> {
    try {
      return (await this.#keys?.find(header, token)) ?? null;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_NO_MATCHING_KEY') return null;
      throw error;
    }
  }

  async #freshen(): Promise<void> {
    if (this.#keys === null || ageMs(this.#keys) >= lastResortMs) return this.#reload();
    if (this.freshForMs > 0) return;
    const isFailing = this.#failure !== null;
    const reloaded = this.#reload().catch(() => undefined);
    // It did not answer the last time: nobody waits for it as long as there are keys.
    if (!isFailing) await reloaded;
  }

  /** Those who need the keys at the same time share one question. */
  #reload(): Promise<void> {
    const failure = this.#failure;
    if (failure !== null && performance.now() - failure.at < failurePauseMs) return Promise.reject(failure.error);
    this.#underWay ??= this.#fetch().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #fetch(): Promise<void> {
    try {
      const set = await this.#options.fetch();
      const text = JSON.stringify(set);
      const isNew = this.#keys?.text !== text;
      const find = isNew || this.#keys === null ? this.#options.keySetOf(set) : this.#keys.find;
      this.#keys = { find, text, fetchedAt: performance.now() };
      this.#failure = null;
      if (isNew) this.#options.changed();
    } catch (error) {
      this.#failure = { error: error instanceof Error ? error : new Error('unknown'), at: performance.now() };
      this.#options.failed(error);
      throw error;
    }
  }
}

const ageMs = ({ fetchedAt }: { readonly fetchedAt: number }): number => performance.now() - fetchedAt;

/** The provider has no key of the name that a token gives. */
export class UnknownKey extends Error {}
