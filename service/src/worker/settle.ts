import { holdsLease, type Lease } from '../core/leases.ts';
import type { WriteOp } from '../core/op.ts';
import type { PortTask } from './plan.ts';

/** Why a change failed: for the project, which is not shown switches, and for the operator. */
export interface Failure {
  readonly told: string;
  readonly reason: string;
}

/** How the work on one port ended. */
export type Ending =
  | { readonly task: PortTask; readonly kind: 'done' }
  /** The action failed; the port was read and is what is recorded. */
  | { readonly task: PortTask; readonly kind: 'failed'; readonly failure: Failure }
  /** The action failed before a word was sent: the port is what it was, known or not. */
  | { readonly task: PortTask; readonly kind: 'untouched'; readonly failure: Failure }
  /** It failed, and nobody knows what the port carries. */
  | { readonly task: PortTask; readonly kind: 'suspect'; readonly failure: Failure; readonly retryAt: number }
  /** Not now: the fault may pass. */
  | { readonly task: PortTask; readonly kind: 'later'; readonly retryAt: number };

/** The switch passed to another worker: nothing of what was done here may be written. */
export class LeaseLost extends Error {
  constructor(lease: Lease) {
    super(`the lease ${lease.name} passed to another worker`);
  }
}

const requireLease = async (op: WriteOp, lease: Lease): Promise<void> => {
  if (!(await holdsLease(op, lease))) throw new LeaseLost(lease);
};

/** Before the first word to the switch: from here on nobody can say that it was never touched. */
export const markTouched = async (op: WriteOp, lease: Lease, tasks: readonly PortTask[]): Promise<void> => {
  await requireLease(op, lease);
  const ids = tasks.flatMap(({ action }) => (action && !action.touched ? [action.id] : []));
  if (ids.length > 0) await op.tx.updateTable('actions').set({ touched: 1 }).where('id', 'in', ids).execute();
};

/** Records how a pass ended: attachments, actions, suspicions and events in one transaction, under the fence. */
export const settle = async (
  op: WriteOp,
  lease: Lease,
  onSwitch: string,
  endings: readonly Ending[],
): Promise<void> => {
  await requireLease(op, lease);
  for (const ending of endings) {
    if (ending.kind === 'done') await settleDone(op, onSwitch, ending.task);
    else if (ending.kind === 'later') await settleLater(op, ending.task, ending.retryAt);
    else await settleFailed(op, onSwitch, ending);
  }
};

const settleDone = async (op: WriteOp, onSwitch: string, task: PortTask): Promise<void> => {
  const { action, nicId } = task;
  if (action && nicId !== null) {
    if (action.kind === 'connect' && action.networkId !== null) {
      await op.tx
        .insertInto('attachments')
        .values({ nic_id: nicId, network_id: action.networkId, channel: action.channel })
        .execute();
    } else {
      const all = op.tx.deleteFrom('attachments').where('nic_id', '=', nicId);
      await (action.networkId === null ? all : all.where('network_id', '=', action.networkId)).execute();
    }
    await op.tx.updateTable('actions').set({ status: 'DONE', network_id: null }).where('id', '=', action.id).execute();
    op.record({ type: 'networking_action_done', ...about(task, onSwitch) });
  }
  await clearSuspicion(op, onSwitch, task);
};

const clearSuspicion = async (op: WriteOp, onSwitch: string, task: PortTask): Promise<void> => {
  await op.tx.deleteFrom('suspect_networks').where('port_id', '=', task.portId).execute();
  const { numUpdatedRows } = await op.tx
    .updateTable('ports')
    .set({ suspect: null, suspect_retry_at: null, suspect_attempts: 0 })
    .where('id', '=', task.portId)
    .where('suspect', 'is not', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) op.record({ type: 'port_known', ...about(task, onSwitch) });
};

const settleLater = async (op: WriteOp, task: PortTask, retryAt: number): Promise<void> => {
  if (task.action) {
    await op.tx
      .updateTable('actions')
      .set({ retry_at: retryAt, attempts: task.action.attempts + 1 })
      .where('id', '=', task.action.id)
      .execute();
  } else {
    await op.tx
      .updateTable('ports')
      .set({ suspect_retry_at: retryAt, suspect_attempts: task.suspectAttempts + 1 })
      .where('id', '=', task.portId)
      .execute();
  }
};

const settleFailed = async (
  op: WriteOp,
  onSwitch: string,
  ending: Extract<Ending, { failure: Failure }>,
): Promise<void> => {
  const { task, failure } = ending;
  const { action } = task;
  const isSuspect = ending.kind === 'suspect';
  if (action) {
    const error = `${failure.told}; ${isSuspect ? 'nobody knows what the port carries until it has been put back' : 'the port is as it was before'}`;
    await op.tx
      .updateTable('actions')
      .set({ status: 'ERROR', error, network_id: null })
      .where('id', '=', action.id)
      .execute();
    op.record({ type: 'networking_action_failed', ...about(task, onSwitch, { error }) });
    op.record({ type: 'switch_fault', ...about(task, onSwitch, { reason: failure.reason }), projects: [] });
  }
  if (ending.kind === 'failed') await clearSuspicion(op, onSwitch, task);
  if (ending.kind !== 'suspect') return;
  await op.tx
    .updateTable('ports')
    .set({ suspect: failure.reason, suspect_retry_at: ending.retryAt, suspect_attempts: task.suspectAttempts + 1 })
    .where('id', '=', task.portId)
    .execute();
  // The network may be on the port although nothing records it: it must not go, nor its VLAN to another.
  if (action?.kind === 'connect' && action.networkId !== null) {
    await op.tx
      .insertInto('suspect_networks')
      .values({ port_id: task.portId, network_id: action.networkId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  op.record({ type: 'port_suspect', ...about(task, onSwitch, { reason: failure.reason }), projects: [] });
};

const about = (task: PortTask, onSwitch: string, detail: Record<string, unknown> = {}) => ({
  projects: [task.project],
  node: task.node,
  nic: task.nic,
  network: task.action?.network ?? null,
  switch: onSwitch,
  port: task.port,
  detail: task.action === null ? detail : { status_id: task.action.statusId, ...detail },
});
