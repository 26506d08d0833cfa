import { hash, randomBytes } from 'node:crypto';
import { Cache } from '@corral/base/cache';
import { addressKey, isOwnKey, prefixKey } from '@corral/base/http/address-key';
import { FailureCounts } from './failure-counts.ts';

/** One user name and password from one address. All that is kept of it are keyed hashes. */
export interface Attempt {
  /** The address, or the network of an IPv6 one. */
  readonly from: string;
  /** The same, or the wider network of an IPv6 one. */
  readonly prefix: string;
  readonly user: string;
  readonly pair: string;
  /** The user from anywhere in the prefix. */
  readonly prefixPair: string;
  readonly guess: string;
}

/** What is to be done with an attempt. */
export type Verdict =
  | { readonly kind: 'check'; readonly isCounted: boolean; readonly isKnown: boolean }
  /** The same was wrong a moment ago. */
  | { readonly kind: 'known to be wrong' }
  | { readonly kind: 'wait'; readonly ms: number };

/** Failures that are free: of a user from an address, of an address, of a prefix, of a user from everywhere. */
const free = { pair: 5, address: 50, prefix: 200, user: 100 } as const;
/** So many refused guesses of a pair, and what was right before no longer helps: see `distrust`. */
const freeRefusals = 100;
const mostPairs = 20_000;
const mostWrongGuesses = 8;
const wrongLastsMs = 5_000;
/** For this long somebody who failed is held up by what others do to the same user. */
const failureLastsMs = 15 * 60_000;
const goodLastsMs = 24 * 3_600_000;

interface WrongGuess {
  readonly epoch: number;
  readonly at: number;
}

/**
 * Slows down guessing without locking anybody out, and without revealing who exists: it knows names and addresses,
 * never whether there is such a user.
 *
 * - A user from one address (a pair) has few failures free, then pauses that grow.
 * - An address has more of them, over all users; so has a prefix, which is a /48 of IPv6: who has one has 65,536 /64s.
 * - A user has more of them, over all addresses; but they hold up only sites from where that user has failed lately,
 *   so that the first attempt from a prefix is checked as long as the prefix itself is not held up.
 * - What was right from an address within the last day is checked whatever others do.
 * - What was wrong a moment ago is wrong, and does not count again: a script with an old password holds up nobody.
 *
 * An attempt counts when it is admitted and is taken back when it was right, so that many at once gain nothing.
 */
export class Throttle {
  readonly #key = randomBytes(32).toString('base64');
  readonly #pairs: FailureCounts;
  readonly #addresses: FailureCounts;
  readonly #prefixes: FailureCounts;
  readonly #users: FailureCounts;
  readonly #refusals: FailureCounts;
  readonly #wrong = new Cache<string, Cache<string, WrongGuess>>({ most: mostPairs });
  /** When the last attempt of a user from a prefix was wrong. */
  readonly #failures = new Cache<string, number>({ most: mostPairs });
  readonly #good = new Cache<string, { readonly guess: string; readonly at: number }>({ most: mostPairs });

  /** `processes`: as many share a port and count for themselves, so each has only its part of what is free. */
  constructor(processes = 1) {
    const counts = (whole: number): FailureCounts => new FailureCounts(Math.ceil(whole / processes));
    this.#pairs = counts(free.pair);
    this.#addresses = counts(free.address);
    this.#prefixes = counts(free.prefix);
    this.#users = counts(free.user);
    this.#refusals = counts(freeRefusals);
  }

