import { Cache } from '@corral/base/cache';

/** When sessions were last used here, by a clock that nobody can set. */
export class SessionActivity {
  readonly #uses = new Cache<number, number>({ most: 10_000 });

  note(id: number): void {
    this.#uses.set(id, performance.now());
  }

  isWithin(id: number, ms: number): boolean {
    const at = this.#uses.get(id);
    return at !== undefined && performance.now() - at < ms;
  }
}

interface SessionTimes {
  readonly id: number;
  readonly seen_at: number;
  readonly expires_at: number;
}

interface SessionLimits {
  readonly sessionIdleMs: number;
  readonly sessionLifetimeMs: number;
  readonly lastUses: SessionActivity;
}

/**
 * When a session ends, by the time of day; null if it has ended. One that was used here a moment ago is not idle, even if
 * the clock was set forward since. One that is to end further in the future than any can was made by a clock that has
 * been set back since, and is not believed.
 */
export const endOfSession = (row: SessionTimes, limits: SessionLimits): number | null => {
  const { sessionIdleMs, sessionLifetimeMs, lastUses } = limits;
  const now = Date.now();
  if (now >= row.expires_at || row.expires_at - now > 2 * sessionLifetimeMs) return null;
  const idleAt = lastUses.isWithin(row.id, sessionIdleMs) ? Number.POSITIVE_INFINITY : row.seen_at + sessionIdleMs;
  return now >= idleAt ? null : Math.min(row.expires_at, idleAt);
};
