import { steadyNow } from '@corral/base/steady-clock';
import { settledEvents } from '../db/event-order.ts';
import { pending } from '../db/service-statement.ts';
import { isBreakerOpen, probeDueAt } from './breaker.ts';
import { timeOf } from './drift.ts';
import { findSwitch, type Switch } from './find-objects.ts';
import { grouped } from './grouped.ts';
import { inNaturalOrder } from './natural-order.ts';
import { actionColumns, type PendingAction, pendingIn } from './pending-action.ts';
import { type PortReading, readingOf, stateOf } from './port-state.ts';
import { type Doubt, doubtOf, doubtSentence } from './port-trust.ts';
import type { ReadOp, RequestContext } from './request-context.ts';
import { overviewOf, portCounts, type SwitchOverview } from './switch-overview.ts';
import { type Registration, registrationOf } from './switches.ts';

/** A port of a switch: what is recorded of it, what it was last seen to carry, and what waits. */
interface PortOverview {
  readonly port: string;
  /** false: the last sweep saw it, and nobody has registered it. */
  readonly registered: boolean;
  readonly node: string | null;
  readonly nic: string | null;
  readonly project: string | null;
  /** The recorded networks, by channel. */
  readonly networks: Readonly<Record<string, string>>;
  /** null: nothing is recorded of a port that is not registered. */
  readonly recorded: PortReading | null;
  /** null: nobody has read it, or the switch has no such port. */
  readonly seen: PortReading | null;
  readonly absent: boolean;
  readonly read_at: string | null;
  readonly state: 'ok' | 'drift' | 'suspect' | 'unread' | 'in doubt';
  /** Since when it has been seen to carry something else than is recorded. */
  readonly since: string | null;
  readonly why: string | null;
  readonly pending: PendingAction | null;
}

interface SwitchDetails extends SwitchOverview, Registration {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  /** Since when it cannot be reached. */
  readonly fault_since: string | null;
  /** When it is tried again; null: it is not left alone now. */
  readonly probe_at: string | null;
  readonly port_list: readonly PortOverview[];
}

/** One switch as in the overview of all, as `show_switch` shows it, and all its ports, by five statements at most. */
export const switchOverview = async (
  context: RequestContext,
  args: { readonly switch: string },
): Promise<SwitchDetails> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const found = await findSwitch(op, args.switch);
    const other =
      found.duplicate_of === null
        ? undefined
        : await op.tx.selectFrom('switches').select('label').where('id', '=', found.duplicate_of).executeTakeFirst();
    const counts = await portCounts(op, [found.id]);
    return {
      event,
      ...overviewOf({ ...found, other: other?.label ?? null }, counts.get(found.id)),
      ...registrationOf(op, found),
      fault_since: timeOf(found.fault_since),
      probe_at: probeOf(found),
      port_list: portList(found, await portRows(op, found)),
    };
  });
};

const probeOf = ({ faults, probe_at: stored }: Switch): string | null => {
  const now = steadyNow();
  const probe_at = probeDueAt(stored, now);
  return isBreakerOpen({ faults, probe_at }, now) ? timeOf(probe_at) : null;
};

type PortRow = Awaited<ReturnType<typeof portRows>>[number];

/** In the order of the device: by the numbers in their names. */
const portList = (on: Switch, rows: readonly PortRow[]): readonly PortOverview[] => {
  const registered = [...grouped(rows, ({ id }) => id).values()].flatMap((some) =>
    some.slice(0, 1).map((row) => portOf(on, row, some)),
  );
  const labels = new Set(registered.map(({ port }) => port));
  const others = JSON.parse(on.strangers ?? '[]') as readonly (PortReading & { readonly port: string })[];
  return inNaturalOrder(
    [
      ...registered,
      // One may have been registered since.
      ...others.filter(({ port }) => !labels.has(port)).map((seen) => unregistered(on, seen)),
    ],
    ({ port }) => port,
  );
};

/** A port out of the first of its rows, and its networks out of all. */
const portOf = (on: Switch, row: PortRow, rows: readonly PortRow[]): PortOverview => {
  const attached = rows.flatMap(({ channel, network, vlan }) =>
    channel === null || network === null || vlan === null ? [] : [{ channel, network, vlan }],
  );
  const doubt = doubtOf(row);
  return {
    port: row.port,
    registered: true,
    node: row.node,
    nic: row.nic,
    project: row.project,
    networks: Object.fromEntries(attached.map(({ channel, network }) => [channel, network] as const).sort()),
    recorded: readingOf(stateOf(attached)),
    seen: JSON.parse(row.reading ?? 'null') as PortReading | null,
    absent: row.reading === 'null',
    read_at: timeOf(row.read_at),
    ...trustOf(on, row, doubt),
    since: timeOf(row.drift_since),
    pending: pendingIn(row),
  };
};

const stateNames = { suspect: 'suspect', drift: 'drift', unread: 'unread', 'late write': 'in doubt' } as const;

const trustOf = (on: Switch, row: PortRow, doubt: Doubt | null): Pick<PortOverview, 'state' | 'why'> => {
  if (doubt !== null) return { state: stateNames[doubt.kind], why: doubtSentence(doubt, row.port, on.label) };
  // Nobody distrusts it, because no node depends on it; but nobody knows what it carries either.
  if (row.reading === null)
    return {
      state: 'unread',
      why: `port ${row.port} on switch ${on.label} has never been read; it is read with the whole switch`,
    };
  return { state: 'ok', why: null };
};

const unregistered = (on: Switch, { port, ...seen }: PortReading & { readonly port: string }): PortOverview => ({
  port,
  registered: false,
  node: null,
  nic: null,
  project: null,
  networks: {},
  recorded: null,
  seen,
  absent: false,
  read_at: timeOf(on.swept_at),
  state: 'ok',
  why: null,
  since: null,
  pending: null,
});

/** One row for each attachment, or port without one. */
const portRows = ({ tx }: ReadOp, { id }: Switch) =>
  tx
    .selectFrom('ports')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('networks', 'networks.id', 'attachments.network_id')
    .leftJoin('actions', (join) => join.onRef('actions.nic_id', '=', 'nics.id').on('actions.status', '=', pending))
    .select(['ports.id', 'ports.label as port', 'ports.read_at'])
    .select(['ports.suspect', 'ports.drift_since', 'ports.reading', 'ports.unread', 'ports.late_until'])
    .select(['nodes.label as node', 'nics.label as nic', 'projects.label as project'])
    .select(['attachments.channel', 'networks.label as network', 'networks.vlan'])
    .select(actionColumns)
    .where('ports.switch_id', '=', id)
    .execute();
