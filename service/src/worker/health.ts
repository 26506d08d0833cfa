import type { Lease } from '../core/leases.ts';
import type { WriteOp } from '../core/op.ts';
import { faultsToOpen } from './patience.ts';
import { requireLease } from './settle.ts';

interface Target {
  readonly id: number;
  readonly label: string;
}

/** An attempt to talk to a switch that failed. */
interface Fault {
  readonly reason: string;
  /** How many in a row, with this one. */
  readonly faults: number;
  readonly probeAt: number;
  /** The sweep that it was to answer. */
  readonly answered: number | null;
}

/** A switch could not be talked to: when it is tried again, and word to whoever watches once it keeps failing. */
export const recordFault = async (
  op: WriteOp,
  lease: Lease,
  target: Target,
  { reason, faults, probeAt, answered }: Fault,
): Promise<void> => {
  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({
      fault: reason,
      faults,
      probe_at: probeAt,
      ...(answered === null ? {} : { sweep_answered: answered }),
    })
    .where('id', '=', target.id)
    .execute();
  if (faults === faultsToOpen) op.record({ type: 'switch_unreachable', switch: target.label, detail: { reason } });
};

/** It answers again. */
export const recordRecovery = async (op: WriteOp, lease: Lease, target: Target, faults: number): Promise<void> => {
  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({ fault: null, faults: 0, probe_at: 0 })
    .where('id', '=', target.id)
    .execute();
  if (faults >= faultsToOpen) op.record({ type: 'switch_reachable', switch: target.label });
};

/** What it was told survives its next reboot. */
export const recordSaved = async (op: WriteOp, lease: Lease, target: Target): Promise<void> => {
  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({ unsaved_since: null, save_fault: null, save_at: 0 })
    .where('id', '=', target.id)
    .execute();
};

/** It would not save: said to whoever looks, and tried again later. It can be changed and read all the same. */
export const recordUnsaved = async (
  op: WriteOp,
  lease: Lease,
  target: Target,
  reason: string,
  saveAt: number,
): Promise<void> => {
  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({ save_fault: reason, save_at: saveAt })
    .where('id', '=', target.id)
    .execute();
};
