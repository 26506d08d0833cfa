import { type ClockReading, readClocks, elapsedSince } from '../clock-reading.ts';
import type { Lease } from './lease-table.ts';

interface HeldLeaseParts {
  readonly lease: Lease;
  /** How long it counts after it was confirmed: no longer than it was taken for. */
  readonly ms: number;
  readonly renewEveryMs?: number;
  /** It ends the moment its time is over. Otherwise a renewal that succeeds later, after the process slept, keeps it. */
  readonly endsOnTime?: true;
  /** Before the claim was sent. */
  readonly asked: ClockReading;
  /** Prolongs it in the database; false: it is another's. */
  readonly renew: () => Promise<boolean>;
  /** What those get who relied on it. */
  readonly lost: () => Error;
}

/**
 * A lease and what this process knows of it. The process may sleep: it is stopped, its machine is suspended. When it
 * wakes, the lease may long be another's, and it does not know that yet. So the sender
 * compares the time since the lease was last confirmed with its length, here and now.
 */
export class HeldLease {
  readonly lease: Lease;
  readonly #parts: HeldLeaseParts;
  readonly #lost = new AbortController();
  #confirmed: ClockReading;

  constructor(parts: HeldLeaseParts) {
    this.#parts = parts;
    this.lease = parts.lease;
    this.#confirmed = parts.asked;
  }

  /** Aborts when the lease is another's, or may be. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Is the lease certainly still ours, here and now? If only its time is over, it may be confirmed again. */
  get isOurs(): boolean {
    return !this.lost.aborted && elapsedSince(this.#confirmed) < this.#parts.ms;
  }

  /** Throws unless the lease is certainly still ours. */
  readonly check = (): void => {
    if (!this.isOurs) this.#lose();
    this.lost.throwIfAborted();
  };

  /** Reads the lease again. */
  async renew(): Promise<void> {
    const asked = readClocks();
    if (await this.#parts.renew()) this.#confirmed = asked;
    else this.#lose();
  }

  /** Makes sure that the lease is ours for a good while: asks the database if it was not asked lately. */
  async confirm(): Promise<void> {
    // A database that does not answer now may do so before the lease is over.
    if (elapsedSince(this.#confirmed) >= this.#parts.ms / 2) await this.renew().catch(() => undefined);
    this.check();
  }

  /** Renews it three times within its length, until the function that is returned is called. */
  keep(failed: (error: unknown) => void = () => undefined): () => void {
    const { ms, renewEveryMs = ms / 3, endsOnTime = false } = this.#parts;
    const compare = (): void => {
      if (!this.isOurs) this.#lose();
    };
    let isAsking = false;
    const renewal = setInterval(() => {
      // A database that does not answer is not asked again; what is under way ends with the lease.
      if (isAsking) return compare();
      isAsking = true;
      this.renew()
        .catch((error: unknown) => {
          failed(error);
          compare();
        })
        .finally(() => (isAsking = false));
    }, renewEveryMs);
    let expiry: NodeJS.Timeout | undefined;
    const watchExpiry = (): void => {
      compare();
      if (this.isOurs) expiry = setTimeout(watchExpiry, ms - elapsedSince(this.#confirmed));
    };
    if (endsOnTime) watchExpiry();
    return () => {
      clearInterval(renewal);
      clearTimeout(expiry);
    };
  }

  #lose(): void {
    this.#lost.abort(this.#parts.lost());
  }
}
