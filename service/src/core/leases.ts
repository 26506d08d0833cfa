import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '@corral/base/db/kysely';
import { statement } from '../db/statement.ts';
import { blocked } from './errors.ts';
import type { Desk, WriteOp } from './op.ts';

/** The right to be the only one to work on something, for a short time that can be renewed. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Grows with every change of hands; whoever settles with an old one is refused. */
  readonly fence: number;
}

/** This process, among all that share the database. */
export const thisProcess = `${process.pid}-${randomUUID()}`;

/** Takes the lease if nobody holds it or its time is over. */
export const claimLease = async (op: WriteOp, name: string, holder: string, ms: number): Promise<Lease | null> => {
  const claimed = await op.tx
    .insertInto('leases')
    .values({ name, holder, fence: 1, expires_at: sql<number>`${op.now} + ${ms}` })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, fence: sql<number>`leases.fence + 1`, expires_at: sql<number>`${op.now} + ${ms}` })
        .where('leases.expires_at', '<', op.now),
    )
    .returning('fence')
    .executeTakeFirst();
  return claimed ? { name, holder, fence: claimed.fence } : null;
};

/** Prolongs a lease that is still ours; false if it passed to someone else. */
export const renewLease = async (op: WriteOp, lease: Lease, ms: number): Promise<boolean> => {
  const { numUpdatedRows } = await op.tx
    .updateTable('leases')
    .set({ expires_at: sql<number>`${op.now} + ${ms}` })
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .where('fence', '=', lease.fence)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
};

/** Is the lease still ours? Asked in the transaction that settles what was done under it. */
export const holdsLease = async ({ tx }: WriteOp, lease: Lease): Promise<boolean> => {
  const row = await heldLease.first(tx, lease);
  return row !== undefined;
};

const heldLease = statement((tx, { name, holder, fence }: Lease) =>
  tx
    .selectFrom('leases')
    .select('fence')
    .where('name', '=', name)
    .where('holder', '=', holder)
    .where('fence', '=', fence),
);

/** Gives a lease back at once. The row stays, so that fences keep growing. */
export const releaseLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  await op.tx
    .updateTable('leases')
    .set({ expires_at: 0 })
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .where('fence', '=', lease.fence)
    .execute();
};

const holdMs = 6_000;
const pollMs = 50;
const patienceMs = 20_000;

/** Refuses to record what was done under a lease that has passed to someone else meanwhile. */
export const requireLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  if (!(await holdsLease(op, lease)))
    throw blocked('it took too long, and somebody else was let in meanwhile; try again');
};

/**
 * Runs work that talks to a device about one object, one caller at a time over all replicas. What it
 * records, it records under `requireLease`.
 */
export const exclusively = async <T>(desk: Desk, name: string, work: (lease: Lease) => Promise<T>): Promise<T> => {
  const holder = `${thisProcess}/${randomUUID()}`;
  const deadline = Date.now() + patienceMs;
  let lease = await desk.write((op) => claimLease(op, name, holder, holdMs));
  while (lease === null) {
    if (Date.now() > deadline) throw blocked('another change to the same object is under way; try again in a moment');
    await sleep(pollMs);
    lease = await desk.write((op) => claimLease(op, name, holder, holdMs));
  }
  const held = lease;
  const renewal = setInterval(() => {
    desk.write((op) => renewLease(op, held, holdMs)).catch(() => undefined);
  }, holdMs / 3);
  try {
    return await work(held);
  } finally {
    clearInterval(renewal);
    await desk.write((op) => releaseLease(op, held)).catch(() => undefined);
  }
};
