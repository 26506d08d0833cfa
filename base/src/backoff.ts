/** How the pauses between failed attempts grow. */
export interface Growth {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How long to wait after so many failures: doubling, with jitter so that those who failed together do not come back together. */
export const pauseAfter = (failures: number, { firstMs, longestMs }: Growth): number =>
  Math.round(Math.min(longestMs, firstMs * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2));

/** Counts failures in a row. Every loop that tries again waits as long as this says. */
export class Backoff {
  readonly #growth: Growth;
  #failures = 0;

  constructor(growth: Growth) {
    this.#growth = growth;
  }

  /** So many in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** How long to wait after this failure. */
  failed(): number {
    this.#failures += 1;
    return pauseAfter(this.#failures - 1, this.#growth);
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
