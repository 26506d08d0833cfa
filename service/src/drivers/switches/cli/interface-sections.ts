import type { PortConfig } from '../contract.ts';
import { allVlans, everything, vlansIn } from '../vlans.ts';

/** One `interface` block of a running configuration: its name, and its lines without their indent. */
export interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

/** The `interface` blocks in a running configuration, or in a part of one. */
export const interfaceSections = (text: string): readonly Section[] => {
  const sections: { name: string; lines: string[] }[] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    const name = /^interface (.+)$/.exec(line)?.[1];
    if (name !== undefined) sections.push({ name: name.trim(), lines: [] });
    isInside = name !== undefined || (isInside && /^\s+\S/.test(line));
    if (isInside && name === undefined) sections.at(-1)?.lines.push(line.trim());
  }
  return sections;
};

/** What a block means that says nothing about it, as the vendor's manual tells. */
export interface SwitchportDefaults {
  readonly mode: 'access' | 'trunk' | 'dynamic';
  readonly isShut?: true;
}

/** What a port passes according to its block, in the words that most vendors took from Cisco. */
export const switchportIn = (section: Section, port: string, defaults: SwitchportDefaults): PortConfig => {
  const { lines } = section;
  const isShut = lines.includes('shutdown') || (defaults.isShut === true && !lines.includes('no shutdown'));
  if (isShut || lines.includes('no switchport')) return { port, native: null, tagged: [] };
  const mode = valueOf(section, 'switchport mode') ?? defaults.mode;
  const access = vlanIn(section, 'switchport access vlan');
  const native = vlanIn(section, 'switchport trunk native vlan');
  const voice = valueOf(section, 'switchport voice vlan') ?? '';
  const voices = /^\d+$/.test(voice) ? [Number(voice)] : [];
  if (mode === 'access' && typeof access === 'number') return { port, native: access, tagged: voices };
  if (mode === 'trunk' && native !== null) return trunk(port, native, [...allowedIn(section), ...voices]);
  // Negotiated with the other end, tunnelled, private.
  return { port, ...everything };
};

const trunk = (port: string, native: number | 'tag', vlans: readonly number[]): PortConfig => {
  const allowed = [...new Set(vlans)].sort((a, b) => a - b);
  return {
    port,
    native: native !== 'tag' && allowed.includes(native) ? native : null,
    tagged: allowed.filter((vlan) => vlan !== native),
  };
};

/** What follows these words in the last line of the block that begins with them. */
export const valueOf = ({ lines }: Section, start: string): string | undefined =>
  lines.findLast((line) => line.startsWith(`${start} `))?.slice(start.length + 1);

/** VLAN 1 without a line; null if the line has no number. `tag` means that nothing goes without a tag. */
const vlanIn = (section: Section, start: string): number | 'tag' | null => {
  const value = valueOf(section, start) ?? '1';
  if (value === 'tag') return value;
  return /^\d{1,4}$/.test(value) ? Number(value) : null;
};

/** The allowed VLANs: a list, continued in lines with `add` where it is long. Without any line: all. */
const allowedIn = ({ lines }: Section): readonly number[] => {
  const start = 'switchport trunk allowed vlan ';
  const lists = lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  if (lists.length === 0) return allVlans;
  return lists.flatMap((list) => {
    if (list === 'none') return [];
    if (list === 'all') return allVlans;
    return vlansIn(list.replace(/^add /, ''));
  });
};
