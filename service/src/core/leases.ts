import { randomUUID } from 'node:crypto';
import type { ClockReading } from '@corral/base/clock-reading';
import { HeldLease } from '@corral/base/db/held-lease';
import type { Lease } from '@corral/base/db/lease-table';
import { leaseTable } from '../db/service-leases.ts';
import { CorralError } from './corral-error.ts';
import type { RequestContext, WriteOp } from './request-context.ts';

/** This process, among all that share the database. */
export const thisProcess = `${process.pid}-${randomUUID()}`;

/** Releases a lease immediately, and notifies the waiters. */
export const releaseLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  await leaseTable.release(op.tx, lease);
  op.notify('leases');
};

/** The right to work on something may be another's by now: nothing more may be sent, nor what was done be recorded. */
export class LeaseLost extends CorralError {
  constructor() {
    super('BlockedError', 'the lease expired and another process has taken over; try again');
  }
}

/** Refuses to record what was done under a lease that has passed to someone else meanwhile. */
export const requireLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  if (!(await leaseTable.isHeld(op.tx, lease))) throw new LeaseLost();
};

/** What this process knows of a lease that it took; `asked`: before the claim was sent. */
export const holdLease = (
  context: Pick<RequestContext, 'writeOutcome'>,
  lease: Lease,
  ms: number,
  asked: ClockReading,
): HeldLease =>
  new HeldLease({
    lease,
    ms,
    asked,
    renew: () => context.writeOutcome((op) => leaseTable.renew(op, lease, ms), { isUrgent: true }),
    lost: () => new LeaseLost(),
  });
