import { childOf, childrenOf, type Element, shortened } from './xml.ts';

const lowest = 1;
const highest = 4094;

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
    const list = activeChildren(vlan, 'vlan-id-list').flatMap(({ text }) => rangeIn(text));
    const own = single === undefined || single === 'none' ? list : rangeIn(single);
    ids.set(name, own);
    if (single !== undefined && own.length === 1 && own[0] !== undefined) names.set(own[0], name);
    for (const member of activeChildren(vlan, 'interface')) {
      const logical = nameOf(member);
      interfaces.set(logical, [...(interfaces.get(logical) ?? []), name]);
    }
  }
  return { ids, names, interfaces };
};

/** The ids that one `members` statement stands for: a name, an id, a range of ids, or `all`. */
export const membersIn = (member: string, table: VlanTable): readonly number[] =>
  table.ids.get(member) ?? rangeIn(member);

/** The VLAN of an access port that names none. */
export const defaultVlan = (table: VlanTable): number => table.ids.get('default')?.[0] ?? lowest;

const rangeIn = (text: string): readonly number[] => {
  if (text === 'all') return between(lowest, highest);
  const range = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(text);
  const first = Number(range?.[1]);
  const last = Number(range?.[2] ?? range?.[1]);
  if (!range || first > last || last > highest) throw new Error(`a VLAN that is not known: ${shortened(text)}`);
  return between(Math.max(first, lowest), last);
};

const between = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
