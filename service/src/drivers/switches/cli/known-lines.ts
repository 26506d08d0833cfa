import type { Section } from './config-sections.ts';

/*
 * Which lines of a port's block are understood. The list is of what is known to carry nothing; whatever is not on it may
 * put the port into a VLAN, a bundle, a bridge or a profile, and the port is taken to carry everything.
 */

/** What a dialect knows of the lines of a port. */
export interface KnownLines {
  /** Lines that decide what the port carries, and that the dialect reads. */
  readonly read: RegExp;
  /** Lines that have no part in what it carries. */
  readonly plain: readonly RegExp[];
  /** Lines that are not read, but are gone after every change that the dialect makes. */
  readonly replaced?: readonly RegExp[];
  /** Lines that may open a port whose block says `shutdown`. */
  readonly opening?: readonly RegExp[];
}

/** Words that no harmless line has: VLANs, bundles, bridging, authentication, mirrors, templates. */
const telling =
  /profile|template|channel|\b(?:vlan|vrf|vxlan|vni|evpn|vfi|xconnect|pseudowire|bridg|dot1q|802|q-?in-?q|tunnel|lacp|lag\b|monitor|mirror|span\b|rspan|phone|voice|voip|dot1x|mab\b|auth|access-session|webauth|private|mapping|instance|encapsulation|inherit|macro|switchport|unit\b|subscriber)/i;

/** Lines that begin with one of these (alternatives of a pattern), or with `no` and one of these, and have no telling word in them. */
export const beginningWith = (starts: string): RegExp =>
  new RegExp(`^(?:no |default )?(?:${starts})(?: (?!.*${telling.source}).*)?$`, 'i');

/** What most vendors have on a port, and what says nothing about its VLANs. */
export const commonLines: readonly RegExp[] = [
  /^(?:no )?description(?: .*)?$/,
  // Which VLAN a cost or a priority is for changes nothing about who is in it.
  /^(?:no )?spanning-tree (?:vlan [\d,-]+ )?(?:cost|port-priority) \d+$/,
  beginningWith(
    [
      'mtu|speed|duplex|bandwidth|delay|load-interval|carrier-delay|flowcontrol|mdix|negotiat\\w+|media-type',
      'medium|beacon|keepalive|link debounce|link-debounce|fec|forward-error-correction|error-correction',
      'transceiver|phy|power|hold-queue|snmp|logging event|sflow|udld|cdp|lldp|spanning-tree|storm-control',
      'priority-flow-control|qos|mls qos|auto qos|srr-queue|priority-queue|wrr-queue|tx-queue|uc-tx-queue',
      'mc-tx-queue|service-policy (?:type (?:qos|queuing) )?(?:input|output)|ip dhcp snooping',
      'ip arp inspection|ip igmp snooping|ip access-group|ipv6 traffic-filter|mac access-group',
    ].join('|'),
  ),
  /^switchport port-security(?: (?:maximum \d+|violation \S+|aging .*))?$/,
  /^(?:no )?switchport (?:block (?:unicast|multicast)|protected|port-security|nonegotiate)$/,
];

/** The lines of a block by what is known of them. */
export interface Classified {
  readonly read: readonly string[];
  /** The first that is not understood. */
  readonly strange: string | null;
  /** The first that is not understood and would still be there after a change. */
  readonly foreign: string | null;
  /** The first that may open a port that is shut. */
  readonly opening: string | null;
}

export const classify = ({ lines }: Section, known: KnownLines): Classified => {
  const matches = (patterns: readonly RegExp[] | undefined, text: string): boolean =>
    patterns?.some((pattern) => pattern.test(text)) ?? false;
  const read: string[] = [];
  const strange: string[] = [];
  for (const { text, isNested } of lines) {
    if (!isNested && known.read.test(text)) read.push(text);
    else if (isNested || !matches(known.plain, text)) strange.push(text);
  }
  return {
    read,
    strange: strange[0] ?? null,
    foreign: strange.find((text) => !matches(known.replaced, text)) ?? null,
    opening: strange.find((text) => matches(known.opening, text)) ?? null,
  };
};
