import { unknownElements } from '../known-elements.ts';
import { allVlans, vlansIn } from '../vlan-lists.ts';
import { childOf, childrenOf, type Element } from '@corral/base/xml';
import { inVlan, isActive, statements } from './junos-understood.ts';

/** One VLAN of a Junos device. */
interface Vlan {
  /** The ids that it stands for, which are several with `vlan-id-list`. */
  readonly ids: readonly number[];
  /** What makes more of it than its ids say, in the device's words. */
  readonly unclear: readonly string[];
}

/** The VLANs of a Junos device. */
export interface VlanTable {
  readonly vlans: ReadonlyMap<string, Vlan>;
  /** By id: the name of the VLAN that stands for this id alone. */
  readonly names: ReadonlyMap<number, string>;
  /** By logical interface (`ge-0/0/1.0`): the VLANs that list it themselves. */
  readonly interfaces: ReadonlyMap<string, readonly string[]>;
}

/** The children of this name that have an effect. */
export const activeChildren = (element: Element | undefined, name: string): readonly Element[] =>
  childrenOf(element, name).filter(isActive);

/** The statement at the end of the path, if it and all above it have an effect. */
export const activeAt = (element: Element | undefined, ...path: readonly string[]): Element | undefined =>
  path.reduce<Element | undefined>((at, name) => activeChildren(at, name)[0], element);

export const nameOf = (element: Element): string => childOf(element, 'name')?.text ?? '';

export const vlanTable = (configuration: Element | undefined): VlanTable => {
  const vlans = new Map<string, Vlan>();
  const names = new Map<number, string>();
  const interfaces = new Map<string, string[]>();
  for (const element of activeChildren(activeAt(configuration, 'vlans'), 'vlan')) {
    const name = nameOf(element);
    const single = activeAt(element, 'vlan-id')?.text;
    const list = activeChildren(element, 'vlan-id-list').flatMap(({ text }) => (isIds(text) ? idsIn(text) : []));
    const ids = single !== undefined && isIds(single) ? [...idsIn(single), ...list] : list;
    const isOdd = single !== undefined && !/^\d+$/.test(single);
    vlans.set(name, {
      ids,
      unclear: [
        ...unknownElements(element, inVlan, statements, ['vlans', name]),
        ...(isOdd ? [`vlans ${name} vlan-id ${single}`] : []),
        ...(ids.length === 0 ? [`vlans ${name} has no vlan-id`] : []),
        ...(vlans.has(name) ? [`vlans ${name} is shown twice`] : []),
      ],
    });
    if (single !== undefined && ids.length === 1 && ids[0] !== undefined) names.set(ids[0], name);
    for (const member of activeChildren(element, 'interface')) {
      const logical = nameOf(member);
      const names = interfaces.get(logical);
      if (names) names.push(name);
      else interfaces.set(logical, [name]);
    }
  }
  return { vlans, names, interfaces };
};

/** The ids that one `members` statement stands for: a name, an id, a range of ids, or `all`; and what is unclear of it. */
export const membersIn = (member: string, { vlans }: VlanTable): Vlan => {
  const named = vlans.get(member);
  const ids = isIds(member) ? idsIn(member) : null;
  if (named && ids && named.ids.join() !== ids.join())
    return { ids: [], unclear: [...named.unclear, `members ${member}, which is a name and a number`] };
  if (named) return named;
  if (ids === null) return { ids: [], unclear: [`members ${member}`] };
  if (member === 'all') return { ids, unclear: [] };
  const meant = [...vlans.values()].filter((vlan) => vlan.ids.some((id) => ids.includes(id)));
  return { ids, unclear: meant.flatMap(({ unclear }) => unclear) };
};

/** The VLAN of an access port that names none. */
export const defaultVlan = ({ vlans }: VlanTable): Vlan => vlans.get('default') ?? { ids: [1], unclear: [] };

const isIds = (text: string): boolean => /^(?:all|\d{1,4}(?:-\d{1,4})?)$/.test(text);

/** 0 means none, and is not a VLAN. */
const idsIn = (text: string): readonly number[] =>
  text === 'all' ? allVlans : vlansIn(text).filter((vlan) => vlan >= 1 && vlan <= allVlans.length);
