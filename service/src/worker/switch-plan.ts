import { steadyNow } from '@corral/base/steady-clock';
import type { EngineConfig } from '../config/service-config.ts';
import { emptyPort, type PortState, stateOf } from '../core/port-state.ts';
import { doubtOf } from '../core/port-trust.ts';
import type { Db, Tx } from '../db/service-database.ts';
import { pending, statement } from '../db/service-statement.ts';
import { requestedAt } from './requested-at.ts';
import { databaseTime } from './database-time.ts';
import { isBreakerOpen } from '../core/breaker.ts';
import { plausibleTimes, isSweepDue, retryDueAt, suspectDueAt } from './retry-policy.ts';
import type { PlannedAction, PortTask } from './port-task.ts';

/** However busy a switch is, its configuration is saved after this long. */
const longestUnsavedMs = 60_000;

/** What is due on one switch now, and when more will be. */
export interface SwitchPlan {
  /** The least tried first: a port that fails every time stands behind the others. */
  readonly tasks: readonly PortTask[];
  /** Actions whose budget ran out while the breaker kept everyone from the switch. */
  readonly overdue: readonly PortTask[];
  /** Connections that are not made: the device has another record, by which the port may be somebody else's. */
  readonly forbidden: readonly PortTask[];
  /** Ports that nobody has read since a nic was connected to them. */
  readonly unread: readonly PortTask[];
  /** The number of the sweep that is due, which not getting through to the switch answers too; null: none is. */
  readonly sweepWanted: number | null;
  /** Whether it is tried now. */
  readonly isSweepTried: boolean;
  readonly isSaveDue: boolean;
  /** The number of the newest session. */
  readonly session: number;
  /** Attempts in a row that failed. */
  readonly faults: number;
  /** Why the last of them did. */
  readonly fault: string | null;
  /** Milliseconds until the next task is due; infinite when there is none. */
  readonly nextMs: number;
}

/** null: the switch was deleted. */
export const planSwitch = async (
  tx: Tx,
  clock: Db['now'],
  switchId: number,
  config: EngineConfig,
): Promise<SwitchPlan | null> => {
  // Asked at once, so that the answers take one round trip together.
  const [stored, found] = await Promise.all([
    switchState.first(tx, { switchId }),
    planPorts(tx, clock, portsWithWork, switchId),
  ]);
  if (stored === undefined) return null;
  const now = steadyNow();
  const state = plausibleTimes(stored, now, config.saveDelayMs);
  const isOpen = isBreakerOpen(state, now);
  const isBackingOff = state.probe_at > now;
  // Through the second record of a device tenants can let go of it, and nothing else is done.
  const isDuplicate = state.duplicate_of !== null;
  const due = found.filter(({ dueAt }) => dueAt <= now);
  const forbidden = isDuplicate ? found.map(({ task }) => task).filter(isConnection) : [];
  const work = due
    .filter(({ task }) => task.isWork && !forbidden.includes(task))
    .map(({ task }) => task)
    .sort((a, b) => attemptsAt(a) - attemptsAt(b));
  const overdue = isOpen ? work.filter(({ action }) => action && now - action.createdAt >= config.budgetMs) : [];
  const waits = [
    ...found.map(({ task, dueAt }) => (isOpen ? Math.min(state.probe_at, deadlineOf(task, config)) : dueAt)),
    ...(state.unsaved_since === null
      ? []
      : [Math.max(state.probe_at, state.save_at, state.unsaved_since + config.saveDelayMs)]),
  ].filter((at) => at > now);
  const retryLimit = work.length === 0 ? config.saveDelayMs : longestUnsavedMs;
  return {
    tasks: isOpen ? [] : isDuplicate ? work.filter(({ action }) => action !== null).map(emptied) : work,
    overdue,
    forbidden,
    unread: isBackingOff || isDuplicate ? [] : due.filter(({ task }) => task.isUnread).map(({ task }) => task),
    sweepWanted: isSweepDue(state, now, config) ? state.sweep_wanted : null,
    isSweepTried: !isBackingOff && !isDuplicate,
    isSaveDue:
      !isBackingOff && state.unsaved_since !== null && now - state.unsaved_since >= retryLimit && state.save_at <= now,
    session: state.session,
    faults: state.faults,
    fault: state.fault,
    nextMs: Math.min(Number.POSITIVE_INFINITY, ...waits.map((at) => at - now)),
  };
};

const isConnection = ({ action }: PortTask): boolean => action?.kind === 'connect';

/** The other record may have given the port to another project: whatever is recorded here, it is only ever emptied. */
const emptied = (task: PortTask): PortTask => ({ ...task, recorded: emptyPort, wanted: emptyPort });

const attemptsAt = ({ action, suspectAttempts }: PortTask): number => action?.attempts ?? suspectAttempts;

const deadlineOf = ({ action }: PortTask, { budgetMs }: EngineConfig): number =>
  action === null ? Number.POSITIVE_INFINITY : action.createdAt + budgetMs;

/** Every port of the switch that stands still: none with an action under way, none that is being put back. */
export const planSweep = async (tx: Tx, clock: Db['now'], switchId: number): Promise<readonly PortTask[]> => {
  const found = await planPorts(tx, clock, allPorts, switchId);
  return found.map(({ task }) => task).filter(({ action, isSuspect }) => action === null && !isSuspect);
};

