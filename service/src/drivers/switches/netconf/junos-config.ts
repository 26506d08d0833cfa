import type { PortConfig } from '../contract.ts';
import { activeAt, activeChildren, defaultVlan, membersIn, nameOf, type VlanTable, vlanTable } from './junos-vlans.ts';
import type { Element } from './xml.ts';

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

type Passed = Omit<PortConfig, 'port'>;

const nothing: Passed = { native: null, tagged: [] };

const passedBy = (element: Element, port: string, vlans: VlanTable): Passed => {
  if (activeAt(element, 'disable')) return nothing;
  const units = activeChildren(element, 'unit').filter((unit) => !activeAt(unit, 'disable'));
  const unit = units.find((each) => nameOf(each) === '0');
  const family = activeAt(unit, 'family', 'ethernet-switching');
  const switched = family ? switchedBy(element, family, port, vlans) : nothing;
  // Logical interfaces with a tag of their own: routed, or of the old kind of bridge.
  const routed = units.flatMap((each) => [...activeChildren(each, 'vlan-id'), ...activeChildren(each, 'vlan-id-list')]);
  return { ...switched, tagged: [...switched.tagged, ...routed.flatMap(({ text }) => membersIn(text, vlans))] };
};

const switchedBy = (element: Element, family: Element, port: string, vlans: VlanTable): Passed => {
  const members = [
    ...activeChildren(activeAt(family, 'vlan'), 'members').map(({ text }) => text),
    ...(vlans.interfaces.get(`${port}.0`) ?? []),
  ];
  const ids = members.flatMap((member) => membersIn(member, vlans));
  const mode = activeAt(family, 'interface-mode')?.text ?? 'access';
  if (mode === 'access') {
    const [native, ...more] = members.length === 0 ? [defaultVlan(vlans)] : ids;
    return { native: native ?? null, tagged: more };
  }
  if (mode !== 'trunk') throw new Error(`${port} has the interface-mode ${mode}, which is neither access nor trunk`);
  const native = activeAt(element, 'native-vlan-id');
  return { native: native ? (membersIn(native.text, vlans)[0] ?? null) : null, tagged: ids };
};
