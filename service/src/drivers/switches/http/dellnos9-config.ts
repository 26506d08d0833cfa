import type { PortConfig } from '../switch-contract.ts';
import { ascending, unclear } from '../vlan-lists.ts';
import { oneLine } from '../device-text.ts';
import { strangeInVlan, strangeOn, tellingPart } from './dellnos9-known.ts';
import { type Section, sectionsOf } from './dellnos9-sections.ts';

/** What OS9 has configured for one port. Memberships are those written down, not what follows from defaults. */
export interface DellPort {
  readonly name: string;
  readonly isShut: boolean;
  readonly isSwitchport: boolean;
  readonly isHybrid: boolean;
  /** Lines that make more of the port than VLANs say, and that are taken back when it is set. */
  readonly oddities: readonly string[];
  /** The same of lines that are left to the operator, in the device's words. */
  readonly unclear: readonly string[];
  readonly untagged: readonly number[];
  readonly tagged: readonly number[];
}

/** A running configuration, as far as ports of one kind and VLANs are concerned. */
export interface DellConfig {
  readonly ports: ReadonlyMap<string, DellPort>;
  /** Where a port in layer 2 mode is untagged unless it is so elsewhere; null: nowhere. */
  readonly defaultVlan: number | null;
}

/** Reads the output of `show running-config` for the ports of this kind. */
export const dellConfigFrom = (output: string, interfaceType: string): DellConfig => {
  const sections = sectionsOf(output);
  const members = membersIn(sections, interfaceType);
  const ports = new Map<string, DellPort>();
  for (const section of sections) {
    const name = portIn(section.title, interfaceType);
    if (name === undefined) continue;
    const own = section.lines.filter(({ isNested }) => !isNested).map(({ text }) => text);
    const strange = strangeOn(section);
    ports.set(name, {
      name,
      isShut: own.includes('shutdown') && !own.includes('no shutdown'),
      isSwitchport: own.includes('switchport'),
      isHybrid: own.includes('portmode hybrid'),
      oddities: strange.undone,
      unclear: [
        ...strange.unclear,
        ...(members.strange.get(name) ?? []),
        ...(ports.has(name) ? [`${section.title} is shown twice`] : []),
      ],
      untagged: ascending(members.untagged.get(name) ?? []),
      tagged: ascending(members.tagged.get(name) ?? []),
    });
  }
  return { ports, defaultVlan: defaultVlanIn(sections) };
};

const portIn = (title: string, interfaceType: string): string | undefined => {
  const [, type, name] = /^interface (\S+) (\d+(?:\/\d+){1,2})$/i.exec(title) ?? [];
  return type?.toLowerCase() === interfaceType.toLowerCase() ? name : undefined;
};

interface Members {
  readonly tagged: ReadonlyMap<string, readonly number[]>;
  readonly untagged: ReadonlyMap<string, readonly number[]>;
  /** What else the configuration does with a port, in its words. */
  readonly strange: ReadonlyMap<string, readonly string[]>;
}

/** More than a full stack that has every VLAN on every port. A short list may stand for a thousand ports. */
const mostNamed = 1_500_000;
/** So many strange lines say enough of a port, and of a VLAN. */
const mostStrange = 5;

