import { isAdmin, requireProject } from './caller.ts';
import { isJustSwept, type SweepRequester, sweepNow, timeOf } from './drift.ts';
import { findNetwork, type Network } from './find-objects.ts';
import type { RequestContext, ReadOp } from './request-context.ts';
import { type PortReading, type PortState, stateIn } from './port-state.ts';

/** One port that carries a network, or should. Only administrators see where it is. */
interface ReachPort {
  readonly node: string | null;
  readonly nic: string | null;
  readonly project: string | null;
  readonly verdict: 'as recorded' | 'unexpected' | 'missing' | 'unknown' | 'unregistered';
  /** How frames of this network pass: `vlan/native`, or tagged; null when they do not, or nobody knows. */
  readonly channel: string | null;
  readonly read_at: string | null;
  readonly switch?: string;
  readonly port?: string;
}

/** A switch that was asked. */
interface ReachSwitch {
  readonly switch: string;
  readonly read_at: string | null;
  readonly fault: string | null;
}

interface ReachView {
  readonly network: string;
  readonly vlan: number;
  /** Every switch was read for this answer, and every port of it is known. */
  readonly complete: boolean;
  readonly ports: readonly ReachPort[];
  readonly switches?: readonly ReachSwitch[];
}

/**
 * Who can exchange frames on a network, as the switches say now: they are swept first. A switch that could
 * not be read is named with its fault, and the state of its ports has the time of their last reading.
 */
export const networkReach = async (context: RequestContext, args: { network: string }): Promise<ReachView> => {
  await context.read((op) => findReachable(op, args.network));
  const requester: SweepRequester = isAdmin(context.caller) ? 'operator' : 'tenant';
  const switches = await context.read(({ tx }) => tx.selectFrom('switches').select(['id', 'swept_at']).execute());
  // What was just read answers tenants too.
  const old = switches.filter(({ swept_at }) => requester === 'operator' || !isJustSwept(swept_at));
  const before = new Map(old.map(({ id, swept_at }) => [id, swept_at]));
  await sweepNow(
    context,
    switches.map(({ id }) => id),
    requester,
  );
  return context.read(async (op) => reachOf(op, await findReachable(op, args.network), before));
};

const findReachable = async (op: ReadOp, label: string): Promise<Network> => {
  const network = await findNetwork(op, label);
  requireProject(op.caller, network.owner);
  return network;
};

/**
 * `before`: when each switch had been read before it was asked for. Compared, not ordered: the clock may have been set.
 */
const reachOf = async (
  op: ReadOp,
  network: Network,
  before: ReadonlyMap<number, number | null>,
): Promise<ReachView> => {
  const ports = await portsOf(op, network);
  const switches = await op.tx.selectFrom('switches').selectAll().orderBy('label').execute();
  const shown = ports.map((port) => classified(port, network)).filter((port) => port !== null);
  const unregistered = switches.flatMap((found) => unregisteredPortsOn(found, network));
  const everyone = [...shown, ...unregistered];
  const isWhole = switches.every(({ id, swept_at }) => swept_at !== null && swept_at !== before.get(id));
  const view: ReachView = {
    network: network.label,
    vlan: network.vlan,
    complete: isWhole && everyone.every(({ verdict }) => verdict !== 'unknown'),
    ports: everyone,
  };
  if (!isAdmin(op.caller)) {
    return { ...view, ports: everyone.map(({ switch: _switch, port: _port, ...rest }) => rest) };
  }
  return {
    ...view,
    switches: switches.map(({ label, swept_at, fault }) => ({ switch: label, read_at: timeOf(swept_at), fault })),
  };
};

interface PortOfNetwork {
  readonly switch: string;
  readonly port: string;
  readonly node: string | null;
  readonly nic: string | null;
  readonly project: string | null;
  readonly suspect: string | null;
  readonly reading: string | null;
  readonly readAt: number | null;
  /** How the network is recorded to be on it. */
  readonly recorded: string | null;
}

const portsOf = ({ tx }: ReadOp, network: Network): Promise<PortOfNetwork[]> =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('nics', 'nics.port_id', 'ports.id')
    .leftJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('attachments', (join) =>
      join.onRef('attachments.nic_id', '=', 'nics.id').on('attachments.network_id', '=', network.id),
    )
    .select(['switches.label as switch', 'ports.label as port', 'ports.suspect', 'ports.reading'])
    .select(['ports.read_at as readAt', 'nodes.label as node', 'nics.label as nic', 'projects.label as project'])
    .select('attachments.channel as recorded')
    .orderBy('switches.label')
    .orderBy('ports.label')
    .execute();

/** null: the network is not on the port, and should not be. */
const classified = (port: PortOfNetwork, network: Network): ReachPort | null => {
  const seen = port.reading === null ? undefined : (JSON.parse(port.reading) as PortReading | null);
  const channel = seen ? channelIn(stateIn(seen), network.vlan) : null;
  const isUnknown = port.suspect !== null || seen === undefined;
  const verdict = isUnknown ? 'unknown' : verdictOn(channel, port.recorded);
  if (verdict === null || (isUnknown && port.nic === null && port.suspect === null)) return null;
  return {
    switch: port.switch,
    port: port.port,
    node: port.node,
    nic: port.nic,
    project: port.project,
    verdict,
    channel: isUnknown ? null : channel,
    read_at: timeOf(port.readAt),
  };
};

const channelIn = ({ native, tagged }: PortState, vlan: number): string | null => {
  if (native === vlan) return 'vlan/native';
  return tagged.includes(vlan) ? `vlan/${vlan}` : null;
};

const verdictOn = (seen: string | null, recorded: string | null): ReachPort['verdict'] | null => {
  if (seen === null) return recorded === null ? null : 'missing';
  return seen === recorded ? 'as recorded' : 'unexpected';
};

/** Ports that nobody registered, mainly uplinks: devices behind one are on the network too. */
const unregisteredPortsOn = (
  found: { readonly label: string; readonly strangers: string | null; readonly swept_at: number | null },
  network: Network,
): ReachPort[] => {
  const unregistered = JSON.parse(found.strangers ?? '[]') as (PortReading & { readonly port: string })[];
  return unregistered.flatMap((port) => {
    const channel = channelIn(stateIn(port), network.vlan);
    if (channel === null) return [];
    return {
      switch: found.label,
      port: port.port,
      node: null,
      nic: null,
      project: null,
      verdict: 'unregistered' as const,
      channel,
      read_at: timeOf(found.swept_at),
    };
  });
};
