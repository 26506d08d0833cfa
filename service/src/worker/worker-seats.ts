import { setTimeout as sleep } from 'node:timers/promises';
import { firstOf, onAbort } from '@corral/base/abort';
import { Backoff } from '@corral/base/backoff';
import { readClocks } from '@corral/base/clock-reading';
import type { HeldLease } from '@corral/base/db/held-lease';
import { holdLease, releaseLease, thisProcess } from '../core/leases.ts';
import type { ReadOp, RequestContext } from '../core/request-context.ts';
import { leaseTable } from '../db/service-leases.ts';
import { divideSwitches, type Owner } from './divide-switches.ts';

/*
 * The workers of a database know of each other by seats: a seat is a lease with a number, and a worker that comes back
 * finds the seat that it had, and so the same switches. A worker that finds none works on what nobody else takes.
 */

const seats = Array.from({ length: 64 }, (_, number) => number);
const nameOf = (seat: number): string => `worker/${seat}`;
/** Switches that were deleted since count for as long at most. */
const divideEveryMs = 1_000;
const growth = { firstMs: 100, longestMs: 5_000 };

/** How the switches are divided among the workers. */
export interface Division {
  /** The same as long as the same workers are there. */
  readonly key: string;
  readonly ownerOf: (switchId: number) => Owner;
  /** Look again after this long: one of the others may be dead by then. */
  readonly waitMs: number;
}

/** Of a worker that is alone. */
export const undivided: Division = { key: '', ownerOf: () => 'us', waitMs: Number.POSITIVE_INFINITY };

/** The seat of this worker, and what it knows of those of others. */
export class WorkerSeats {
  readonly #context: RequestContext;
  readonly #leaseMs: number;
  readonly #leaving = new AbortController();
  #own: { readonly seat: number; readonly held: HeldLease } | null = null;
  #divided = new DividedSwitches('', new Map());
  #loop: Promise<void> = Promise.resolve();

  constructor(context: RequestContext, leaseMs: number) {
    this.#context = context;
    this.#leaseMs = leaseMs;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Gives the seat back: from now on the switches are those of the others, if there are any. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#loop;
  }

  /** `finding`: whose switches they are has to be known. They are looked for at the same time. */
  async read(op: ReadOp, finding: Promise<readonly { readonly id: number }[]>): Promise<Division> {
    const [stateOf, asked] = await Promise.all([
      this.#context.leases.inspect(op, seats.map(nameOf), this.#leaseMs),
      finding,
    ]);
    const states = seats.map((seat) => ({ seat, ...stateOf(nameOf(seat)) })).filter(({ free }) => free === null);
    const taken = states.map(({ seat }) => seat);
    const others = states.filter(({ seat }) => seat !== this.#own?.seat);
    const waitMs = Math.min(...others.map((state) => state.waitMs));
    return {
      key: taken.join(' '),
      waitMs,
      ownerOf: await this.#owners(
        op,
        taken,
        asked.map(({ id }) => id),
      ),
    };
  }

  async #owners({ tx }: ReadOp, taken: readonly number[], asked: readonly number[]): Promise<Division['ownerOf']> {
    const own = this.#own;
    if (this.#leaving.signal.aborted) return () => (taken.length === 0 ? 'us' : 'another');
    if (own === null || !taken.includes(own.seat)) return () => 'unknown';
    if (taken.length === 1) return () => 'us';
    const key = taken.join(' ');
    if (!this.#divided.isFor(key, asked)) {
      const rows = await tx.selectFrom('switches').select('id').execute();
      const owners = divideSwitches(
        rows.map(({ id }) => id),
        taken,
      );
      this.#divided = new DividedSwitches(key, owners);
    }
    const { owners } = this.#divided;
    return (id) => {
      const owner = owners.get(id);
      if (owner === undefined) return 'unknown';
      return owner === own.seat ? 'us' : 'another';
    };
  }

  async #run(): Promise<void> {
    const { signal } = this.#leaving;
    const failures = new Backoff(growth);
    while (!signal.aborted) {
      const own = await this.#take().catch(() => null);
      if (own === null) {
        await sleep(failures.failed(), undefined, { signal }).catch(() => undefined);
        continue;
      }
      failures.succeeded();
      this.#own = own;
      const letGo = own.held.keep();
      await ended(signal, own.held.lost);
      letGo();
      this.#own = null;
      await this.#context.write((op) => releaseLease(op, own.held.lease)).catch(() => undefined);
    }
  }

  /** The first seat that is free; null: there is none, or others were quicker. */
  async #take(): Promise<{ readonly seat: number; readonly held: HeldLease } | null> {
    const context = this.#context;
    const stateOf = await context.read((op) => context.leases.inspect(op, seats.map(nameOf), this.#leaseMs));
    for (const seat of seats) {
      const { free } = stateOf(nameOf(seat));
      if (free === null) continue;
      const asked = readClocks();
      const lease = await context.write(async (op) => {
        const claimed = await leaseTable.claim(op, free, thisProcess, this.#leaseMs);
        // The others are to know at once that there is one more.
        if (claimed !== null) op.notify('leases');
        return claimed;
      });
      return lease && { seat, held: holdLease(context, lease, this.#leaseMs, asked) };
    }
    return null;
  }
}

/** How the switches were divided a moment ago: not every change on one of them has all of them divided again. */
class DividedSwitches {
  readonly owners: ReadonlyMap<number, number>;
  readonly #key: string;
  readonly #at = performance.now();

  constructor(key: string, owners: ReadonlyMap<number, number>) {
    this.#key = key;
    this.owners = owners;
  }

  isFor(key: string, asked: readonly number[]): boolean {
    if (key !== this.#key || performance.now() - this.#at >= divideEveryMs) return false;
    return asked.every((id) => this.owners.has(id));
  }
}

const ended = async (...signals: readonly [AbortSignal, AbortSignal]): Promise<void> => {
  const { signal, release } = firstOf(...signals);
  await new Promise<void>((resolve) => onAbort(signal, resolve));
  release();
};
