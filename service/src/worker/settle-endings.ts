import type { Insertable } from 'kysely';
import { send } from '@corral/base/db/bound-kysely';
import { steadyNow } from '@corral/base/steady-clock';
import type { Lease } from '@corral/base/db/lease-table';
import { requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';
import { type PortState, readingOf } from '../core/port-state.ts';
import { releaseHeldNodes } from '../core/port-trust.ts';
import type { Database } from '../db/service-schema.ts';
import { listStatement, statement } from '../db/service-statement.ts';
import { freeNetworks, inChunks, isOver, noteLateReading } from './late-readings.ts';
import type { PortTask } from './port-task.ts';

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

/**
 * Before the first word to the switch: from here on nobody can say that it was never touched, and what it
 * is written is not saved until a save is requested.
 */
export const markTouched = async (
  op: WriteOp,
  lease: Lease,
  tasks: readonly PortTask[],
  { session, unsaved }: { readonly session: number; readonly unsaved: { readonly switchId: number } | null },
): Promise<void> => {
  await requireLease(op, lease);
  await writing(op, tasks, session);
  const actions = tasks.flatMap(({ action }) => (action && !action.touched ? [action.id] : []));
  for (const ids of inChunks(actions)) await touched.send(op.tx, ids, {});
  if (unsaved) await markUnsaved.send(op.tx, { id: unsaved.switchId, now: steadyNow() });
};

/** Which session writes to these ports; null: it is recorded how its writing ended. */
const writing = async ({ tx }: WriteOp, tasks: readonly PortTask[], session: number | null): Promise<void> => {
  for (const ids of inChunks(tasks.map(({ portId }) => portId))) await writtenBy.send(tx, ids, { session });
};

const touched = listStatement((tx, ids: readonly number[]) =>
  tx.updateTable('actions').set({ touched: 1 }).where('id', 'in', ids),
);
const writtenBy = listStatement((tx, ids: readonly number[], { session }: { session: number | null }) =>
  tx.updateTable('ports').set({ written_by: session }).where('id', 'in', ids),
);

const markUnsaved = statement((tx, { id, now }: { id: number; now: number }) =>
  tx.updateTable('switches').set({ unsaved_since: now }).where('id', '=', id).where('unsaved_since', 'is', null),
);

/** Records how a pass ended: attachments, actions, suspicions and events in one transaction, under the fence. */
export const settle = async (
  op: WriteOp,
  lease: Lease,
  onSwitch: string,
  endings: readonly Ending[],
): Promise<void> => {
  await requireLease(op, lease);
  await settleDone(
    op,
    onSwitch,
    endings.flatMap(({ kind, task }) => (kind === 'done' ? [task] : [])),
  );
  for (const ending of endings) {
    if (ending.kind === 'done') continue;
    if (ending.kind === 'later') await settleLater(op, ending.task, ending.retryAt);
    else await settleFailed(op, onSwitch, ending);
  }
  // Those whose port was seen have that from there.
  const unseen = endings.filter(({ kind }) => kind !== 'done' && kind !== 'failed').map(({ task }) => task);
  await writing(op, unseen, null);
};

/** Most passes end well for most ports: attachments and actions are written together. */
const settleDone = async (op: WriteOp, onSwitch: string, tasks: readonly PortTask[]): Promise<void> => {
  if (tasks.length === 0) return;
  const made = tasks.flatMap(({ action, nicId }) =>
    action?.kind === 'connect' && action.networkId !== null && nicId !== null
      ? [{ nic_id: nicId, network_id: action.networkId, channel: action.channel }]
      : [],
  );
  const [only] = made;
  if (made.length === 1 && only) await attach.send(op.tx, only);
  else if (made.length > 1) await send(op.tx, op.tx.insertInto('attachments').values(made));
  for (const { action, nicId } of tasks) {
    if (action === null || action.kind === 'connect' || nicId === null) continue;
    if (action.networkId === null) await detachAll.send(op.tx, { nicId });
    else await detachOne.send(op.tx, { nicId, networkId: action.networkId });
  }
  const actions = tasks.flatMap(({ action }) => (action ? [action.id] : []));
  for (const ids of inChunks(actions)) await actionsDone.send(op.tx, ids, {});
  for (const task of tasks) {
    const { action } = task;
    if (action) op.record({ type: 'networking_action_done', ...portEvent(task, onSwitch, { change: action.kind }) });
    else if (!task.isSuspect) op.record({ type: 'port_repaired', ...portEvent(task, onSwitch), projects: [] });
    await noteSeen(op, onSwitch, task, task.wanted);
  }
  await clearSuspicion(op, onSwitch, tasks);
};

/** The port was read and is what it should be. */
const noteSeen = async (op: WriteOp, onSwitch: string, task: PortTask, seen: PortState): Promise<void> => {
  await portSeen.send(op.tx, { id: task.portId, reading: JSON.stringify(readingOf(seen)), now: Date.now() });
  const isInDoubt = task.late !== null && !isOver(task.late);
  if (task.late !== null && !isInDoubt) await noteLateReading(op.tx, task, 0);
  if (task.isDoubtful && !isInDoubt) await releaseHeldNodes(op.tx, [task.portId]);
  if (task.driftSince !== null && task.action !== null) {
    op.record({ type: 'port_drift_over', ...portEvent(task, onSwitch), projects: [] });
  }
};

const portSeen = statement((tx, { id, reading, now }: { id: number; reading: string; now: number }) =>
  tx
    .updateTable('ports')
    .set({ reading, read_at: now, drift_since: null, unread: 0, may_carry_any: 0, was_clean: 1 })
    .set({ suspect_retry_at: null, suspect_attempts: 0 })
    // How the writing ended is recorded with it.
    .set({ written_by: null })
    .where('id', '=', id),
);

const attach = statement((tx, row: Insertable<Database['attachments']>) =>
  tx.insertInto('attachments').values({ nic_id: row.nic_id, network_id: row.network_id, channel: row.channel }),
);
const actionsDone = listStatement((tx, ids: readonly number[]) =>
  tx.updateTable('actions').set({ status: 'DONE', network_id: null }).where('id', 'in', ids),
);
const detachAll = statement((tx, { nicId }: { nicId: number }) =>
  tx.deleteFrom('attachments').where('nic_id', '=', nicId),
);
const detachOne = statement((tx, { nicId, networkId }: { nicId: number; networkId: number }) =>
  tx.deleteFrom('attachments').where('nic_id', '=', nicId).where('network_id', '=', networkId),
);

const clearSuspicion = async (op: WriteOp, onSwitch: string, tasks: readonly PortTask[]): Promise<void> => {
  const suspects = tasks.filter(({ isSuspect }) => isSuspect);
  if (suspects.length === 0) return;
  const ids = suspects.map(({ portId }) => portId);
  const cleared = await op.tx
    .updateTable('ports')
    .set({ suspect: null, suspect_retry_at: null, suspect_attempts: 0 })
    .where('id', 'in', ids)
    .where('suspect', 'is not', null)
    .returning('id')
    .execute();
  await freeNetworks(op.tx, ids);
  for (const task of suspects) {
    if (cleared.some(({ id }) => id === task.portId)) op.record({ type: 'port_known', ...portEvent(task, onSwitch) });
  }
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
    const error = `${failure.told}; ${isSuspect ? 'the state of the port is unknown until it has been restored' : 'the port is as it was before'}`;
    await op.tx
      .updateTable('actions')
      .set({ status: 'ERROR', error, network_id: null })
      .where('id', '=', action.id)
      .execute();
    op.record({ type: 'networking_action_failed', ...portEvent(task, onSwitch, { change: action.kind, error }) });
    op.record({ type: 'switch_fault', ...portEvent(task, onSwitch, { reason: failure.reason }), projects: [] });
  }
  if (ending.kind === 'failed') {
    await noteSeen(op, onSwitch, task, task.recorded);
    await clearSuspicion(op, onSwitch, [task]);
  }
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
  op.record({ type: 'port_suspect', ...portEvent(task, onSwitch, { reason: failure.reason }), projects: [] });
};

/** A port and what is on it, as an event names them. */
export const portEvent = (task: PortTask, onSwitch: string, detail: Record<string, unknown> = {}) => ({
  projects: [task.project],
  node: task.node,
  nic: task.nic,
  network: task.action?.network ?? null,
  switch: onSwitch,
  port: task.port,
  detail: task.action === null ? detail : { status_id: task.action.statusId, ...detail },
});
