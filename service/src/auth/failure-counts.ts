import { Cache } from '@corral/base/cache';

interface Count {
  readonly level: number;
  /** When the level was that. */
  readonly at: number;
  /** Nothing more until then. */
  readonly until: number;
}

/** In this time as many failures are forgotten as are free. */
const windowMs = 15 * 60_000;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;
/** Of each kind: the one that was not touched for longest is forgotten first. */
const mostKeys = 20_000;

/**
 * Counts failures by key. So many are free; each one beyond asks for a pause, twice as long as the last. They are
 * forgotten at an even pace, so a persistent client is limited to that rate.
 */
export class FailureCounts {
  readonly #counts = new Cache<string, Count>({ most: mostKeys });
  readonly #free: number;

  constructor(free: number) {
    this.#free = free;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** How long to wait before the next one; 0: not at all. */
  pauseMs(key: string, now: number): number {
    return Math.max(0, (this.#counts.get(key)?.until ?? 0) - now);
  }

  isUsedUp(key: string, now: number): boolean {
    return Math.round(this.#level(key, now)) >= this.#free;
  }

  add(key: string, now: number): void {
    this.#put(key, this.#level(key, now) + 1, now);
  }

  /** The pause of what was added before begins only now. */
  beginPause(key: string, now: number): void {
    this.#put(key, this.#level(key, now), now);
  }

  takeBack(key: string, now: number): void {
    this.#put(key, Math.max(0, this.#level(key, now) - 1), now);
  }

  clear(key: string): void {
    this.#counts.delete(key);
  }

  #level(key: string, now: number): number {
    const count = this.#counts.get(key);
    return count ? Math.max(0, count.level - ((now - count.at) * this.#free) / windowMs) : 0;
  }

  #put(key: string, level: number, now: number): void {
    // Rounded: a little of each is forgotten while the next is on its way.
    const beyond = Math.round(level) - this.#free;
    const pauseMs = beyond < 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** beyond);
    this.#counts.set(key, { level, at: now, until: now + pauseMs });
  }
}
