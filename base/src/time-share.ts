/** How much of the time something that is repeated may take. */
interface ShareLimits {
  /** Between 0 and 1: a quarter of the time, a tenth. */
  readonly share: number;
  /** After a quiet time it may take so much at once. */
  readonly atOnceMs: number;
  /** However long it took, nobody waits longer for it. */
  readonly longestWaitMs: number;
}

/** Keeps something that is repeated to a share of the time, by what it took before. While it is seldom, it never waits. */
export class TimeShare {
  readonly #limits: ShareLimits;
  /** When what was taken is paid off. */
  #paidAt = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** It took so long. */
  took(ms: number): void {
    const { share, atOnceMs, longestWaitMs } = this.#limits;
    const now = performance.now();
    this.#paidAt = Math.min(Math.max(this.#paidAt, now) + ms / share, now + atOnceMs / share + longestWaitMs);
  }

  /** How long it has to wait now. */
  get waitMs(): number {
    return Math.max(0, this.#paidAt - this.#limits.atOnceMs / this.#limits.share - performance.now());
  }
}
