import { randomUUID } from 'node:crypto';
import { steadyNow } from '@corral/base/steady-clock';
import { aggregate, pending, type RowOf, statement } from '../db/service-statement.ts';
import { isAdmin, requireProject } from './caller.ts';
import { blocked, notFound } from './corral-error.ts';
import type { Network, Nic } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/** What a networking action does to a nic's port. */
export type ActionDraft =
  | { readonly kind: 'connect' | 'detach'; readonly network: Network; readonly channel: string }
  | { readonly kind: 'revert' };

interface ActionView {
  readonly status: 'PENDING' | 'DONE' | 'ERROR';
  readonly type: 'modify_port' | 'revert_port';
  readonly new_network: string | null;
  readonly channel: string;
  readonly node: string;
  readonly nic: string;
  readonly error: string | null;
  readonly queue?: QueueView;
}

/** What a pending action waits for. Which switch that is, is for administrators. */
interface QueueView {
  /** Actions on the same switch that were queued before it. */
  readonly ahead: number;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** false: the last attempt to talk to the switch failed, and is repeated. */
  readonly switch_answers: boolean;
  readonly switch?: string;
  readonly port?: string;
}

export const showNetworkingAction = async (op: ReadOp, args: { status_id: string }): Promise<ActionView> => {
  const action = await actionByStatusId.first(op.tx, { statusId: args.status_id });
  if (!action) {
    throw notFound(
      `networking action ${args.status_id} does not exist; it is deleted once the next action on its nic is queued`,
    );
  }
  requireProject(op.caller, action.project);
  return {
    status: action.status,
    type: action.kind === 'revert' ? 'revert_port' : 'modify_port',
    new_network: action.kind === 'connect' ? action.network : null,
    channel: action.channel,
    node: action.node,
    nic: action.nic,
    error: action.error,
    ...(action.status === 'PENDING' ? { queue: await queueOf(op, action) } : {}),
  };
};

const queueOf = async (op: ReadOp, action: RowOf<typeof actionByStatusId>): Promise<QueueView> => {
  const { id, switchId, attempts, faults, onSwitch, port } = action;
  const before = switchId === null ? undefined : await queuedBefore.first(op.tx, { id, switchId });
  return {
    ahead: Number(before?.count ?? 0),
    attempts,
    switch_answers: (faults ?? 0) === 0,
    ...(isAdmin(op.caller) && onSwitch !== null && port !== null ? { switch: onSwitch, port } : {}),
  };
};

const queuedBefore = aggregate((tx, { id, switchId }: { id: number; switchId: number }) =>
  tx
    .selectFrom('ports')
    .innerJoin('nics', 'nics.port_id', 'ports.id')
    .innerJoin('actions', 'actions.nic_id', 'nics.id')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('ports.switch_id', '=', switchId)
    .where('actions.status', '=', pending)
    .where('actions.id', '<', id),
);

const actionByStatusId = statement((tx, { statusId }: { statusId: string }) =>
  tx
    .selectFrom('actions')
    .innerJoin('nics', 'nics.id', 'actions.nic_id')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('ports', 'ports.id', 'nics.port_id')
    .leftJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['actions.id', 'actions.status', 'actions.kind', 'actions.network', 'actions.channel', 'actions.error'])
    .select(['actions.attempts', 'ports.label as port', 'ports.switch_id as switchId'])
    .select(['switches.label as onSwitch', 'switches.faults'])
    .select(['nics.label as nic', 'nodes.label as node', 'projects.label as project'])
    .where('actions.status_id', '=', statusId),
);

/** Queues an action on a nic. Its predecessor's record goes; the commit wakes the engine. */
export const queueAction = async (
  op: WriteOp,
  project: string | null,
  nic: Nic,
  draft: ActionDraft,
): Promise<{ status_id: string }> => {
  op.countChange(project);
  const status_id = randomUUID();
  await forgetSettled.send(op.tx, { nicId: nic.id });
  await insertAction.send(op.tx, {
    statusId: status_id,
    nicId: nic.id,
    kind: draft.kind,
    networkId: draft.kind === 'revert' ? null : draft.network.id,
    network: draft.kind === 'revert' ? null : draft.network.label,
    channel: draft.kind === 'revert' ? '' : draft.channel,
    createdAt: steadyNow(),
  });
  op.notify('actions');
  return { status_id };
};

const forgetSettled = statement((tx, { nicId }: { nicId: number }) =>
  tx.deleteFrom('actions').where('nic_id', '=', nicId).where('status', '!=', pending),
);

interface ActionRow {
  readonly statusId: string;
  readonly nicId: number;
  readonly kind: ActionDraft['kind'];
  readonly networkId: number | null;
  readonly network: string | null;
  readonly channel: string;
  readonly createdAt: number;
}

const insertAction = statement((tx, row: ActionRow) =>
  tx.insertInto('actions').values({
    status_id: row.statusId,
    nic_id: row.nicId,
    kind: row.kind,
    network_id: row.networkId,
    network: row.network,
    channel: row.channel,
    status: 'PENDING',
    error: null,
    created_at: row.createdAt,
  }),
);

/** Refuses when an action is pending on the nic. */
export const requireNoPendingAction = async ({ tx }: WriteOp, node: { label: string }, nic: Nic): Promise<void> => {
  const pending = await pendingOnNic.first(tx, { nicId: nic.id });
  if (pending) {
    throw blocked(
      `networking action ${pending.status_id} is pending on nic ${nic.label} of node ${node.label}; wait until it is done`,
    );
  }
};

const pendingOnNic = statement((tx, { nicId }: { nicId: number }) =>
  tx.selectFrom('actions').select('status_id').where('nic_id', '=', nicId).where('status', '=', pending),
);
