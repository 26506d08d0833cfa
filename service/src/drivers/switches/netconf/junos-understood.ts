import type { DocumentRules, KnownElements } from '../known-elements.ts';
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
  'auto-negotiation': 'leaf',
  'no-auto-negotiation': 'leaf',
  'flow-control': 'leaf',
  'no-flow-control': 'leaf',
  'link-mode': 'leaf',
  speed: 'harmless',
};

/** On a physical interface. Its units have their own table. */
export const onInterface: KnownElements = {
  name: 'leaf',
  description: 'leaf',
  disable: 'leaf',
  mtu: 'leaf',
  speed: 'leaf',
  'link-mode': 'leaf',
  'hold-time': 'harmless',
  traps: 'leaf',
  'no-traps': 'leaf',
  'native-vlan-id': 'leaf',
  'ether-options': link,
  'gigether-options': link,
  // Of a bundle that is a port itself.
  'aggregated-ether-options': { lacp: 'harmless', 'minimum-links': 'leaf', 'link-speed': 'leaf' },
  unit: 'harmless',
};

/** On unit 0. */
export const onUnit: KnownElements = {
  name: 'leaf',
  description: 'leaf',
  disable: 'leaf',
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
  name: 'leaf',
  description: 'leaf',
  'vlan-id': 'leaf',
  'vlan-id-list': 'leaf',
  interface: { name: 'leaf' },
  'l3-interface': 'leaf',
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
