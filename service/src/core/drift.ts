import { setTimeout as sleep } from 'node:timers/promises';
import type { DriftPolicy } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { switchFailed } from './corral-error.ts';
import { findSwitch, type Switch } from './find-objects.ts';
import type { RequestContext, ReadOp, WriteOp } from './request-context.ts';
import { waitUntil } from './wait-until.ts';
import { type PortReading, readingOf, stateOf } from './port-state.ts';

/**
 * How long a caller waits for a switch that is read on demand; the engine's own limits end it sooner as a rule. Less than
 * a client waits for an answer.
 */
const longestWaitMs = 50_000;

interface DriftingPort {
  readonly port: string;
  readonly node: string | null;
  readonly nic: string | null;
  readonly project: string | null;
  readonly recorded: PortReading;
  /** null: the switch has no such port. */
  readonly seen: PortReading | null;
  readonly since: string;
}

/** How a switch differs from what is recorded, and how recent that is. */
export interface DriftView {
  readonly switch: string;
  readonly policy: DriftPolicy;
  readonly swept_at: string | null;
  /** Why it cannot be reached now; null if it can. */
  readonly fault: string | null;
  /** Since when its running configuration has not been saved; null if it is, or need not be. */
  readonly unsaved_since: string | null;
  /** Why it could not be saved; null if nobody tried, or it was. */
  readonly save_fault: string | null;
  /** Ports that nobody has read since a nic was connected to them: their nodes cannot be reserved. */
  readonly unread: readonly string[];
  /** Ports to which something of a session that broke off may still arrive: their nodes stay where they are. */
  readonly in_doubt: readonly string[];
  readonly ports: readonly DriftingPort[];
}

export const showSwitchDrift = async (op: ReadOp, args: { switch: string }): Promise<DriftView> =>
  viewOf(op, await findSwitch(op, args.switch));

export const showDrift = async (op: ReadOp): Promise<{ switches: readonly DriftView[] }> => {
  const switches = await op.tx.selectFrom('switches').selectAll().orderBy('label').execute();
  const views: DriftView[] = [];
  for (const found of switches) views.push(await viewOf(op, found));
  return { switches: views };
};

export const switchSetPolicy = async (op: WriteOp, args: { switch: string; policy: DriftPolicy }): Promise<void> => {
  const found = await findSwitch(op, args.switch);
  await op.tx.updateTable('switches').set({ policy: args.policy }).where('id', '=', found.id).execute();
  op.record({ type: 'switch_set_policy', switch: found.label, detail: { policy: args.policy } });
  op.notify('actions');
};

/** Has the engine read the whole switch now, and tells what it saw. */
export const switchSweep = async (context: RequestContext, args: { switch: string }): Promise<DriftView> => {
  const { id, label, duplicate_of, swept_at: before } = await context.read((op) => findSwitch(op, args.switch));
  if (duplicate_of !== null) {
    throw switchFailed(`switch ${label} is not read: another switch record has the same device; delete one of the two`);
  }
  const isAnswered = await sweepNow(context, [id], 'operator');
  const view = await context.read((op) => showSwitchDrift(op, { switch: label }));
  // A fault that came after the reading, of a save for example, does not undo it.
  const isRead = view.swept_at !== null && view.swept_at !== timeOf(before);
  if (view.fault !== null && !isRead) throw switchFailed(`switch ${label} could not be read: ${view.fault}`);
  if (!isAnswered) {
    throw switchFailed(
      `switch ${label} was not read within ${longestWaitMs / 1000} s: no worker had time for it; try again`,
    );
  }
  return view;
};

/** Whose wish a sweep is: an operator's is tried at once; a tenant's shares what others asked for. */
export type SweepRequester = 'operator' | 'tenant';

/** For this long the last sweep of a switch answers tenants too. */
const sharedForMs = 1_000;

/** Was a switch read so shortly ago that tenants need no new reading? A time that is to come is none. */
export const isJustSwept = (sweptAt: number | null): boolean =>
  sweptAt !== null && Math.abs(Date.now() - sweptAt) < sharedForMs;

/** So often at most a switch is tried at once that is left alone between probes, however many operators ask. */
const forcedEveryMs = 250;
const forcedAt = new WeakMap<RequestContext['dependencies'], Map<number, number>>();

/** Takes the next turn at trying these switches at once, and waits until it has come. */
const waitForForcedSweep = async (
  dependencies: RequestContext['dependencies'],
  ids: readonly number[],
): Promise<void> => {
  const turns = forcedAt.get(dependencies) ?? new Map<number, number>();
  forcedAt.set(dependencies, turns);
  const now = performance.now();
  const at = Math.max(now, ...ids.map((id) => (turns.get(id) ?? 0) + forcedEveryMs));
  for (const id of ids) turns.set(id, at);
  if (at > now) await sleep(at - now);
};

interface SweepRequests {
  /** Sweeps that others have asked for, by switch: they answer this wish too. */
  readonly numbers: ReadonlyMap<number, number>;
  /** Switches that have to be asked for. */
  readonly wanted: readonly number[];
}

