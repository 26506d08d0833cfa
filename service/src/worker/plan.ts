import type { Tx } from '../db/db.ts';
import { statement } from '../db/statement.ts';
import { emptyPort, type PortState, stateOf } from '../core/port-state.ts';

/** A pending action as the engine sees it. */
interface PlannedAction {
  readonly id: number;
  readonly statusId: string;
  readonly kind: 'connect' | 'detach' | 'revert';
  readonly networkId: number | null;
  readonly network: string | null;
  readonly channel: string;
  readonly createdAt: number;
  readonly attempts: number;
  readonly touched: boolean;
}

/** One port that wants work: its whole recorded state, and the whole state it is to have. */
export interface PortTask {
  readonly portId: number;
  readonly port: string;
  readonly nicId: number | null;
  readonly nic: string | null;
  readonly node: string | null;
  readonly project: { readonly id: number; readonly label: string } | null;
  readonly recorded: PortState;
  readonly wanted: PortState;
  /** Nobody knew what it carries when this was planned; only this worker, under its lease, makes it suspect or known. */
  readonly isSuspect: boolean;
  /** null: a suspect port that is to be put back to what is recorded. */
  readonly action: PlannedAction | null;
  readonly suspectAttempts: number;
}

/** What is due on one switch now, and when more will be. */
export interface SwitchPlan {
  readonly tasks: readonly PortTask[];
  /** Milliseconds until the next task is due; infinite when there is none. */
  readonly nextMs: number;
}

export const planSwitch = async (tx: Tx, switchId: number): Promise<SwitchPlan> => {
  const rows = await portsWithWork.all(tx, { switchId });
  const now = Date.now();
  const dueAt = (row: (typeof rows)[number]): number => row.retryAt ?? row.suspectRetryAt ?? 0;
  const due = rows.filter((row) => dueAt(row) <= now);
  const waits = rows.filter((row) => dueAt(row) > now).map((row) => dueAt(row) - now);
  const attached = due.length === 0 ? new Map<number, Attached[]>() : await attachmentsOf(tx, switchId);
  const tasks = due.map((row): PortTask => {
    const recorded = attached.get(row.nicId ?? 0) ?? [];
    const action = actionOf(row);
    return {
      portId: row.portId,
      port: row.port,
      nicId: row.nicId,
      nic: row.nic,
      node: row.node,
      project: row.projectId === null || row.project === null ? null : { id: row.projectId, label: row.project },
      recorded: stateOf(recorded),
      wanted: action ? wantedState(recorded, action, row.vlan) : stateOf(recorded),
      action,
      isSuspect: row.suspect !== null,
      suspectAttempts: row.suspectAttempts,
    };
  });
  return { tasks, nextMs: Math.min(Number.POSITIVE_INFINITY, ...waits) };
};

const portsWithWork = statement((tx, { switchId }: { switchId: number }) =>
  tx
    .selectFrom('ports')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('actions', (join) => join.onRef('actions.nic_id', '=', 'nics.id').on('actions.status', '=', 'PENDING'))
    .leftJoin('networks', 'networks.id', 'actions.network_id')
    .select(['ports.id as portId', 'ports.label as port', 'ports.suspect', 'ports.suspect_attempts as suspectAttempts'])
    .select(['ports.suspect_retry_at as suspectRetryAt', 'actions.retry_at as retryAt'])
    .select(['nics.id as nicId', 'nics.label as nic', 'nodes.label as node'])
    .select(['projects.id as projectId', 'projects.label as project'])
    .select([
      'actions.id as actionId',
      'actions.status_id as statusId',
      'actions.kind',
      'actions.network_id as networkId',
    ])
    .select(['actions.network', 'actions.channel', 'actions.created_at as createdAt', 'actions.attempts'])
    .select(['actions.touched', 'networks.vlan'])
    .where('ports.switch_id', '=', switchId)
    .where((where) => where.or([where('actions.id', 'is not', null), where('ports.suspect', 'is not', null)])),
);

interface Attached {
  readonly networkId: number;
  readonly channel: string;
  readonly vlan: number;
}

const attachmentsOf = async (tx: Tx, switchId: number): Promise<Map<number, Attached[]>> => {
  const rows = await attachmentsOnSwitch.all(tx, { switchId });
  const byNic = new Map<number, Attached[]>();
  for (const row of rows) byNic.set(row.nicId, [...(byNic.get(row.nicId) ?? []), row]);
  return byNic;
};

const attachmentsOnSwitch = statement((tx, { switchId }: { switchId: number }) =>
  tx
    .selectFrom('attachments')
    .innerJoin('nics', 'nics.id', 'attachments.nic_id')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('networks', 'networks.id', 'attachments.network_id')
    .select(['nics.id as nicId', 'attachments.network_id as networkId', 'attachments.channel', 'networks.vlan'])
    .where('ports.switch_id', '=', switchId),
);

const actionOf = (row: {
  actionId: number | null;
  statusId: string | null;
  kind: PlannedAction['kind'] | null;
  networkId: number | null;
  network: string | null;
  channel: string | null;
  createdAt: number | null;
  attempts: number | null;
  touched: 0 | 1 | null;
}): PlannedAction | null =>
  row.actionId === null || row.kind === null
    ? null
    : {
        id: row.actionId,
        statusId: row.statusId ?? '',
        kind: row.kind,
        networkId: row.networkId,
        network: row.network,
        channel: row.channel ?? '',
        createdAt: row.createdAt ?? 0,
        attempts: row.attempts ?? 0,
        touched: row.touched === 1,
      };

/** Drivers are told states, never steps: the recorded attachments with the action applied to them. */
const wantedState = (recorded: readonly Attached[], action: PlannedAction, vlan: number | null): PortState => {
  if (action.kind === 'revert') return emptyPort;
  const others = recorded.filter(({ networkId }) => networkId !== action.networkId);
  if (action.kind === 'detach' || vlan === null || action.networkId === null) return stateOf(others);
  return stateOf([...others, { networkId: action.networkId, channel: action.channel, vlan }]);
};

/** The switches with work, and when the next of it is due. */
export const dueSwitches = async (tx: Tx): Promise<{ id: number; label: string; dueAt: number }[]> => {
  const actions = await switchesWithActions.all(tx, {});
  const suspects = await switchesWithSuspects.all(tx, {});
  return [...actions, ...suspects].map(({ id, label, dueAt }) => ({ id, label, dueAt: dueAt ?? 0 }));
};

const switchesWithActions = statement((tx) =>
  tx
    .selectFrom('actions')
    .innerJoin('nics', 'nics.id', 'actions.nic_id')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(({ fn }) => ['switches.id', 'switches.label', fn.min('actions.retry_at').as('dueAt')])
    .where('actions.status', '=', 'PENDING')
    .groupBy(['switches.id', 'switches.label']),
);

const switchesWithSuspects = statement((tx) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(({ fn }) => ['switches.id', 'switches.label', fn.min('ports.suspect_retry_at').as('dueAt')])
    .where('ports.suspect', 'is not', null)
    .groupBy(['switches.id', 'switches.label']),
);
