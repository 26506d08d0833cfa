import type { Section, SectionLine } from './dellnos9-sections.ts';

/*
 * Which lines of OS9 are understood. Any other line may put a port into a VLAN, a bundle or a mirror, or have
 * somebody else choose its VLAN, and the port is taken to carry everything.
 */

/** Lines that decide what a port carries, and are read. */
const read = /^(?:no )?(?:shutdown|switchport)$|^portmode hybrid$/;

/** Lines that make more of a port than VLANs say, and that Corral takes back when it sets the port. */
const undone = /^(?:vlan-stack (?:access|trunk)$|switchport mode private-vlan )/;

/** Lines of a port that have no part in what it carries. */
const plain: readonly RegExp[] = [
  /^(?:no )?description(?: .*)?$/,
  /^no (?:ip|ipv6) address$/,
  /^(?:no )?spanning-tree .*$/,
  /^(?:no )?(?:mtu|speed|duplex|negotiation|flowcontrol|storm-control|keepalive|rate-interval|fec|intf-type|wavelength)(?: (?!.*vlan).*)?$/,
  /^(?:no )?(?:dcb-map|dot1p-priority|service-class|strict-priority|bandwidth-percentage|rate (?:shape|police))(?: (?!.*vlan).*)?$/,
  /^protocol lldp$/,
];

/** Lines inside `protocol lldp`. Those of LLDP-MED tell phones a VLAN, and are not among them. */
const lldp =
  /^(?:no )?(?:advertise (?:dot1-tlv|dot3-tlv|management-tlv|interface-port-desc)|dcbx|hello|mode|multiplier|disable)(?: .*)?$/;

/** What a port has beside the lines that are read. */
export interface Strange {
  readonly undone: readonly string[];
  readonly unclear: readonly string[];
}

export const strangeOn = ({ lines }: Section): Strange => {
  let block = '';
  const strange = lines.filter(({ text, isNested }) => {
    if (!isNested) block = text;
    if (isNested && block === 'protocol lldp') return !lldp.test(text);
    return !plain.some((pattern) => pattern.test(text)) && (isNested || !read.test(text));
  });
  const isUndone = ({ text, isNested }: SectionLine): boolean => !isNested && undone.test(text);
  const isShown = lines.some(({ text, isNested }) => !isNested && /^(?:no )?shutdown$/.test(text));
  return {
    undone: strange.filter(isUndone).map(({ text }) => text),
    unclear: [
      ...strange.filter((line) => !isUndone(line)).map(({ text }) => text),
      ...(isShown ? [] : ['neither shutdown nor no shutdown is shown']),
    ],
  };
};

const plainInVlan =
  /^(?:no )?(?:description|name|mtu|shutdown|ip|ipv6|arp|vrrp-group|vrrp-ipv6-group|spanning-tree|snmp)(?: .*)?$/;
const member = /^(?:tagged|untagged) [A-Za-z-]+ ?[\d/,-]+$/i;

/** Lines of a VLAN that make more of it than its members say: a private VLAN, a stack of tags, a mirror. */
export const strangeInVlan = ({ lines }: Section): readonly string[] =>
  lines
    .filter(({ text, isNested }) =>
      isNested ? /vlan|member|tagged/i.test(text) : !plainInVlan.test(text) && !member.test(text),
    )
    .map(({ text }) => text);

/** What a line says of where frames may go; nothing where a port is only named. */
export const tellingPart = (title: string, line: string): string => {
  if (line.includes('source-interface') || title.startsWith('uplink-state-group ')) return '';
  // What is mirrored carries no more for it; the port that the copies go to does.
  return title.startsWith('monitor session') ? line.replace(/^source \S+(?: \S+)? (?=destination )/, '') : line;
};
