import type { LabPort } from './lab-switch.ts';
import { portsIn, type SwitchState } from './switch-state.ts';
import { everyVlan, vlansOf, vlanText } from './vlan-text.ts';

/** A port of the kind that most vendors have: of its two modes one has one VLAN, the other a list. */
export interface TrunkPort {
  isShut: boolean;
  mode: string;
  access: number | null;
  native: number | null;
  allowed: Set<number>;
}

/** What such a port passes on a switch with these VLANs, if it is up. */
export const carriedBy = (port: TrunkPort, vlans: ReadonlySet<number>): LabPort => {
  if (port.mode === 'access')
    return { native: port.access !== null && vlans.has(port.access) ? port.access : null, tagged: [] };
  const passed = [...port.allowed].filter((vlan) => vlans.has(vlan)).sort((a, b) => a - b);
  return {
    native: port.native !== null && passed.includes(port.native) ? port.native : null,
    tagged: passed.filter((vlan) => vlan !== port.native),
  };
};

/** The port after somebody set it to this by hand. */
export const setByHand = ({ native, tagged }: LabPort, unused: number | null): TrunkPort => ({
  isShut: false,
  mode: tagged.length === 0 ? 'access' : 'trunk',
  access: tagged.length === 0 ? native : 1,
  native: native ?? unused,
  allowed: new Set(native === null ? tagged : [native, ...tagged]),
});

/** `5,7-9`, `add 5`, `remove 5`, `all`, `none`: the list after that; null if it is none of them. */
export const changedList = (before: ReadonlySet<number>, value: string): Set<number> | null => {
  if (value === 'all') return new Set(everyVlan);
  if (value === 'none') return new Set();
  const [, verb, list = ''] = /^(?:(add|remove) )?(\S+)$/.exec(value) ?? [];
  const vlans = vlansOf(list);
  if (vlans === null) return null;
  if (verb === 'remove') return new Set([...before].filter((vlan) => !vlans.has(vlan)));
  return verb === 'add' ? new Set([...before, ...vlans]) : vlans;
};

/** A number from 1 to 4094, or null. */
export const vlanNumber = (text: string): number | null =>
  /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 4094 ? Number(text) : null;

/** The ports of a stack of five of Dell's older switches, by their short names. */
export const dellStack: readonly string[] = ['1', '2', '3', '4', '5'].flatMap((unit) => [
  ...portsIn([`gi${unit}/0/`]),
  ...portsIn([`te${unit}/0/`], 2),
]);

/**
 * As `show running-config` of those prints it: lines stand at the first column, and only what differs from the
 * defaults.
 */
export const dellConfig = (
  { vlans, byHand }: Pick<SwitchState<TrunkPort>, 'vlans' | 'byHand'>,
  ports: ReadonlyMap<string, TrunkPort>,
  description: string,
  longName: (name: string) => string,
): string => {
  const blocks = [...ports].flatMap(([name, port]) => {
    const lines = [
      port.isShut && 'shutdown',
      port.mode !== 'access' && `switchport mode ${port.mode}`,
      port.access !== 1 && `switchport access vlan ${port.access ?? 'none'}`,
      port.native !== 1 && `switchport trunk native vlan ${port.native ?? 'none'}`,
      port.allowed.size < everyVlan.length && `switchport trunk allowed vlan ${vlanText(port.allowed) || 'none'}`,
      ...byHand.on(name),
    ].filter((line) => line !== false);
    return lines.length === 0 ? [] : [`interface ${longName(name)}`, ...lines, 'exit', '!'];
  });
  const sections = [`vlan ${vlanText(vlans)}`, 'exit', ...byHand.global, ...blocks];
  return `!Current Configuration:\n!System Description "${description}"\n!\nconfigure\n${sections.join('\n')}\nexit`;
};

/** `gi1/0/5` for any way to write that name which Dell's older switches take; anything else is the empty name. */
export const shortName = (name: string): string => {
  const [, kind = '', numbers = ''] = /^([A-Za-z]{2,}) ?(\d\S*)$/.exec(name) ?? [];
  const long = ['gigabitethernet', 'tengigabitethernet'].find((full) => full.startsWith(kind.toLowerCase()));
  return long === undefined || kind === '' ? '' : `${long.slice(0, 2)}${numbers}`;
};