/** Ports that a session wrote to, if nobody recorded how that ended. */
export const planWritten = async (tx: Tx, clock: Db['now'], switchId: number): Promise<readonly PortTask[]> => {
  const found = await planPorts(tx, clock, writtenPorts, switchId);
  return found.map(({ task }) => task);
};

const planPorts = async (tx: Tx, clock: Db['now'], ports: typeof allPorts, switchId: number) => {
  const [rows, attached] = await Promise.all([ports.all(tx, { switchId }), attachmentsOf(tx, switchId)]);
  const time = steadyNow();
  const now = rows.some(({ lateUntil }) => lateUntil !== null) ? await databaseTime(tx, clock) : 0;
  return rows.map((row): { task: PortTask; dueAt: number } => {
    const recorded = attached.get(row.nicId ?? 0) ?? [];
    const action = actionOf(row, time);
    const late = row.lateUntil === null ? null : { until: row.lateUntil, now };
    const isRepair = row.driftSince !== null && (row.policy === 'repair' || late !== null);
    const isStill = action === null && row.suspect === null;
    const isLateReading = late !== null && isStill && !isRepair;
    const task: PortTask = {
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
      isUnread: isStill && (row.unread === 1 || isLateReading),
      isDoubtful: doubtOf({ ...row, drift_since: row.driftSince, late_until: row.lateUntil }) !== null,
      isWork: action !== null || row.suspect !== null || isRepair,
      driftSince: row.driftSince,
      late,
      reading: row.reading,
      suspectAttempts: row.suspectAttempts,
    };
    // By the database's clock, which may not be ours.
    const readMs = isLateReading && row.unread === 0 ? (row.lateReadAt ?? 0) - now : null;
    const retryAt = row.retryAt === null ? suspectDueAt(row.suspectRetryAt ?? 0, time) : retryDueAt(row.retryAt, time);
    return { task, dueAt: readMs === null ? retryAt : time + readMs };
  });
};

const switchState = statement((tx, { switchId }: { switchId: number }) =>
  tx
    .selectFrom('switches')
    .select(['faults', 'fault', 'probe_at', 'sweep_at', 'sweep_wanted', 'sweep_answered'])
    .select(['unsaved_since', 'save_at', 'duplicate_of', 'session'])
    .where('id', '=', switchId),
);

const portsOn = (tx: Tx, switchId: number) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('actions', (join) => join.onRef('actions.nic_id', '=', 'nics.id').on('actions.status', '=', pending))
    .leftJoin('networks', 'networks.id', 'actions.network_id')
    .select(['ports.id as portId', 'ports.label as port', 'ports.suspect', 'ports.suspect_attempts as suspectAttempts'])
    .select(['ports.suspect_retry_at as suspectRetryAt', 'actions.retry_at as retryAt', 'ports.unread'])
    .select(['ports.drift_since as driftSince', 'ports.reading', 'switches.policy'])
    .select(['ports.late_until as lateUntil', 'ports.late_read_at as lateReadAt'])
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
    .where('ports.switch_id', '=', switchId);

const allPorts = statement((tx, { switchId }: { switchId: number }) => portsOn(tx, switchId));

const writtenPorts = statement((tx, { switchId }: { switchId: number }) =>
  portsOn(tx, switchId).where('ports.written_by', 'is not', null),
);

const portsWithWork = statement((tx, { switchId }: { switchId: number }) =>
  portsOn(tx, switchId).where((where) =>
    where.or([
      where('actions.id', 'is not', null),
      where('ports.suspect', 'is not', null),
      where('ports.unread', '=', 1),
      where('ports.late_until', 'is not', null),
      where.and([where('ports.drift_since', 'is not', null), where('switches.policy', '=', 'repair')]),
    ]),
  ),
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

const actionOf = (
  row: {
    actionId: number | null;
    statusId: string | null;
    kind: PlannedAction['kind'] | null;
    networkId: number | null;
    network: string | null;
    channel: string | null;
    createdAt: number | null;
    attempts: number | null;
    touched: 0 | 1 | null;
  },
  now: number,
): PlannedAction | null =>
  row.actionId === null || row.kind === null
    ? null
    : {
        id: row.actionId,
        statusId: row.statusId ?? '',
        kind: row.kind,
        networkId: row.networkId,
        network: row.network,
        channel: row.channel ?? '',
        createdAt: requestedAt(row.statusId ?? '', row.createdAt ?? 0, now),
        attempts: row.attempts ?? 0,
        touched: row.touched === 1,
      };

/** Drivers get states, never steps: the recorded attachments with the action applied to them. */
const wantedState = (recorded: readonly Attached[], action: PlannedAction, vlan: number | null): PortState => {
  if (action.kind === 'revert') return emptyPort;
  const others = recorded.filter(({ networkId }) => networkId !== action.networkId);
  if (action.kind === 'detach' || vlan === null || action.networkId === null) return stateOf(others);
  return stateOf([...others, { networkId: action.networkId, channel: action.channel, vlan }]);
};
