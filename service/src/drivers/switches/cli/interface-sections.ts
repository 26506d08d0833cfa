import { allVlans, ascending, type Carried, unclear, vlansIn } from '../vlan-lists.ts';
import type { Section } from './config-sections.ts';
import type { ShownPort } from './dialect.ts';
import { type Classified, classify, type KnownLines } from './known-lines.ts';

/*
 * What a port passes according to its `interface` block, in the words that most vendors took from Cisco.
 */

/** The lines that `switchportIn` reads. */
export const switchportLines =
  /^(?:no )?shutdown$|^(?:no )?switchport$|^switchport (?:mode|access vlan|trunk native vlan|trunk allowed vlan) /;

/** What a block means that says nothing about it, as the vendor's manual tells. */
export interface SwitchportDefaults {
  readonly mode: 'access' | 'trunk' | 'dynamic';
}

/** What a port passes according to its block; everything, if the block has a line that is not understood. */
export const switchportIn = (
  section: Section,
  port: string,
  known: KnownLines,
  defaults: SwitchportDefaults,
): ShownPort => {
  const lines = classify(section, known);
  return portOf(port, lines, () => switchportOf(lines.read, defaults));
};

/** A port whose lines are classified: shut, not understood, or what they say it carries. */
export const portOf = (
  port: string,
  { read, strange, foreign, opening }: Classified,
  carried: () => Carried,
): ShownPort => {
  const blocked = foreign === null ? {} : { foreign };
  const isShut = read.includes('shutdown') && !read.includes('no shutdown') && opening === null;
  if (isShut) return { port, native: null, tagged: [], isShut: true, ...blocked };
  return { port, ...(strange === null ? carried() : unclear(strange)), ...blocked };
};

const switchportOf = (lines: readonly string[], defaults: SwitchportDefaults): Carried => {
  // Packets of a routed port are sent on to wherever they want, and its subinterfaces may be in any VLAN.
  const isRouted = lines.includes('no switchport');
  const modes = valuesOf(lines, 'switchport mode');
  const access = valuesOf(lines, 'switchport access vlan');
  const native = valuesOf(lines, 'switchport trunk native vlan');
  const twice = [modes, access, native].find((values) => values.length > 1);
  if (isRouted) return unclear('no switchport');
  if (twice) return unclear(...twice);
  const mode = modes[0] ?? defaults.mode;
  const [own = '1'] = access;
  const [untagged = '1'] = native;
  if (mode === 'access' && isVlan(own)) return { native: Number(own), tagged: [] };
  if (mode === 'trunk' && (isVlan(untagged) || untagged === 'tag')) return trunk(untagged, allowedIn(lines));
  // Negotiated with the other end, tunnelled, private.
  if (mode === 'access') return unclear(`switchport access vlan ${own}`);
  return unclear(mode === 'trunk' ? `switchport trunk native vlan ${untagged}` : `switchport mode ${mode}`);
};

const isVlan = (text: string): boolean => /^\d{1,4}$/.test(text);

/** `tag` means that nothing goes without a tag. */
const trunk = (native: string, vlans: readonly number[]): Carried => {
  const allowed = ascending(vlans);
  const own = native === 'tag' ? null : Number(native);
  return {
    native: own !== null && allowed.includes(own) ? own : null,
    tagged: allowed.filter((vlan) => vlan !== own),
  };
};

/** What follows these words in the lines that begin with them, each once. */
export const valuesOf = (lines: readonly string[], start: string): readonly string[] => [
  ...new Set(lines.filter((line) => line.startsWith(`${start} `)).map((line) => line.slice(start.length + 1).trim())),
];

/** The allowed VLANs: a list, continued in lines with `add` where it is long. Without any line: all. */
const allowedIn = (lines: readonly string[]): readonly number[] => {
  const lists = valuesOf(lines, 'switchport trunk allowed vlan');
  if (lists.length === 0) return allVlans;
  return lists.flatMap((list) => {
    if (list === 'none') return [];
    if (list === 'all') return allVlans;
    return vlansIn(list.replace(/^add /, ''));
  });
};
