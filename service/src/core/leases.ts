import { randomUUID } from 'node:crypto';
import { locksRows } from '@corral/base/db/bound-kysely';
import { sql } from 'kysely';
import { statement } from '../db/service-statement.ts';
import { CorralError } from './corral-error.ts';
import type { FreeLease } from './lease-watch.ts';
import type { RequestContext, WriteOp } from './request-context.ts';

/** The right to be the only one to work on something, for a short time that can be renewed. */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Increases with every new holder; a result with an old fence is refused. */
  readonly fence: number;
}

/** This process, among all that share the database. */
export const thisProcess = `${process.pid}-${randomUUID()}`;

/** Takes a lease that was seen to be free; null if somebody else was quicker. */
export const claimLease = async (
  op: WriteOp,
  { name, seen }: FreeLease,
  holder: string,
  ms: number,
): Promise<Lease | null> => {
  const claimed = await op.tx
    .insertInto('leases')
    .values({ name, holder, fence: 1, expires_at: sql<number>`${op.now} + ${ms}` })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, fence: sql<number>`leases.fence + 1`, expires_at: sql<number>`${op.now} + ${ms}` })
        .where('leases.fence', '=', seen?.fence ?? -1)
        .where('leases.expires_at', '=', seen?.expiresAt ?? -1),
    )
    .returning('fence')
    .executeTakeFirst();
  return claimed ? { name, holder, fence: claimed.fence } : null;
};

/**
 * Takes a lease if it can be had, after a look that writes nothing. Otherwise answers when to look again at the latest;
 * a release notifies `leases`.
 */
export const tryLease = async (
  context: Pick<RequestContext, 'read' | 'write' | 'leases'>,
  name: string,
  holder: string,
  ms: number,
): Promise<{ readonly lease: Lease; readonly waitMs?: never } | { readonly lease: null; readonly waitMs: number }> => {
  const look = () => context.read(async ({ tx, now }) => (await context.leases.look(tx, now, [name], ms))(name));
  const { free, waitMs } = await look();
  if (free === null) return { lease: null, waitMs };
  const lease = await context.write((op) => claimLease(op, free, holder, ms));
  if (lease !== null) return { lease };
  // Somebody else was quicker, and may be done already.
  return { lease: null, waitMs: (await look()).waitMs ?? shortestWaitMs };
};

const shortestWaitMs = 20;

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
const holdsLease = async ({ tx }: WriteOp, lease: Lease): Promise<boolean> => {
  const row = await heldLease.first(tx, lease);
  return row !== undefined;
};

/**
 * Held until the transaction ends, so that nobody takes the lease before it has. Otherwise a process that is stopped
 * before its commit could wake up and commit after another one has planned from what was there before.
 */
const heldLease = statement((tx, { name, holder, fence }: Lease) =>
  tx
    .selectFrom('leases')
    .select('fence')
    .where('name', '=', name)
    .where('holder', '=', holder)
    .where('fence', '=', fence)
    .$if(locksRows(tx), (query) => query.forShare()),
);

/** Releases a lease immediately, and notifies the waiters. The row stays, so that fences keep growing. */
export const releaseLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  await op.tx
    .updateTable('leases')
    .set({ expires_at: 0 })
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .where('fence', '=', lease.fence)
    .execute();
  op.notify('leases');
};

/** The right to work on something may be another's by now: nothing more may be sent, nor what was done be recorded. */
export class LeaseLost extends CorralError {
  readonly lease: Lease;

  constructor(lease: Lease) {
    super('BlockedError', 'the lease expired and another process has taken over; try again');
    this.lease = lease;
  }
}

/** Refuses to record what was done under a lease that has passed to someone else meanwhile. */
export const requireLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  if (!(await holdsLease(op, lease))) throw new LeaseLost(lease);
};
