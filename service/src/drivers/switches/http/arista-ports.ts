import type { PortConfig, Refusal } from '../contract.ts';
import { allVlans, type Carried, carriedBy, everything, vlanLists, vlansIn } from '../vlans.ts';
import { member, memberAt, membersOf } from './json.ts';

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

/** What `portsFrom` reads. */
export const showPorts = ['show interfaces status', 'show interfaces switchport'] as const;

/** What every port passes now, from the answers to `showPorts`. */
export const portsFrom = (status: unknown, switchport: unknown): ReadonlyMap<string, PortConfig> => {
  const statuses = member(status, 'interfaceStatuses');
  const switchports = member(switchport, 'switchports');
  if (typeof statuses !== 'object' || typeof switchports !== 'object')
    throw new Error('the switch does not show its ports in the form that is expected');
  const ports = new Map<string, PortConfig>();
  for (const [name, shown] of membersOf(statuses)) {
    const port = aristaPortName(name);
    if (typeof port !== 'string') continue;
    const layer2 = member(switchports, name);
    // Routed ports have no part in any VLAN, and are not among the switchports.
    const isOff = member(shown, 'linkStatus') === 'disabled' || member(layer2, 'enabled') !== true;
    ports.set(port, { port, ...(isOff ? { native: null, tagged: [] } : passedBy(layer2)) });
  }
  return ports;
};

const passedBy = (layer2: unknown): Carried => {
  const info = member(layer2, 'switchportInfo');
  const mode = member(info, 'mode');
  if (mode === 'access') return { native: vlanAt(info, 'accessVlanId'), tagged: [] };
  if (typeof mode !== 'string') throw new Error('the switch does not show the mode of a port');
  // A tunnel, a tap, and whatever else there may be.
  if (mode !== 'trunk') return everything;
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
