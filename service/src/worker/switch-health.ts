import type { Lease } from '@corral/base/db/lease-table';
import { requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';
import { faultsToOpen } from '../core/breaker.ts';

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

/** Communication with a switch failed: when it is retried, and an event once it keeps failing. */
export const recordFault = async (
  op: WriteOp,
  lease: Lease,
  target: Target,
  { reason, faults, probeAt, answered }: Fault,
): Promise<void> => {
  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set((set) => ({
      fault: reason,
      faults,
      fault_since: set.fn.coalesce('fault_since', set.val(Date.now())),
      probe_at: probeAt,
      ...(answered === null ? {} : { sweep_answered: answered }),
    }))
    .where('id', '=', target.id)
    .execute();
  if (faults === faultsToOpen) op.record({ type: 'switch_unreachable', switch: target.label, detail: { reason } });
};

/** How long a switch may be out of reach before it may have restarted, with an older configuration. */
const longestGlitchMs = 10_000;

/** It answers again. After an outage it is read as a whole, if that is not what was just done. */
export const recordRecovery = async (
  op: WriteOp,
  lease: Lease,
  target: Target,
  faults: number,
  wasSweep: 'sweep' | 'other',
): Promise<void> => {
  await requireLease(op, lease);
  const row = await op.tx.selectFrom('switches').select('fault_since').where('id', '=', target.id).executeTakeFirst();
  const since = row?.fault_since ?? null;
  const isOutage = faults >= faultsToOpen || (since !== null && Math.abs(Date.now() - since) >= longestGlitchMs);
  await op.tx
    .updateTable('switches')
    .set({ fault: null, faults: 0, fault_since: null, probe_at: 0 })
    .$if(isOutage && wasSweep === 'other', (update) =>
      update.set(({ eb }) => ({ sweep_wanted: eb('sweep_wanted', '+', 1) })),
    )
    .where('id', '=', target.id)
    .execute();
  if (faults >= faultsToOpen) op.record({ type: 'switch_reachable', switch: target.label });
};

/** Its configuration survives its next reboot. */
export const recordSaved = async (op: WriteOp, lease: Lease, target: Target): Promise<void> => {
  await requireLease(op, lease);
  await op.tx
    .updateTable('switches')
    .set({ unsaved_since: null, save_fault: null, save_at: 0 })
    .where('id', '=', target.id)
    .execute();
};

/** Saving failed: it is recorded, and retried later. It can be changed and read all the same. */
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
