import type { PortConfig } from '../contract.ts';
import { type Carried, everything } from '../vlans.ts';
import type { Element } from '../xml.ts';
import { activeAt, activeChildren, defaultVlan, membersIn, nameOf, type VlanTable, vlanTable } from './junos-vlans.ts';

/** What the configuration of a Junos device says of its ports, inherited statements included. */
export interface JunosView {
  readonly vlans: VlanTable;
  /** Names of all interfaces that are configured. */
  readonly interfaces: readonly string[];
  /** What the port would pass. A port without configuration passes nothing. */
  stateOf(port: string): PortConfig;
}

export const viewOf = (configuration: Element | undefined): JunosView => {
  const vlans = vlanTable(configuration);
  const interfaces = new Map(
    activeChildren(activeAt(configuration, 'interfaces'), 'interface').map((element) => [nameOf(element), element]),
  );
  return {
    vlans,
    interfaces: [...interfaces.keys()],
    stateOf: (port) => {
      const element = interfaces.get(port);
      const passed = element ? passedBy(element, port, vlans) : nothing;
      const tagged = [...new Set(passed.tagged)].filter((vlan) => vlan !== passed.native).sort((a, b) => a - b);
      return { port, native: passed.native, tagged };
    },
  };
};

const nothing: Carried = { native: null, tagged: [] };

const passedBy = (element: Element, port: string, vlans: VlanTable): Carried => {
  if (activeAt(element, 'disable')) return nothing;
  const units = activeChildren(element, 'unit').filter((unit) => !activeAt(unit, 'disable'));
  const unit = units.find((each) => nameOf(each) === '0');
  const family = activeAt(unit, 'family', 'ethernet-switching');
  const switched = family ? switchedBy(element, family, port, vlans) : nothing;
  // Logical interfaces with a tag of their own: routed, or of the old kind of bridge.
  const tags = units.flatMap((each) => [...activeChildren(each, 'vlan-id'), ...activeChildren(each, 'vlan-id-list')]);
  const routed = idsOf(
    tags.map(({ text }) => text),
    vlans,
  );
  return switched && routed ? { ...switched, tagged: [...switched.tagged, ...routed] } : everything;
};

/** Null if the port is in a mode, or in a VLAN, that says nothing to us. */
const switchedBy = (element: Element, family: Element, port: string, vlans: VlanTable): Carried | null => {
  const members = [
    ...activeChildren(activeAt(family, 'vlan'), 'members').map(({ text }) => text),
    ...(vlans.interfaces.get(`${port}.0`) ?? []),
  ];
  const ids = idsOf(members, vlans);
  const mode = activeAt(family, 'interface-mode')?.text ?? 'access';
  if (ids === null) return null;
  if (mode === 'access') {
    const [native, ...more] = members.length === 0 ? [defaultVlan(vlans)] : ids;
    return { native: native ?? null, tagged: more };
  }
  const untagged = activeAt(element, 'native-vlan-id');
  const native = untagged ? membersIn(untagged.text, vlans) : [];
  return mode === 'trunk' && native ? { native: native[0] ?? null, tagged: ids } : null;
};

const idsOf = (members: readonly string[], vlans: VlanTable): readonly number[] | null => {
  const ids: number[] = [];
  for (const member of members) {
    const own = membersIn(member, vlans);
    if (own === null) return null;
    ids.push(...own);
  }
  return ids;
};
