import type { LabPort } from './lab-switch.ts';
import { everyVlan, vlansOf } from './vlan-text.ts';

/** A port of the kind that most vendors have: of its two modes one has one VLAN, the other a list. */
export interface TrunkPort {
  isShut: boolean;
  mode: string;
  access: number | null;
  native: number | null;
  allowed: Set<number>;
}

/** What such a port passes on a switch with these VLANs. */
export const carriedBy = (port: TrunkPort, vlans: ReadonlySet<number>): LabPort => {
  if (port.isShut) return { native: null, tagged: [] };
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

/** `gi1/0/5` for any way to write that name which Dell's older switches take; anything else is the empty name. */
export const shortName = (name: string): string => {
  const [, kind = '', numbers = ''] = /^([A-Za-z]{2,}) ?(\d\S*)$/.exec(name) ?? [];
  const long = ['gigabitethernet', 'tengigabitethernet'].find((full) => full.startsWith(kind.toLowerCase()));
  return long === undefined || kind === '' ? '' : `${long.slice(0, 2)}${numbers}`;
};
