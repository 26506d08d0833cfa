import { type ClockReading, readClocks, elapsedSince } from '@corral/base/clock-reading';
import { type Lease, LeaseLost, renewLease } from './leases.ts';
import type { RequestContext } from './request-context.ts';

/**
 * A lease and what this process knows of it. The process may sleep: it is stopped, its machine is suspended. When it
 * wakes, the lease may long be another's, and it does not know that yet. So the sender
 * compares the time since the lease was last confirmed with its length, here and now.
 */
export class HeldLease {
  readonly lease: Lease;
  readonly #context: Pick<RequestContext, 'writeOutcome'>;
  readonly #ms: number;
  readonly #lost = new AbortController();
  #confirmed: ClockReading;

  /** `asked`: before the claim was sent. */
  constructor(context: Pick<RequestContext, 'writeOutcome'>, lease: Lease, ms: number, asked: ClockReading) {
    this.#context = context;
    this.lease = lease;
    this.#ms = ms;
    this.#confirmed = asked;
  }

  /** Aborts when the lease is another's, or may be. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Throws unless the lease is certainly still ours. */
  readonly check = (): void => {
    this.#compare();
    this.lost.throwIfAborted();
  };

  /** Reads the lease again. */
  async renew(): Promise<void> {
    const asked = readClocks();
    const isOurs = await this.#context.writeOutcome((op) => renewLease(op, this.lease, this.#ms));
    if (isOurs) this.#confirmed = asked;
    else this.#lost.abort(new LeaseLost(this.lease));
  }

  /** Makes sure that the lease is ours for a good while: asks the database if it was not asked lately. */
  async confirm(): Promise<void> {
    // A database that does not answer now may do so before the lease is over.
    if (elapsedSince(this.#confirmed) >= this.#ms / 2) await this.renew().catch(() => undefined);
    this.check();
  }

  /** Renews it three times within its length, until the function that is returned is called. */
  keep(failed: (error: unknown) => void = () => undefined): () => void {
    let isAsking = false;
    const renewal = setInterval(() => {
      // A database that does not answer is not asked again; what is under way ends with the lease.
      if (isAsking) return this.#compare();
      isAsking = true;
      this.renew()
        .catch((error: unknown) => {
          failed(error);
          this.#compare();
        })
        .finally(() => (isAsking = false));
    }, this.#ms / 3);
    return () => clearInterval(renewal);
  }

  #compare(): void {
    if (elapsedSince(this.#confirmed) >= this.#ms) this.#lost.abort(new LeaseLost(this.lease));
  }
}
