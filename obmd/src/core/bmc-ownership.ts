import { randomUUID } from 'node:crypto';
import { onAbort } from '@corral/base/abort';
import { Backoff } from '@corral/base/backoff';
import { type ClockReading, readClocks } from '@corral/base/clock-reading';
import { HeldLease } from '@corral/base/db/held-lease';
import type { Lease, LeaseOp } from '@corral/base/db/lease-table';
import { LeaseWatch } from '@corral/base/db/lease-watch';
import { isProcessGone, processNamespace } from '@corral/base/process-namespace';
import type { Database } from '../db/obmd-schema.ts';
import type { Db, Tx } from '../db/open-obmd-database.ts';
import { type DaemonReach, type Holder, leaseName, ownerTableOf, readHolder, unreachable } from './bmc-holder.ts';
import { standby } from './obmd-error.ts';

/*
 * One process at a time works with the BMCs of a database: two of them would fight over consoles, and one would go on
 * accepting a token that the other has voided. A second one waits until the first is gone.
 */

/** A process that has not renewed for this long has lost its hold; it stops by itself a little earlier. */
const holdMs = 6_000;
const renewMs = 1_500;
const marginMs = 1_000;
const growth = { firstMs: renewMs, longestMs: 10_000 };

const ownerTable = ownerTableOf<Database>();

export interface OwnershipEvents {
  readonly gained: () => Promise<void>;
  readonly lost: () => Promise<void>;
  /** What was to be done when it was gained, later than the start, went wrong; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** Holds the database for this process, or waits for it. */
export class Ownership {
  readonly #db: Db;
  readonly #on: OwnershipEvents;
  readonly #process = `${processNamespace()} ${randomUUID()}`;
  #holds = 0;
  /** Of the present hold, or the last one. Each has a name of its own. */
  #lease: Lease | null = null;
  /** A process beside us that is gone needs no waiting for, and an earlier hold of this one neither. */
  #watch = this.#watchOf(unreachable);
  readonly #failures = new Backoff(growth);
  #held: HeldLease | null = null;
  #stopRenewal: () => void = () => undefined;
  #isStopped = false;
  #nextTurn: NodeJS.Timeout | undefined;
  /** When it is worth another look, while somebody else has it. */
  #waitMs = renewMs;
  /** Who has it, while we have not. */
  other: Pick<Holder, 'host' | 'pid'> | null = null;

  constructor(db: Db, on: OwnershipEvents) {
    this.#db = db;
    this.#on = on;
  }

  /** Takes hold if nobody has it, and goes on trying if somebody has. Others read `reach` in its row. */
  async start(reach: DaemonReach = unreachable): Promise<void> {
    this.#watch = this.#watchOf(reach);
    try {
      await this.#turn();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Throws unless the database is certainly still ours. The process may have slept: the timer that ends the hold sleeps
   * with it, and when it wakes, what waited to be read or sent may come first.
   */
  readonly check = (): void => {
    if (!this.isOurs) throw notOurs();
  };

  /**
   * The same for the present hold, checked in the transaction that changes the database: the process that has the
   * nodes works from memory. A change that was begun under an earlier hold of this process is refused, too: what is in
   * memory was read after that one ended.
   */
  requirementOfHold(): (tx: Tx) => Promise<void> {
    const lease = this.#lease;
    return async (tx) => {
      if (lease === null || !(await ownerTable.isHeld(tx, lease))) throw notOurs();
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#nextTurn);
    this.#letGo();
    const lease = this.#lease;
    if (lease !== null) await this.#db.write((tx) => ownerTable.release(tx, lease)).catch(() => undefined);
  }

  /** Which process has the nodes now, this one or another; null: none. */
  holder(): Promise<Holder | null> {
    return this.#db.read((tx) => readHolder({ tx, now: this.#db.now }));
  }

  /** Is it certainly this process that has the nodes? */
  get isOurs(): boolean {
    return this.#held?.isOurs ?? false;
  }

  #watchOf(reach: DaemonReach): LeaseWatch<Database, Holder> {
    return new LeaseWatch(
      ownerTableOf<Database>(reach),
      ({ holder, pid }) => holder.startsWith(`${this.#process} `) || isProcessGone(holder.split(' ', 1)[0] ?? '', pid),
    );
  }

  /** Takes the nodes if nobody has them, or looks again later. */
  async #turn(): Promise<void> {
    const asked = readClocks();
    const isOurs = await this.#take().catch(() => null);
    if (this.#isStopped) return;
    try {
      if (isOurs && this.#lease !== null) await this.#hold(this.#lease, asked);
    } catch (error) {
      this.#turnLater(this.#failures.failed());
      throw error;
    }
    if (isOurs !== null) this.#failures.succeeded();
    if (!isOurs) this.#turnLater(isOurs === null ? this.#failures.failed() : Math.min(renewMs, this.#waitMs));
  }

  #turnLater(ms: number): void {
    if (this.#isStopped) return;
    this.#nextTurn = setTimeout(() => void this.#turn().catch(this.#on.failed), ms).unref();
  }

  async #take(): Promise<boolean> {
    const db = this.#db;
    const inside =
      <T>(work: (op: LeaseOp<Database>) => Promise<T>) =>
      (tx: Tx): Promise<T> =>
        work({ tx, now: db.now });
    const { lease, row, waitMs } = await this.#watch.take(
      { read: (work) => db.read(inside(work)), write: (work) => db.write(inside(work)) },
      leaseName,
      `${this.#process} ${(this.#holds += 1)}`,
      holdMs,
    );
    if (lease !== null) this.#lease = lease;
    this.#waitMs = waitMs;
    this.other = lease === null && row ? { host: row.host, pid: row.pid } : null;
    return lease !== null;
  }

  /** From now on the lease is renewed, until it is lost. */
  async #hold(lease: Lease, asked: ClockReading): Promise<void> {
    const held = new HeldLease({
      lease,
      ms: holdMs - marginMs,
      renewEveryMs: renewMs,
      endsOnTime: true,
      asked,
      renew: () =>
        this.#db.write((tx) => ownerTable.renew({ tx, now: this.#db.now }, lease, holdMs), { isUrgent: true }),
      lost: notOurs,
    });
    this.#held = held;
    this.#stopRenewal = held.keep();
    try {
      await this.#on.gained();
    } catch (error) {
      // The next turn tries again.
      this.#letGo();
      throw error;
    }
    // It may have taken longer than we do, or than the hold lasts.
    if (this.#isStopped) await this.#on.lost();
    else onAbort(held.lost, () => void this.#lose());
  }

  async #lose(): Promise<void> {
    if (this.#isStopped) return;
    this.#letGo();
    await this.#on.lost().catch(this.#on.failed);
    this.#turnLater(renewMs);
  }

  #letGo(): void {
    this.#held = null;
    this.#stopRenewal();
  }
}

const notOurs = () => standby('another process may manage these nodes now; try again in a moment');
