import type { Listener } from '@corral/base/db/changes';
import type { WriteOptions } from '@corral/base/db/db';
import type { Topic } from '../db/changes.ts';
import { verdictOf } from '../db/constraints.ts';
import type { Db, Tx } from '../db/db.ts';
import type { Caller } from './caller.ts';
import { CorralError } from './errors.ts';
import { type EventDraft, writeEvents } from './events.ts';
import { type LeaseWatch, leaseWatchOf } from './lease-watch.ts';
import type { Site } from './site.ts';

/** What an operation holds while it only reads. */
export interface ReadOp {
  readonly caller: Caller;
  readonly site: Site;
  readonly tx: Tx;
  /** The database's clock. */
  readonly now: Db['now'];
}

/** What an operation holds while it changes something: the same, and a way to say what it did. */
export interface WriteOp extends ReadOp {
  /** Writes down what happened, in this transaction. */
  record(event: EventDraft): void;
  /** Rings after the commit. */
  ring(topic: Topic): void;
}

/** Who asks, and for which request: what every operation and every event is about. */
export interface Request {
  readonly caller: Caller;
  readonly requestId: string | null;
}

/**
 * Opens operations: each is one transaction. An operation that has to talk to a device in between takes
 * this instead of an op: it checks in one transaction, talks, then checks again and records in another.
 */
export interface Desk extends Request {
  readonly site: Site;
  read<T>(work: (op: ReadOp) => Promise<T>): Promise<T>;
  /** One hot read that is a single statement. */
  readonly ask: Db['ask'];
  write<T>(work: (op: WriteOp) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Begins to listen for what other operations, of all processes, ring after their commits. */
  listen(topic: Topic): Listener;
  readonly leases: LeaseWatch;
  /** The same desk for someone else: who signs in is nobody until then. */
  as(caller: Caller): Desk;
}

export const deskFor = (db: Db, site: Site, request: Request): Desk => ({
  caller: request.caller,
  requestId: request.requestId,
  site,
  ask: db.ask,
  read: (work) => db.read((tx) => work({ caller: request.caller, site, tx, now: db.now })),
  write: (work, options) => runWrite(db, site, request, work, options),
  listen: (topic) => db.changes.listen(topic),
  leases: leaseWatchOf(db),
  as: (caller) => deskFor(db, site, { ...request, caller }),
});

const runWrite = async <T>(
  db: Db,
  site: Site,
  request: Request,
  work: (op: WriteOp) => Promise<T>,
  options?: WriteOptions,
): Promise<T> => {
  let rung = new Set<Topic>();
  const attempt = async (tx: Tx): Promise<T> => {
    const events: EventDraft[] = [];
    rung = new Set();
    const result = await work({
      caller: request.caller,
      site,
      tx,
      now: db.now,
      record: (event) => events.push(event),
      ring: (topic) => rung.add(topic),
    });
    if (events.length > 0) {
      rung.add('events');
      await db.orderEvents(tx);
      await writeEvents(tx, request, events);
    }
    await db.announce(tx, [...rung]);
    return result;
  };
  try {
    const result = await db.write(attempt, options);
    for (const topic of rung) db.changes.ring(topic);
    return result;
  } catch (error) {
    const verdict = verdictOf(error);
    if (verdict) throw new CorralError(verdict.type, verdict.message, { cause: error });
    throw error;
  }
};
