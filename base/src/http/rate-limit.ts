/** So many addresses are remembered in each of two lists. */
const memory = 25_000;

/**
 * How often each may call: `rate` times a second, and at once after a pause as often as in the time of a burst, two
 * seconds if nothing is said. For each there is one number: when all of their calls so far would be over if they had come
 * at exactly that rate.
 */
export class RateLimit {
  readonly #gapMs: number;
  readonly #burstMs: number;
  readonly #clock: () => number;
  /**
   * Who called lately, and who did before that. When the first list is full it replaces the second: a client that
   * is in neither has not called since as many others have. To look for the oldest in one list would be to walk past
   * all that were removed from it.
   */
  #lately = new Map<string, number>();
  #before = new Map<string, number>();

  constructor(rate: number, clock: () => number = () => performance.now(), burstMs = 2_000) {
    this.#gapMs = 1000 / rate;
    this.#burstMs = burstMs;
    this.#clock = clock;
  }

  /** Counts a call, or a part of one: 0 if it may be made, otherwise the seconds until the next one may. */
  wait(key: string, calls = 1): number {
    const now = this.#clock();
    const known = this.#lately.get(key) ?? this.#before.get(key) ?? 0;
    const overAt = Math.max(now, known) + this.#gapMs * calls;
    const tooEarlyMs = overAt - now - this.#burstMs;
    if (tooEarlyMs > 0) return tooEarlyMs / 1000;
    if (this.#lately.size >= memory && !this.#lately.has(key)) {
      this.#before = this.#lately;
      this.#lately = new Map();
    }
    this.#lately.set(key, overAt);
    return 0;
  }

  /** How many addresses are remembered. */
  get size(): number {
    return this.#lately.size + this.#before.size;
  }
}