/** Where ports of this kind are named outside their own sections: in VLANs, bundles, mirrors, and whatever else. */
const membersIn = (sections: readonly Section[], interfaceType: string): Members => {
  const members = {
    tagged: new Map<string, number[]>(),
    untagged: new Map<string, number[]>(),
    strange: new Map<string, string[]>(),
  };
  const addStrange = (port: string, words: string): void => {
    const known = listAt(members.strange, port);
    if (known.length < mostStrange) known.push(words);
  };
  const named = new RegExp(`(?<![\\w-])${interfaceType} ?(\\d[\\d/,-]*)`, 'gi');
  let left = mostNamed;
  const portsOf = (list: string): readonly string[] => {
    const ports = portsIn(list, left);
    left -= ports.length;
    return ports;
  };
  for (const section of sections) {
    const vlan = /^interface vlan (\d+)$/i.exec(section.title)?.[1];
    const strange = vlan === undefined ? [] : strangeInVlan(section).slice(0, mostStrange);
    const own = portIn(section.title, interfaceType);
    for (const { text } of [{ text: own === undefined ? section.title : '' }, ...section.lines]) {
      const member = /^(tagged|untagged) (\S+) (.+)$/i.exec(text);
      if (vlan !== undefined && member) {
        if (member[2]?.toLowerCase() !== interfaceType.toLowerCase()) continue;
        const how = member[1]?.toLowerCase() === 'tagged' ? members.tagged : members.untagged;
        for (const port of portsOf(member[3] ?? '')) {
          listAt(how, port).push(Number(vlan));
          for (const line of strange) addStrange(port, `${section.title} ${line}`);
        }
      } else
        for (const [, list = ''] of tellingPart(section.title, text).matchAll(named))
          for (const port of portsOf(list)) if (port !== own) addStrange(port, `${section.title} ${text}`);
    }
  }
  return members;
};

/** The list under this name, which is made if there is none. */
const listAt = <V>(lists: Map<string, V[]>, name: string): V[] => {
  const known = lists.get(name) ?? [];
  if (known.length === 0) lists.set(name, known);
  return known;
};

const defaultVlanIn = (sections: readonly Section[]): number | null => {
  const titles = sections.map(({ title }) => title.toLowerCase());
  if (titles.includes('default-vlan disable')) return null;
  const moved = titles.map((title) => /^default vlan-id (\d+)$/.exec(title)?.[1]).find((id) => id !== undefined);
  return moved === undefined ? 1 : Number(moved);
};

/** `1/1-1/3,1/7`, and the shorter `1/1-3,7`, where what is left out is as before. No more than so many. */
const portsIn = (list: string, most: number): readonly string[] => {
  let before: readonly string[] = [];
  const ports: string[] = [];
  for (const item of list.split(',')) {
    const [first, last] = item.trim().split('-');
    const from = completed(first ?? '', before, list);
    const to = completed(last ?? first ?? '', from, list);
    before = to;
    const stem = from.slice(0, -1).join('/');
    if (stem !== to.slice(0, -1).join('/')) throw unreadable(list);
    const begin = Number(from.at(-1));
    const end = Number(to.at(-1));
    if (end < begin || end - begin >= 1000) throw unreadable(list);
    if (ports.length + end - begin >= most)
      throw new Error(`the lists of ports in the configuration name more than ${mostNamed} ports`);
    for (let number = begin; number <= end; number += 1) ports.push(`${stem}/${number}`);
  }
  return ports;
};

const completed = (port: string, before: readonly string[], list: string): readonly string[] => {
  if (!/^\d+(?:\/\d+){0,2}$/.test(port)) throw unreadable(list);
  const parts = port.split('/');
  if (parts.length === 1 && before.length > 1) return [...before.slice(0, -1), port];
  if (parts.length === 1) throw unreadable(list);
  return parts;
};

const unreadable = (list: string): Error => new Error(`a list of ports reads "${oneLine(list)}"`);

/** What a port passes now. */
export const passedBy = (port: DellPort, defaultVlan: number | null): PortConfig => {
  const { name, untagged, tagged, isSwitchport } = port;
  if (port.isShut) return { port: name, native: null, tagged: [] };
  const isMember = untagged.length + tagged.length > 0;
  const odd = [
    ...port.oddities,
    ...port.unclear,
    ...(untagged.length > 1 ? [`untagged in VLANs ${untagged.join(' and ')}`] : []),
    ...(isMember && !isSwitchport ? ['member of a VLAN without switchport'] : []),
  ];
  if (odd.length > 0) return { port: name, ...unclear(...odd.slice(0, mostStrange)) };
  if (!isSwitchport) return { port: name, native: null, tagged: [] };
  // A port that is only tagged has left the default VLAN, unless it is a hybrid one.
  const isInDefault = untagged.length === 0 && (port.isHybrid || tagged.length === 0);
  const [native = null] = isInDefault ? [defaultVlan] : untagged;
  return { port: name, native, tagged };
};
