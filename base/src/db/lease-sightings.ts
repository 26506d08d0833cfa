import { Cache } from '../cache.ts';

/** A lease as its row was read. */
interface LeaseSighting {
  /** Different after every renewal and every change of hands. */
  readonly version: string;
  /** Until it ends, by the database's clock. */
  readonly leftMs: number;
}

/** A holder renews three times within the length of a lease: one that did not for half of it is dead. */
const deadAfter = 1 / 2;
/**
 * However far in the future a lease is said to end, nobody waits longer for a holder that never renews: the clock was
 * set back.
 */
const longestWait = 3;

/**
 * Decides when a lease that was not given back may be taken. Expiry is by the database's clock, which an operator may
 * set: so its row must also have been the same for a while by the monotonic clock. A clock that is set forward ends no
 * lease of a holder that renews it; one that is set back keeps none for ever.
 */
export class LeaseSightings {
  readonly #seen = new Cache<string, { readonly version: string; readonly since: number }>({ most: 10_000 });

  /** How long to wait before the next look; 0 or less: it may be taken. `ms` is the length of the lease. */
  waitMs(name: string, { version, leftMs }: LeaseSighting, ms: number): number {
    const now = performance.now();
    const before = this.#seen.get(name);
    const since = before?.version === version ? before.since : now;
    this.#seen.set(name, { version, since });
    const sameForMs = now - since;
    if (leftMs < 0) return Math.ceil(deadAfter * ms - sameForMs);
    return Math.ceil(Math.min(leftMs + 1, longestWait * ms - sameForMs));
  }

  forget(name: string): void {
    this.#seen.delete(name);
  }
}
