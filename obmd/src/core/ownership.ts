import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from '@corral/base/db/kysely';
import { isGone, thisPlace } from '@corral/base/place';
import type { Db, Tx } from '../db/open.ts';

/*
 * One process at a time works with the BMCs of a database: two of them would fight over consoles, and one would go on
 * accepting a token that the other has voided. A second one waits until the first is gone.
 */

const name = 'obmd';
/** A process that has not renewed for this long has lost its hold; it stops by itself a little earlier. */
const holdMs = 6_000;
const renewMs = 1_500;
const marginMs = 1_000;

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
  readonly #holder = `${thisPlace()} ${randomUUID()}`;
  readonly #gained: () => Promise<void>;
  readonly #lost: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #isHeld = false;
  #isStopped = false;
  #renewal: NodeJS.Timeout | null = null;
  #expiry: NodeJS.Timeout | null = null;
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

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#renewal) clearTimeout(this.#renewal);
    if (this.#expiry) clearTimeout(this.#expiry);
    await this.#db
      .write((tx) => tx.deleteFrom('obmd_owner').where('holder', '=', this.#holder).execute())
      .catch(() => undefined);
  }

  async #turn(): Promise<void> {
    const asked = performance.now();
    // A database that does not answer takes nothing from us before the time is over.
    const isOurs = await this.#db.write((tx) => this.#claim(tx)).catch(() => null);
    if (this.#isStopped) return;
    try {
      if (isOurs === true) await this.#hold(asked + holdMs - marginMs);
      if (isOurs === false) await this.#letGo();
    } finally {
      this.#turnLater();
    }
  }

  #turnLater(): void {
    if (this.#isStopped) return;
    this.#renewal = setTimeout(() => void this.#turn().catch(this.#failed), renewMs).unref();
  }

  async #hold(until: number): Promise<void> {
    if (this.#expiry) clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => void this.#letGo(), until - performance.now()).unref();
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

  async #claim(tx: Tx): Promise<boolean> {
    const held = await tx
      .selectFrom('obmd_owner')
      .select(['holder', 'host', 'pid'])
      .select(sql<number>`case when expires_at > ${this.#db.now} then 1 else 0 end`.as('is_current'))
      .where('name', '=', name)
      .executeTakeFirst();
    const isFree = held === undefined || held.holder === this.#holder || held.is_current === 0 || isDead(held);
    this.other = isFree ? null : { host: held.host, pid: held.pid };
    if (!isFree) return false;
    const values = {
      holder: this.#holder,
      host: hostname(),
      pid: process.pid,
      expires_at: sql<number>`${this.#db.now} + ${holdMs}`,
    };
    await tx
      .insertInto('obmd_owner')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
    return true;
  }
}

/** A process beside us that is gone needs no waiting for. */
const isDead = ({ holder, pid }: { readonly holder: string; readonly pid: number }): boolean =>
  isGone(holder.split(' ', 1)[0] ?? '', pid);
