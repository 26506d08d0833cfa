import { allVlans, vlansIn } from '../vlans.ts';
import { childOf, childrenOf, type Element } from '../xml.ts';

/** The VLANs of a Junos device. */
export interface VlanTable {
  /** By name: the ids that the VLAN stands for, which are several with `vlan-id-list`. */
  readonly ids: ReadonlyMap<string, readonly number[]>;
  /** By id: the name of the VLAN that stands for this id alone. */
  readonly names: ReadonlyMap<number, string>;
  /** By logical interface (`ge-0/0/1.0`): the VLANs that list it themselves. */
  readonly interfaces: ReadonlyMap<string, readonly string[]>;
}

/** Statements that are deactivated are in the configuration and have no effect. */
export const isActive = (element: Element): boolean => element.attributes['inactive'] === undefined;

/** The children of this name that have an effect. */
export const activeChildren = (element: Element | undefined, name: string): readonly Element[] =>
  childrenOf(element, name).filter(isActive);

/** The statement at the end of the path, if it and all above it have an effect. */
export const activeAt = (element: Element | undefined, ...path: readonly string[]): Element | undefined =>
  path.reduce<Element | undefined>((at, name) => activeChildren(at, name)[0], element);

export const nameOf = (element: Element): string => childOf(element, 'name')?.text ?? '';

export const vlanTable = (configuration: Element | undefined): VlanTable => {
  const ids = new Map<string, readonly number[]>();
  const names = new Map<number, string>();
  const interfaces = new Map<string, string[]>();
  for (const vlan of activeChildren(activeAt(configuration, 'vlans'), 'vlan')) {
    const name = nameOf(vlan);
    const single = activeAt(vlan, 'vlan-id')?.text;
    const list = activeChildren(vlan, 'vlan-id-list').flatMap(({ text }) => idsIn(text));
    const own = single === undefined || single === 'none' ? list : idsIn(single);
    ids.set(name, own);
    if (single !== undefined && own.length === 1 && own[0] !== undefined) names.set(own[0], name);
    for (const member of activeChildren(vlan, 'interface')) {
      const logical = nameOf(member);
      interfaces.set(logical, [...(interfaces.get(logical) ?? []), name]);
    }
  }
  return { ids, names, interfaces };
};

/** The ids that one `members` statement stands for: a name, an id, a range of ids, or `all`; null if nobody knows. */
export const membersIn = (member: string, table: VlanTable): readonly number[] | null =>
  table.ids.get(member) ?? (isIds(member) ? idsIn(member) : null);

/** The VLAN of an access port that names none. */
export const defaultVlan = (table: VlanTable): number => table.ids.get('default')?.[0] ?? 1;

const isIds = (text: string): boolean => /^(?:all|\d{1,4}(?:-\d{1,4})?)$/.test(text);

/** 0 means none, and is not a VLAN. */
const idsIn = (text: string): readonly number[] =>
  text === 'all' ? allVlans : vlansIn(text).filter((vlan) => vlan >= 1 && vlan <= allVlans.length);
