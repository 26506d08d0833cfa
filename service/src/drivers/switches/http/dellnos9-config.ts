import type { PortConfig } from '../contract.ts';
import { everything } from '../vlans.ts';
import { shortened } from '../words.ts';

/** What OS9 has configured for one port. Memberships are those written down, not what follows from defaults. */
export interface DellPort {
  readonly name: string;
  readonly isShut: boolean;
  readonly isSwitchport: boolean;
  readonly isHybrid: boolean;
  /** Lines that make more of the port than VLANs say: it is part of a stack of tags, or of a private VLAN. */
  readonly oddities: readonly string[];
  readonly untagged: number | null;
  readonly tagged: readonly number[];
}

/** A running configuration, as far as ports of one kind and VLANs are concerned. */
export interface DellConfig {
  readonly ports: ReadonlyMap<string, DellPort>;
  /** Where a port in layer 2 mode is untagged unless it is so elsewhere; null: nowhere. */
  readonly defaultVlan: number | null;
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Reads the output of `show running-config` for the ports of this kind. */
export const dellConfigFrom = (output: string, interfaceType: string): DellConfig => {
  if (!output.includes('Current Configuration'))
    throw new Error(`the switch shows no running configuration but "${shortened(output)}"`);
  const sections = sectionsOf(output);
  const members = { tagged: new Map<string, number[]>(), untagged: new Map<string, number[]>() };
  for (const { title, lines } of sections) {
    const vlan = /^interface vlan (\d+)$/i.exec(title)?.[1];
    if (vlan === undefined) continue;
    for (const line of lines) {
      const member = /^(tagged|untagged) (\S+) (.+)$/i.exec(line);
      if (member?.[2]?.toLowerCase() !== interfaceType.toLowerCase()) continue;
      const ports = member[1]?.toLowerCase() === 'tagged' ? members.tagged : members.untagged;
      for (const port of portsIn(member[3] ?? '')) ports.set(port, [...(ports.get(port) ?? []), Number(vlan)]);
    }
  }
  const ports = new Map<string, DellPort>();
  for (const { title, lines } of sections) {
    const [, type, name] = /^interface (\S+) (\d+(?:\/\d+){1,2})$/i.exec(title) ?? [];
    if (name === undefined || type?.toLowerCase() !== interfaceType.toLowerCase()) continue;
    ports.set(name, {
      name,
      isShut: lines.includes('shutdown'),
      isSwitchport: lines.includes('switchport'),
      isHybrid: lines.includes('portmode hybrid'),
      oddities: lines.filter((line) => /^(?:vlan-stack |switchport mode )/.test(line)),
      untagged: members.untagged.get(name)?.[0] ?? null,
      tagged: (members.tagged.get(name) ?? []).sort((a, b) => a - b),
    });
  }
  return { ports, defaultVlan: defaultVlanIn(sections) };
};

/** What begins at the margin is a title; the lines indented below belong to it. */
const sectionsOf = (output: string): readonly Section[] => {
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of output.split(/\r?\n/)) {
    const text = line.trim().replaceAll(/\s+/g, ' ');
    if (text === '' || text.startsWith('!')) continue;
    const lines = sections.at(-1)?.lines;
    const before = lines?.at(-1);
    if (!line.startsWith(' ')) sections.push({ title: text, lines: [] });
    // Nothing but ports: the list of the line before goes on.
    else if (lines && before !== undefined && /^[\d/,-]+$/.test(text)) lines[lines.length - 1] = joined(before, text);
    else lines?.push(text);
  }
  return sections;
};

const joined = (before: string, list: string): string =>
  before.endsWith(',') || list.startsWith(',') ? `${before}${list}` : `${before},${list}`;

const defaultVlanIn = (sections: readonly Section[]): number | null => {
  const titles = sections.map(({ title }) => title.toLowerCase());
  if (titles.includes('default-vlan disable')) return null;
  const moved = titles.map((title) => /^default vlan-id (\d+)$/.exec(title)?.[1]).find((id) => id !== undefined);
  return moved === undefined ? 1 : Number(moved);
};

/** `1/1-1/3,1/7`, and the shorter `1/1-3,7`, where what is left out is as before. */
const portsIn = (list: string): readonly string[] => {
  let before: readonly string[] = [];
  return list.split(',').flatMap((item) => {
    const [first, last] = item.trim().split('-');
    const from = completed(first ?? '', before, list);
    const to = completed(last ?? first ?? '', from, list);
    before = to;
    const stem = from.slice(0, -1);
    if (stem.join('/') !== to.slice(0, -1).join('/')) throw unreadable(list);
    const begin = Number(from.at(-1));
    const length = Number(to.at(-1)) - begin + 1;
    if (length < 1 || length > 1000) throw unreadable(list);
    return Array.from({ length }, (_, index) => [...stem, begin + index].join('/'));
  });
};

const completed = (port: string, before: readonly string[], list: string): readonly string[] => {
  if (!/^\d+(?:\/\d+){0,2}$/.test(port)) throw unreadable(list);
  const parts = port.split('/');
  if (parts.length === 1 && before.length > 1) return [...before.slice(0, -1), port];
  if (parts.length === 1) throw unreadable(list);
  return parts;
};

const unreadable = (list: string): Error => new Error(`a list of ports reads "${shortened(list)}"`);

/** What a port passes now. */
export const passedBy = (port: DellPort, defaultVlan: number | null): PortConfig => {
  if (port.isShut || !port.isSwitchport) return { port: port.name, native: null, tagged: [] };
  if (port.oddities.length > 0) return { port: port.name, ...everything };
  // A port that is only tagged has left the default VLAN, unless it is a hybrid one.
  const isInDefault = port.untagged === null && (port.isHybrid || port.tagged.length === 0);
  return { port: port.name, native: isInDefault ? defaultVlan : port.untagged, tagged: port.tagged };
};
