import { type DocumentRules, type KnownElements, leaves } from '../known-elements.ts';
import type { Element } from '@corral/base/xml';

/*
 * Which statements are understood. Any other statement may put a port into a VLAN, a bundle, a bridge or a mirror, or
 * have somebody else choose its VLAN, and the port is taken to carry everything.
 */

/** Statements that are deactivated are in the configuration and have no effect. */
export const isActive = (element: Element): boolean => element.attributes['inactive'] === undefined;

/** How a Junos configuration is read. */
export const statements: DocumentRules = {
  lists: ['unit', 'members', 'vlan-id-list', 'interface'],
  isVoid: (element) => !isActive(element),
};

const link: KnownElements = {
  ...leaves('auto-negotiation', 'no-auto-negotiation', 'flow-control', 'no-flow-control', 'link-mode'),
  speed: 'harmless',
};

/** On a physical interface. Its units have their own table. */
export const onInterface: KnownElements = {
  ...leaves('name', 'description', 'disable', 'mtu', 'speed', 'link-mode', 'traps', 'no-traps', 'native-vlan-id'),
  'hold-time': 'harmless',
  'ether-options': link,
  'gigether-options': link,
  // Of a bundle that is a port itself.
  'aggregated-ether-options': { lacp: 'harmless', 'minimum-links': 'leaf', 'link-speed': 'leaf' },
  unit: 'harmless',
};

/** On unit 0. */
export const onUnit: KnownElements = {
  ...leaves('name', 'description', 'disable'),
  family: {
    'ethernet-switching': {
      'interface-mode': 'leaf',
      vlan: { members: 'leaf' },
      'storm-control': 'harmless',
      'recovery-timeout': 'leaf',
    },
  },
};

/** In a VLAN. With `vxlan` it goes on behind another switch, as behind any uplink. */
export const inVlan: KnownElements = {
  ...leaves('name', 'description', 'vlan-id', 'vlan-id-list', 'l3-interface'),
  interface: leaves('name'),
  vxlan: 'harmless',
};

/** Where else a port may be named without carrying more for it: the beginnings of paths. */
export const harmlessPlaces: readonly string[] = [
  ...['lldp', 'lldp-med', 'rstp', 'mstp', 'vstp', 'igmp-snooping', 'mld-snooping', 'sflow', 'layer2-control'],
  // What is routed has a family of its own, which is not understood.
  ...['igmp', 'mld', 'pim', 'ospf', 'ospf3', 'isis', 'bgp', 'rip', 'ripng', 'bfd', 'router-advertisement'],
]
  .map((protocol) => `protocols ${protocol} `)
  .concat([
    'forwarding-options storm-control-profiles ',
    'forwarding-options dhcp-relay ',
    'forwarding-options analyzer input ',
    'switch-options interface ',
  ]);
