import { type Lease, renewLease } from '../core/leases.ts';
import type { Desk } from '../core/op.ts';
import { LeaseLost } from './settle.ts';

/**
 * A lease and what this process knows of it. The process may sleep: it is stopped, its machine is suspended. When it
 * wakes, the lease may long be another's, and nothing has told it so yet. So whoever is about to send something
 * compares the time since the lease was last confirmed with its length, here and now.
 */
export class HeldLease {
  readonly lease: Lease;
  readonly #desk: Desk;
  readonly #ms: number;
  readonly #lost = new AbortController();
  #confirmed: Moment;

  /** `asked`: before the claim was sent. */
  constructor(desk: Desk, lease: Lease, ms: number, asked: Moment) {
    this.#desk = desk;
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
    if (passedSince(this.#confirmed) >= this.#ms) this.#lost.abort(new LeaseLost(this.lease));
    this.lost.throwIfAborted();
  };

  /** Asks for the lease anew. */
  async renew(): Promise<void> {
    const asked = moment();
    const isOurs = await this.#desk.write((op) => renewLease(op, this.lease, this.#ms));
    if (isOurs) this.#confirmed = asked;
    else this.#lost.abort(new LeaseLost(this.lease));
  }

  /** Makes sure that the lease is ours for a good while: asks the database if it was not asked lately. */
  async confirm(): Promise<void> {
    // A database that does not answer now may do so before the lease is over.
    if (passedSince(this.#confirmed) >= this.#ms / 2) await this.renew().catch(() => undefined);
    this.check();
  }
}

/** A moment by two clocks: one that never steps but may stand still while the machine sleeps, and the time of day. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export const moment = (): Moment => ({ steady: performance.now(), wall: Date.now() });

/** The more of the two. A time of day that was set forward costs a lease, and one that was set back does no harm. */
const passedSince = ({ steady, wall }: Moment): number => Math.max(performance.now() - steady, Date.now() - wall);