  attempt(username: string, password: string, address: string): Attempt {
    const from = addressKey(address);
    const keyed = (text: string): string => hash('sha256', this.#key + text, 'base64');
    const prefix = prefixKey(address);
    const user = keyed(username);
    return {
      ...{ from, prefix, user },
      pair: keyed(`${from} ${user}`),
      prefixPair: keyed(`${prefix} ${user}`),
      guess: keyed(`${user} ${password}`),
    };
  }

  /** `epoch` is that of the users: when it changes, what was wrong may be right. */
  admit(attempt: Attempt, epoch: number, now: number): Verdict {
    const { pair, guess } = attempt;
    const before = this.#wrong.get(pair)?.get(guess);
    if (before?.epoch === epoch && now - before.at < wrongLastsMs) return { kind: 'known to be wrong' };
    if (this.#isGood(attempt, now)) return { kind: 'check', isCounted: false, isKnown: true };
    const ms = this.#pauseMs(attempt, now);
    const isNew = before === undefined;
    if (ms > 0) {
      if (isNew) this.#refusals.add(pair, now);
      return { kind: 'wait', ms };
    }
    if (isNew) this.#count(attempt, now);
    return { kind: 'check', isCounted: isNew, isKnown: false };
  }

  /**
   * Called after a refusal. True: so many passwords of this pair are tried while it is held up that letting the right
   * one through would be an answer to each of them, so that what was right before has to wait like the rest now.
   */
  distrust({ pair }: Attempt, now: number): boolean {
    return this.#refusals.isUsedUp(pair, now) && this.#good.delete(pair);
  }

  succeeded(attempt: Attempt, { isCounted }: { readonly isCounted: boolean }, now: number): void {
    if (isCounted) this.abandoned(attempt, now);
    this.#pairs.clear(attempt.pair);
    this.#wrong.get(attempt.pair)?.delete(attempt.guess);
    this.#failures.delete(attempt.prefixPair);
    this.#good.set(attempt.pair, { guess: attempt.guess, at: now });
  }

  failed(attempt: Attempt, { isKnown }: { readonly isKnown: boolean }, epoch: number, now: number): void {
    if (isKnown) {
      this.#good.delete(attempt.pair);
      this.#count(attempt, now);
    }
    this.#pairs.beginPause(attempt.pair, now);
    if (!isOwnKey(attempt.from)) {
      this.#addresses.beginPause(attempt.from, now);
      this.#prefixes.beginPause(attempt.prefix, now);
      this.#users.beginPause(attempt.user, now);
    }
    this.#failures.set(attempt.prefixPair, now);
    const guesses = this.#wrong.get(attempt.pair) ?? new Cache<string, WrongGuess>({ most: mostWrongGuesses });
    this.#wrong.set(attempt.pair, guesses);
    guesses.set(attempt.guess, { epoch, at: now });
  }

  /** It was counted, and nobody found out whether it was right. */
  abandoned(attempt: Attempt, now: number): void {
    this.#pairs.takeBack(attempt.pair, now);
    if (isOwnKey(attempt.from)) return;
    this.#addresses.takeBack(attempt.from, now);
    this.#prefixes.takeBack(attempt.prefix, now);
    this.#users.takeBack(attempt.user, now);
  }

  /** How many things are remembered. */
  get size(): number {
    const counts = [this.#pairs, this.#addresses, this.#prefixes, this.#users, this.#refusals];
    return [...counts, this.#wrong, this.#failures, this.#good].reduce((sum, { size }) => sum + size, 0);
  }

  #isGood(attempt: Attempt, now: number): boolean {
    const good = this.#good.get(attempt.pair);
    return good?.guess === attempt.guess && now - good.at < goodLastsMs;
  }

  #hasFailed({ prefixPair: sitePair }: Attempt, now: number): boolean {
    return now - (this.#failures.get(sitePair) ?? Number.NEGATIVE_INFINITY) < failureLastsMs;
  }

  #pauseMs(attempt: Attempt, now: number): number {
    const { pair, from, prefix, user } = attempt;
    const own = this.#pairs.pauseMs(pair, now);
    // A user on this machine is only delayed by their own failures.
    if (isOwnKey(from)) return own;
    const ofUser = this.#hasFailed(attempt, now) ? this.#users.pauseMs(user, now) : 0;
    return Math.max(own, this.#addresses.pauseMs(from, now), this.#prefixes.pauseMs(prefix, now), ofUser);
  }

  #count({ pair, from, prefix, user }: Attempt, now: number): void {
    this.#pairs.add(pair, now);
    if (isOwnKey(from)) return;
    this.#addresses.add(from, now);
    this.#prefixes.add(prefix, now);
    this.#users.add(user, now);
  }
}
