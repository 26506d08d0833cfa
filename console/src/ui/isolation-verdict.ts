import type { NetworkOverview, Reach, SwitchDrift } from '../api/client.ts';
import type { HeadnodeOnNetwork } from './reach-summary.ts';

export type Pair = readonly [string, string];

/** A network that either of two projects may use or is on, and what the switches say of it. */
export interface NetworkBetween extends Pick<NetworkOverview, 'owner' | 'access'> {
  readonly network: string;
  readonly vlan: string;
  /** null: it could not be read, see `fault`. */
  readonly reach: Reach | null;
  readonly fault: string | null;
  readonly headnodes: readonly HeadnodeOnNetwork[];
}

/** How one switch was read: what differs on it, or why it could not be read. */
export interface SwitchBetween {
  readonly switch: string;
  readonly drift: SwitchDrift | null;
  readonly fault: string | null;
}

/** Everything that a verdict about two projects rests on. */
export interface Between {
  readonly projects: Pair;
  readonly switches: readonly SwitchBetween[];
  readonly networks: readonly NetworkBetween[];
}

export interface IsolationVerdict {
  readonly verdict: 'apart' | 'together' | 'no proof';
  /** The verdict in a line, without a full stop. */
  readonly sentence: string;
  /** Where both are, each with the ports and headnodes that are. */
  readonly meetings: readonly string[];
  /** What could not be read, each in a sentence. */
  readonly unread: readonly string[];
  /** What is apart now and need not stay so, and what no switch can say. */
  readonly notes: readonly string[];
}

/**
 * Both being on one network, or on one VLAN that is no network's, is certain as soon as it was seen; that they are apart
 * is not, unless everything was read.
 */
export const verdictOf = (between: Between): IsolationVerdict => {
  const { projects, networks } = between;
  const met = networks.filter((network) => standingOf(network, projects) === 'together');
  const strays = strayVlans(between);
  const unread = unreadOf(between);
  const verdict = met.length + strays.length > 0 ? 'together' : unread.length > 0 ? 'no proof' : 'apart';
  const places = [...met.map(({ network }) => network), ...strays.map(({ vlan }) => `VLAN ${vlan}`)];
  return {
    verdict,
    sentence: {
      apart: 'They are apart',
      together: `They can hear each other on ${listed(places)}`,
      'no proof': `This is no proof: ${unread.length === 1 ? (unread[0] ?? '').replace(/\.$/, '') : `${unread.length} things could not be read`}`,
    }[verdict],
    meetings: [
      ...met.map((network) => `${network.network}: ${listed(projects.flatMap((each) => membersOf(network, each)))}.`),
      ...strays.map(({ vlan, ports }) => `VLAN ${vlan}, which is no network’s: ${listed(ports)}.`),
    ],
    unread,
    notes: [
      ...networks
        .filter((network) => standingOf(network, projects) !== 'together' && bothMayUse(network, projects))
        .map(
          ({ network, access }) =>
            `Both may use ${network}${access === null ? ', which is public' : ''}: either can connect to it.`,
        ),
      ...networks.flatMap(({ network, reach }) => unregisteredNote(network, reach)),
    ],
  };
};

/** Whether two projects are on a network; one that was not read wholly may have more on it than is known. */
export const standingOf = (network: NetworkBetween, projects: Pair): 'together' | 'apart' | 'not known' => {
  if (projects.every((project) => membersOf(network, project).length > 0)) return 'together';
  return network.reach?.complete === true ? 'apart' : 'not known';
};

/** What a project has on a network: ports as the switches say, headnodes as recorded. */
export const membersOf = ({ reach, headnodes }: NetworkBetween, project: string): readonly string[] => [
  ...(reach?.ports ?? [])
    .filter((port) => port.project === project && port.channel !== null)
    .map((port) => `${port.node ?? ''} ${port.nic ?? ''} of ${project} (${port.switch ?? ''} ${port.port ?? ''})`),
  ...headnodes
    .filter((each) => each.project === project)
    .map(({ headnode, hnics }) => `headnode ${headnode} ${hnics.join(', ')} of ${project} (as recorded)`),
];

