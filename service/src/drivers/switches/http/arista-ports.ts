import type { PortConfig, Refusal } from '../switch-contract.ts';
import { aristaPortsIn } from '../cli/arista-sections.ts';
import type { ShownPort } from '../cli/dialect.ts';
import { allVlans, type Carried, carriedBy, isSame, unclear, vlanLists, vlansIn } from '../vlan-lists.ts';
import { itemsOf, member, memberAt, membersOf } from '@corral/base/json-members';

const kinds: readonly (readonly [RegExp, string])[] = [
  [/^(?:ethernet|eth|et) ?(\d{1,3}(?:\/\d{1,3}){0,2})$/i, 'Ethernet'],
  [/^(?:port-channel|po) ?(\d{1,4})$/i, 'Port-Channel'],
];

/** `Ethernet1`, `Ethernet49/1` or `Port-Channel5`; `et1` and `po5` are understood. */
export const aristaPortName = (name: string): string | Refusal => {
  for (const [pattern, kind] of kinds) {
    const numbers = pattern.exec(name)?.[1];
    if (numbers !== undefined) return `${kind}${numbers.split('/').map(Number).join('/')}`;
  }
  return { refused: 'ports of this switch are named like Ethernet1, Ethernet49/1 or Port-Channel5' };
};

/** What `portsFrom` reads, beside the configuration. */
export const showPorts = ['show interfaces status', 'show interfaces switchport'] as const;

/** What `configuredFrom` reads, as text. */
export const showConfiguration = [
  'show running-config interfaces',
  'show running-config | include ^monitor session',
] as const;

/** What is configured for every port, from the answers to `showConfiguration`. */
export const configuredFrom = (answers: readonly unknown[]): ReadonlyMap<string, ShownPort> => {
  const texts = answers.map((answer) => member(answer, 'output'));
  if (texts.length !== showConfiguration.length || !texts.every((text) => typeof text === 'string'))
    throw new Error('the switch does not show its configuration as text');
  return new Map(aristaPortsIn(texts, aristaPortName).map((shown) => [shown.port, shown]));
};

/**
 * What every port passes now, from the answers to `showPorts` and from its configuration: as much as either tells, and
 * everything where they differ, or where the configuration has something that is not understood.
 */
export const portsFrom = (
  status: unknown,
  switchport: unknown,
  configured: ReadonlyMap<string, ShownPort>,
): ReadonlyMap<string, PortConfig> => {
  const statuses = member(status, 'interfaceStatuses');
  const switchports = member(switchport, 'switchports');
  if (typeof statuses !== 'object' || typeof switchports !== 'object')
    throw new Error('the switch does not show its ports in the form that is expected');
  const ports = new Map<string, PortConfig>();
  for (const [name, shown] of membersOf(statuses)) {
    const port = aristaPortName(name);
    if (typeof port !== 'string') continue;
    const isDisabled = member(shown, 'linkStatus') === 'disabled';
    ports.set(port, { port, ...carriedWith(configured.get(port), isDisabled, member(switchports, name)) });
  }
  return ports;
};

const carriedWith = (configured: ShownPort | undefined, isDisabled: boolean, layer2: unknown): Carried => {
  if (configured === undefined) return unclear('the port is not in the running configuration');
  if (configured.isShut === true)
    return isDisabled ? { native: null, tagged: [] } : unclear('shutdown, but the link is not disabled');
  if (configured.unclear !== undefined) return unclear(configured.unclear);
  // Routed ports and members of bundles are not among the switchports.
  if (member(layer2, 'enabled') !== true) return unclear('the port is not shown as a switchport');
  const passed = passedBy(layer2);
  const { native, tagged } = configured;
  return passed.unclear !== undefined || isSame(passed, { native, tagged })
    ? passed
    : unclear('the port does not pass what is configured');
};

/** VLANs that somebody else gave to the port: a RADIUS server, MVRP, a group of trunks. */
const givenBy = (info: unknown): readonly string[] => [
  ...membersOf(member(info, 'dynamicAllowedVlans')).map(([name]) => `dynamicAllowedVlans ${name}`),
  ...['dynamicTrunkGroups', 'staticTrunkGroups'].flatMap((name) =>
    itemsOf(member(info, name)).map((group) => `${name} ${String(group)}`),
  ),
];

const passedBy = (layer2: unknown): Carried => {
  const info = member(layer2, 'switchportInfo');
  const mode = member(info, 'mode');
  const given = givenBy(info);
  if (given.length > 0) return unclear(...given.slice(0, 10));
  if (mode === 'access') return { native: vlanAt(info, 'accessVlanId'), tagged: [] };
  if (typeof mode !== 'string') throw new Error('the switch does not show the mode of a port');
  // A tunnel, a tap, and whatever else there may be.
  if (mode !== 'trunk') return unclear(`switchport mode ${mode}`);
  const allowed = allowedIn(String(member(info, 'trunkAllowedVlans')));
  const dropsUntagged = member(info, 'dot1qVlanTagRequired') === true;
  const native = dropsUntagged ? 0 : vlanAt(info, 'trunkingNativeVlanId');
  // The native VLAN passes only if it is one of those allowed.
  return {
    native: allowed.includes(native) ? native : null,
    tagged: allowed.filter((vlan) => vlan !== native),
  };
};

const vlanAt = (info: unknown, name: string): number => {
  const vlan = member(info, name);
  if (typeof vlan !== 'number') throw new Error(`the switch shows no number as ${name}`);
  return vlan;
};

const allowedIn = (text: string): readonly number[] => {
  if (text === 'ALL') return allVlans;
  return text === 'NONE' ? [] : vlansIn(text);
};

/** The commands, in configuration mode, that bring a port to its state. */
export const commandsFor = ({ port, native, tagged }: PortConfig): readonly string[] => {
  const allowed = carriedBy({ native, tagged });
  const [first = 'none', ...more] = vlanLists(allowed);
  return [
    ...vlanLists(allowed).flatMap((list) => [`vlan ${list}`, 'exit']),
    `interface ${port}`,
    'switchport',
    'switchport mode trunk',
    `switchport trunk native vlan ${native ?? vlanBut(tagged)}`,
    `switchport trunk allowed vlan ${first}`,
    ...more.map((list) => `switchport trunk allowed vlan add ${list}`),
    allowed.length === 0 ? 'shutdown' : 'no shutdown',
    'exit',
  ];
};

/** A native VLAN that is not allowed, so that untagged frames have nowhere to go. */
const vlanBut = (tagged: readonly number[]): number => allVlans.find((vlan) => !tagged.includes(vlan)) ?? 1;

/** The names of the configuration sessions that nobody committed, from `show configuration sessions`. */
export const pendingSessions = (shown: unknown): readonly string[] =>
  membersOf(memberAt(shown, 'sessions'))
    .filter(([, session]) => member(session, 'state') === 'pending')
    .map(([name]) => name);