const sweepRequestsFor = async (
  tx: ReadOp['tx'],
  switchIds: readonly number[],
  requester: SweepRequester,
): Promise<SweepRequests> => {
  const now = Date.now();
  const rows = await tx
    .selectFrom('switches')
    .select(['id', 'probe_at', 'swept_at', 'sweep_wanted', 'sweep_answered'])
    .where('id', 'in', switchIds)
    .where('duplicate_of', 'is', null)
    .execute();
  const numbers = new Map<number, number>();
  const wanted: number[] = [];
  for (const { id, probe_at, swept_at, sweep_wanted, sweep_answered } of rows) {
    if (requester === 'tenant' && (probe_at > now || isJustSwept(swept_at))) continue;
    // One that an operator asks for begins after the request, so that one under way does not count.
    if (sweep_wanted - sweep_answered > (requester === 'operator' ? 1 : 0)) numbers.set(id, sweep_wanted);
    else wanted.push(id);
  }
  return { numbers, wanted };
};

/** Asks for the sweeps that nobody has asked for meanwhile, and tells the numbers of all. */
const askForSweeps = (
  context: RequestContext,
  switchIds: readonly number[],
  requester: SweepRequester,
): Promise<ReadonlyMap<number, number>> =>
  context.write(
    async (op) => {
      const { numbers, wanted } = await sweepRequestsFor(op.tx, switchIds, requester);
      if (wanted.length === 0) return numbers;
      op.notify('actions');
      const asked = await op.tx
        .updateTable('switches')
        .set(({ eb }) => ({
          sweep_wanted: eb('sweep_wanted', '+', 1),
          ...(requester === 'operator' ? { probe_at: 0 } : {}),
        }))
        .where('id', 'in', wanted)
        .returning(['id', 'sweep_wanted'])
        .execute();
      return new Map([...numbers, ...asked.map(({ id, sweep_wanted }): [number, number] => [id, sweep_wanted])]);
    },
    { queue: 'sweeps' },
  );

/**
 * Asks for sweeps and waits until each was attempted; false if that took too long. Nobody asks for another while one is asked for that has not
 * begun. Of tenants, no switch is tried that is left alone until its next probe, and one that was just read is not read
 * again: however often they ask, a switch notices little of it.
 */
export const sweepNow = async (
  context: RequestContext,
  switchIds: readonly number[],
  requester: SweepRequester,
): Promise<boolean> => {
  if (switchIds.length === 0) return true;
  const seen = await context.read(({ tx }) => sweepRequestsFor(tx, switchIds, requester));
  if (seen.wanted.length > 0 && requester === 'operator') await waitForForcedSweep(context.dependencies, seen.wanted);
  const numbers = seen.wanted.length === 0 ? seen.numbers : await askForSweeps(context, switchIds, requester);
  if (numbers.size === 0) return true;
  return waitUntil(longestWaitMs, async () => {
    const rows = await context.read(({ tx }) => unansweredSweeps.all(tx, {}));
    const answered = new Map(rows.map(({ id, sweep_answered }) => [id, sweep_answered]));
    return [...numbers].every(([id, number]) => (answered.get(id) ?? number) >= number);
  });
};

const unansweredSweeps = statement((tx) =>
  tx
    .selectFrom('switches')
    .select(['id', 'sweep_answered'])
    .where((where) => where('sweep_answered', '<', where.ref('sweep_wanted'))),
);

const viewOf = async ({ tx }: ReadOp, found: Switch): Promise<DriftView> => {
  const ports = await tx
    .selectFrom('ports')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .select(['ports.label as port', 'ports.reading', 'ports.drift_since as since', 'nics.id as nicId'])
    .select(['nodes.label as node', 'nics.label as nic', 'projects.label as project'])
    .where('ports.switch_id', '=', found.id)
    .where('ports.drift_since', 'is not', null)
    .orderBy('ports.label')
    .execute();
  const doubtful = await tx
    .selectFrom('ports')
    .select(['label', 'unread', 'late_until'])
    .where('switch_id', '=', found.id)
    .where((where) => where.or([where('unread', '=', 1), where('late_until', 'is not', null)]))
    .orderBy('label')
    .execute();
  const attached = await tx
    .selectFrom('attachments')
    .innerJoin('networks', 'networks.id', 'attachments.network_id')
    .innerJoin('nics', 'nics.id', 'attachments.nic_id')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .select(['attachments.nic_id as nicId', 'attachments.channel', 'networks.vlan'])
    .where('ports.switch_id', '=', found.id)
    .where('ports.drift_since', 'is not', null)
    .execute();
  return {
    switch: found.label,
    policy: found.policy,
    swept_at: timeOf(found.swept_at),
    fault: found.fault,
    unsaved_since: timeOf(found.unsaved_since),
    save_fault: found.save_fault,
    unread: doubtful.filter(({ unread }) => unread === 1).map(({ label }) => label),
    in_doubt: doubtful.filter(({ late_until }) => late_until !== null).map(({ label }) => label),
    ports: ports.map(({ nicId, reading, since, ...port }) => ({
      ...port,
      recorded: readingOf(stateOf(attached.filter((attachment) => attachment.nicId === nicId))),
      seen: JSON.parse(reading ?? 'null') as PortReading | null,
      since: timeOf(since) ?? '',
    })),
  };
};

/** A time as answers show it. */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