const bothMayUse = ({ owner, access }: Pick<NetworkBetween, 'owner' | 'access'>, projects: Pair): boolean =>
  access === null || projects.every((project) => owner === project || access.includes(project));

type DriftPort = SwitchDrift['ports'][number];

/** VLANs that a port carries: `10-12,100` are four. */
const vlansOn = ({ seen }: DriftPort): readonly number[] => {
  if (seen === null) return [];
  const tagged = seen.tagged.split(',').flatMap((range) => {
    const [first = NaN, last = first] = range.trim().split('-').map(Number);
    return range.trim() === '' ? [] : Array.from({ length: last - first + 1 }, (_, place) => first + place);
  });
  return seen.native === null ? tagged : [seen.native, ...tagged];
};

const driftedPorts = (switches: readonly SwitchBetween[], projects: readonly string[]) =>
  switches.flatMap(({ switch: on, drift }) =>
    (drift?.ports ?? [])
      .filter(({ project }) => project !== null && projects.includes(project))
      .map((port) => ({ ...port, on, vlans: vlansOn(port) })),
  );

/** VLANs that ports of the projects carry without a record: a network of somebody else may have them. */
export const unrecordedVlans = (switches: readonly SwitchBetween[], projects: Pair): ReadonlySet<number> =>
  new Set(driftedPorts(switches, projects).flatMap(({ vlans }) => vlans));

/** VLANs that both carry and that are no network's. */
const strayVlans = ({ switches, networks, projects }: Between) => {
  const drifted = driftedPorts(switches, projects);
  return [...unrecordedVlans(switches, projects)]
    .filter((vlan) => !networks.some((network) => network.vlan === String(vlan)))
    .map((vlan) => ({ vlan, on: drifted.filter(({ vlans }) => vlans.includes(vlan)) }))
    .filter(({ on }) => projects.every((project) => on.some((port) => port.project === project)))
    .map(({ vlan, on }) => ({
      vlan,
      ports: on.map(({ node, nic, project, on: name, port }) => `${node} ${nic} of ${project} (${name} ${port})`),
    }));
};

const unreadOf = ({ switches, networks, projects }: Between): readonly string[] => {
  const silent = switches.flatMap(({ fault }) => fault ?? []);
  const unclear = driftedPorts(switches, projects).flatMap(({ on, port, seen }) =>
    seen?.unclear === undefined ? [] : `What port ${port} of switch ${on} carries is not clear: ${seen.unclear}.`,
  );
  const failed = networks.flatMap(({ network, fault }) => (fault === null ? [] : `Network ${network}: ${fault}`));
  const found = networks.flatMap(({ reach }) => (reach === null || reach.complete ? [] : reasonsIn(reach, switches)));
  return [...new Set([...silent, ...unclear, ...failed, ...found])];
};

/** Why an answer is not complete. A switch that could not be read before is not named again. */
const reasonsIn = (reach: Reach, read: readonly SwitchBetween[]): readonly string[] => {
  const failed = new Set(read.filter(({ fault }) => fault !== null).map((each) => each.switch));
  const silent = (reach.switches ?? []).filter(({ fault }) => fault !== null);
  const reasons = [
    ...silent
      .filter((each) => !failed.has(each.switch))
      .map((each) => `Switch ${each.switch} did not answer (${each.fault}).`),
    ...reach.ports
      .filter(({ verdict }) => verdict === 'unknown')
      .map((port) => `What port ${port.port} of switch ${port.switch} carries is not known.`),
  ];
  if (reasons.length > 0 || failed.size > 0) return reasons;
  return [`A switch was not read in time for ${reach.network}.`];
};

const unregisteredNote = (network: string, reach: Reach | null): readonly string[] => {
  const ports = (reach?.ports ?? []).filter(({ verdict }) => verdict === 'unregistered');
  if (ports.length === 0) return [];
  const names = ports.map((port) => `${port.switch ?? ''} ${port.port ?? ''}`);
  return [
    `${network} goes on through ports that are not registered (${names.join(', ')}): what is behind them is not part of this.`,
  ];
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
