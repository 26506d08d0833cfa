import type { OpenChanges } from './event-feed.ts';

/** No stream has more hints than one in this time: a client that asks for the lists this often learns the same. */
const betweenMs = 1_000;

/**
 * By the standard a frame without data is no event: clients that do not know the hint do not notice it. It has no id
 * either, so where a client resumes does not change.
 */
const hint = 'event: changed\n\n';

/** Tells one stream that free nodes or public networks have changed: neither which, nor how, nor who did it. */
export class ChangeHints {
  /** The last event that its client knows everything up to. */
  #seen: number;
  #isDue = false;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(start: number) {
    this.#seen = start;
  }

  get seen(): number {
    return this.#seen;
  }

  /** `settled`: where events end; a client may have come with a greater id. */
  note({ since, newest }: OpenChanges, settled: number): void {
    const seen = Math.min(this.#seen, settled);
    // Of what happened before anybody looked, nothing is known.
    if (seen < since || seen < newest) this.#isDue = true;
    this.#seen = Math.max(seen, since, newest);
  }

  /** The hint, if one is due now. */
  take(now = performance.now()): string {
    if (this.waitMs(now) > 0) return '';
    this.#isDue = false;
    this.#sentAt = now;
    return hint;
  }

  /** How long it is until a hint is due. */
  waitMs(now = performance.now()): number {
    return this.#isDue ? this.#sentAt + betweenMs - now : Number.POSITIVE_INFINITY;
  }
}
