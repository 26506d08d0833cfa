import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Backoff } from '@corral/base/backoff';
import { sql } from 'kysely';
import { LeaseSightings } from '@corral/base/db/lease-sightings';
import { type ClockReading, readClocks, elapsedSince } from '@corral/base/clock-reading';
import { isProcessGone, processNamespace } from '@corral/base/process-namespace';
import type { Db, Tx } from '../db/open-obmd-database.ts';
import { standby } from './obmd-error.ts';

/*
 * One process at a time works with the BMCs of a database: two of them would fight over consoles, and one would go on
 * accepting a token that the other has voided. A second one waits until the first is gone.
 */

const name = 'obmd';
/** A process that has not renewed for this long has lost its hold; it stops by itself a little earlier. */
const holdMs = 6_000;
const renewMs = 1_500;
const marginMs = 1_000;
const ownMs = holdMs - marginMs;
const growth = { firstMs: renewMs, longestMs: 10_000 };

/** Who holds the database, in words. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
}

export interface OwnershipEvents {
  readonly gained: () => Promise<void>;
  readonly lost: () => Promise<void>;
  /** What was to be done when it was gained, later than the start, went wrong; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** Holds the database for this process, or waits for it. */
export class Ownership {
  readonly #db: Db;
  readonly #holder = `${processNamespace()} ${randomUUID()}`;
  readonly #gained: () => Promise<void>;
  readonly #lost: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #isHeld = false;
  /** When the hold was last asked for and given. */
  #confirmed: ClockReading = readClocks();
  #isStopped = false;
  #renewal: NodeJS.Timeout | null = null;
  #expiry: NodeJS.Timeout | null = null;
  readonly #failures = new Backoff(growth);
  readonly #sightings = new LeaseSightings();
  /** Who has it, while we have not. */
  other: Holder | null = null;

  constructor(db: Db, on: OwnershipEvents) {
    this.#db = db;
    this.#gained = on.gained;
    this.#lost = on.lost;
    this.#failed = on.failed;
  }

  /** Takes hold if nobody has it, and goes on trying if somebody has. */
  async start(): Promise<void> {
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
    if (!this.#isHeld || elapsedSince(this.#confirmed) >= ownMs) throw notOurs();
  };

  /**
   * The same, checked in the transaction that changes the database: the process that has the nodes works from memory.
   */
  readonly requireHold = async (tx: Tx): Promise<void> => {
    const row = await tx.selectFrom('obmd_owner').select('holder').where('name', '=', name).executeTakeFirst();
    if (row?.holder !== this.#holder) throw notOurs();
  };

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#renewal) clearTimeout(this.#renewal);
    if (this.#expiry) clearTimeout(this.#expiry);
    await this.#db
      .write((tx) => tx.deleteFrom('obmd_owner').where('holder', '=', this.#holder).execute())
      .catch(() => undefined);
  }

  async #turn(): Promise<void> {
    const asked = readClocks();
    // A database that does not answer takes nothing from us before the time is over.
    const isOurs = await this.#take().catch(() => null);
    if (this.#isStopped) return;
    let isFailure = isOurs === null;
    try {
      if (isOurs === true) await this.#hold(asked);
      if (isOurs === false) await this.#letGo();
    } catch (error) {
      isFailure = true;
      throw error;
    } finally {
      if (!isFailure) this.#failures.succeeded();
      this.#turnLater(isFailure ? this.#failures.failed() : renewMs);
    }
  }

  #turnLater(ms: number): void {
    if (this.#isStopped) return;
    this.#renewal = setTimeout(() => void this.#turn().catch(this.#failed), ms).unref();
  }

  async #hold(asked: ClockReading): Promise<void> {
    this.#confirmed = asked;
    if (this.#expiry) clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => void this.#letGo(), ownMs - elapsedSince(asked)).unref();
    if (this.#isHeld) return;
    this.#isHeld = true;
    try {
      await this.#gained();
    } catch (error) {
      // The next turn tries again.
      this.#isHeld = false;
      throw error;
    }
    // It may have taken longer than the hold lasts, or than we do.
    const isStillOurs = (): boolean => this.#isHeld && !this.#isStopped;
    if (!isStillOurs()) await this.#lost();
  }

  async #letGo(): Promise<void> {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await this.#lost();
  }

  /** Reads first: a waiting process writes nothing. */
  async #take(): Promise<boolean> {
    const held = await this.#db.read((tx) => this.#look(tx));
    const isFree = held === undefined || held.holder === this.#holder || isDead(held) || this.#mayBeTaken(held);
    this.other = isFree ? null : { host: held.host, pid: held.pid };
    return isFree && this.#db.write((tx) => this.#claim(tx, held));
  }

  #look(tx: Tx) {
    return tx
      .selectFrom('obmd_owner')
      .select(['holder', 'host', 'pid', 'expires_at'])
      .select(sql<number>`expires_at - ${this.#db.now}`.as('leftMs'))
      .where('name', '=', name)
      .executeTakeFirst();
  }

  #mayBeTaken({ holder, expires_at, leftMs }: HeldRow): boolean {
    return this.#sightings.waitMs(name, { version: `${holder} ${expires_at}`, leftMs }, holdMs) <= 0;
  }

  /** False: somebody else was quicker, or has taken it from us. */
  async #claim(tx: Tx, seen: HeldRow | undefined): Promise<boolean> {
    const values = {
      holder: this.#holder,
      host: hostname(),
      pid: process.pid,
      expires_at: sql<number>`${this.#db.now} + ${holdMs}`,
    };
    const claimed = await tx
      .insertInto('obmd_owner')
      .values({ name, ...values })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(values)
          .where('obmd_owner.holder', '=', seen?.holder ?? '')
          .where('obmd_owner.expires_at', '=', seen?.expires_at ?? -1),
      )
      .returning('name')
      .executeTakeFirst();
    return claimed !== undefined;
  }
}

const notOurs = () => standby('another process may manage these nodes now; try again in a moment');

interface HeldRow {
  readonly holder: string;
  readonly pid: number;
  readonly expires_at: number;
  readonly leftMs: number;
}

/** A process beside us that is gone needs no waiting for. */
const isDead = ({ holder, pid }: { readonly holder: string; readonly pid: number }): boolean =>
  isProcessGone(holder.split(' ', 1)[0] ?? '', pid);
