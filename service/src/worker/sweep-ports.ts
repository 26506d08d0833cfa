import type { Lease } from '@corral/base/db/lease-table';
import { requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';
import { type PortReading, type PortState, readingOf, samePortState } from '../core/port-state.ts';
import { releaseHeldNodes } from '../core/port-trust.ts';
import { statement } from '../db/service-statement.ts';
import type { PortConfig } from '../drivers/switches/switch-contract.ts';
import type { GuardedSession } from './guarded-session.ts';
import { drain } from './port-pass.ts';
import { inChunks, isOver, noteLateReading } from './late-readings.ts';
import type { PortTask } from './port-task.ts';
import { portEvent } from './settle-endings.ts';

/** One port as the switch shows it; null: the switch has no such port. */
export interface PortSighting {
  readonly task: PortTask;
  readonly seen: PortState | null;
}

/** Everything that a sweep saw. */
export interface Sweep {
  readonly sightings: readonly PortSighting[];
  /** Ports that nobody registered; null: the driver cannot tell. */
  readonly unregisteredPorts: readonly PortConfig[] | null;
}

/** Reads some ports. */
export const checkPorts = async (
  session: GuardedSession,
  tasks: readonly PortTask[],
): Promise<readonly PortSighting[]> => {
  const sightings = await readPorts(session, tasks);
  await drainCleared(session, sightings);
  return sightings;
};

/** Reads the whole switch. */
export const sweep = async (session: GuardedSession, tasks: readonly PortTask[]): Promise<Sweep> => {
  const seen = await sweepAll(session, tasks);
  await drainCleared(session, seen.sightings);
  return seen;
};

/**
 * Ports that nobody trusted and that are in order now: somebody may have seen to that a moment ago, and a node on one of
 * them can be had as soon as this is written down.
 */
const drainCleared = (session: GuardedSession, sightings: readonly PortSighting[]): Promise<void> =>
  drain(
    session,
    sightings.filter(
      ({ task, seen }) =>
        (task.isUnread || task.driftSince !== null) && seen !== null && samePortState(seen, task.recorded),
    ).length,
  );

const readPorts = async (session: GuardedSession, tasks: readonly PortTask[]): Promise<readonly PortSighting[]> =>
  match(tasks, await session.read(tasks.map(({ port }) => port)));

const sweepAll = async (session: GuardedSession, tasks: readonly PortTask[]): Promise<Sweep> => {
  if (!session.readAll) return { sightings: await readPorts(session, tasks), unregisteredPorts: null };
  const all = await session.readAll(tasks.length);
  // A driver may leave out of the whole what it has nothing to say about; a port is only gone if it is asked for by name.
  const shown = new Set(all.map(({ port }) => port));
  const rest = tasks.filter(({ port }) => !shown.has(port));
  const sightings = match(
    tasks.filter(({ port }) => shown.has(port)),
    all,
  );
  return {
    sightings: rest.length === 0 ? sightings : [...sightings, ...(await readPorts(session, rest))],
    unregisteredPorts: all,
  };
};

const match = (tasks: readonly PortTask[], states: readonly PortConfig[]): PortSighting[] => {
  const byPort = new Map<string, PortState>(states.map(({ port, ...state }) => [port, state]));
  return tasks.map((task) => ({ task, seen: byPort.get(task.port) ?? null }));
};

/** Writes down what was seen, under the fence: a difference is drift, and is announced when it begins, changes and ends. */
export const recordSightings = async (
  op: WriteOp,
  lease: Lease,
  onSwitch: string,
  sightings: readonly PortSighting[],
  lateWriteMs: number,
  /** The number of the sweep that saw them; null: it was none. */
  sweepNumber: number | null = null,
): Promise<void> => {
  await requireLease(op, lease);
  if (sightings.length === 0) return;
  const now = Date.now();
  const cleared: number[] = [];
  for (const { task, seen } of sightings) {
    const reading = JSON.stringify(seen && readingOf(seen));
    const isDrift = seen === null || !samePortState(seen, task.recorded);
    const isNews = reading !== task.reading || isDrift !== (task.driftSince !== null);
    if (!isDrift) await noteLateReading(op.tx, task, lateWriteMs);
    if (task.isDoubtful && !isDrift && (task.late === null || isOver(task.late))) cleared.push(task.portId);
    if (!isNews) continue;
    if (isDrift) await noteDrift.run(op.tx, { id: task.portId, reading, since: task.driftSince ?? now });
    else await noteClean.run(op.tx, { id: task.portId, reading });
    const shown = seen && readingOf(seen);
    // While something may arrive late, a difference is taken for that, and put right whatever the policy says.
    if (isDrift) op.record(eventOf(task.late === null ? 'port_drift' : 'port_late_write', task, onSwitch, shown));
    else if (task.driftSince !== null) op.record(eventOf('port_drift_over', task, onSwitch, shown));
  }
  for (const some of inChunks(cleared)) await releaseHeldNodes(op.tx, some);
  for (const some of inChunks(sightings.map(({ task }) => task.portId))) {
    await op.tx
      .updateTable('ports')
      .set({
        read_at: now,
        unread: 0,
        may_carry_any: 0,
        ...(sweepNumber === null ? {} : { read_in_sweep: sweepNumber }),
      })
      .where('id', 'in', some)
      .execute();
  }
};

const noteDrift = statement((tx, { id, reading, since }: { id: number; reading: string; since: number }) =>
  tx.updateTable('ports').set({ reading, drift_since: since }).where('id', '=', id),
);
const noteClean = statement((tx, { id, reading }: { id: number; reading: string }) =>
  tx.updateTable('ports').set({ reading, drift_since: null, was_clean: 1 }).where('id', '=', id),
);

const eventOf = (type: string, task: PortTask, onSwitch: string, seen: PortReading | null) => ({
  type,
  ...portEvent(task, onSwitch, { recorded: readingOf(task.recorded), seen }),
  projects: [],
});

/** Writes down a whole sweep, and when the next one is due. */
export const recordSweep = async (
  op: WriteOp,
  lease: Lease,
  target: { readonly id: number; readonly label: string },
  { sightings, unregisteredPorts }: Sweep,
  {
    answered,
    nextAt,
    lateWriteMs,
  }: { readonly answered: number; readonly nextAt: number; readonly lateWriteMs: number },
): Promise<void> => {
  await recordSightings(op, lease, target.label, sightings, lateWriteMs, answered);
  const rows = await op.tx.selectFrom('ports').select('label').where('switch_id', '=', target.id).execute();
  const registered = new Set(rows.map(({ label }) => label));
  const carries = ({ native, tagged }: PortConfig): boolean => native !== null || tagged.length > 0;
  const unknown = unregisteredPorts?.filter((port) => !registered.has(port.port) && carries(port));
  await op.tx
    .updateTable('switches')
    .set({
      swept_at: Date.now(),
      sweep_at: nextAt,
      sweep_answered: answered,
      strangers: unknown ? JSON.stringify(unknown.map(({ port, ...state }) => ({ port, ...readingOf(state) }))) : null,
    })
    .where('id', '=', target.id)
    .execute();
};
