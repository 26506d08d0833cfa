import fc from 'fast-check';

/*
 * Lines that stand on ports, and lines that fall into answers: realistic ones, mutations of them, and noise.
 */

/** What vendors' manuals put on a port, and what may make it carry more than its switchport lines say. */
const constructs = [
  'channel-group 5 mode active',
  'channel-group 5 force mode on',
  'port-channel-protocol lacp',
  'addport 1',
  'profile SERVERS',
  'inherit port-profile SERVERS',
  'source template SERVERS',
  'macro apply cisco-phone',
  'switchport phone vlan 200',
  'switchport voice vlan 200',
  'switchport voice vlan dot1p',
  'voice vlan 200',
  'switchport trunk group STORAGE',
  'switchport vlan translation 100 200',
  'switchport vlan mapping 100 dot1q-tunnel 200',
  'switchport dot1q-tunnel vlan 200',
  'switchport mode dot1q-tunnel',
  'switchport private-vlan host-association 100 200',
  'switchport monitor',
  'switchport backup interface Gi1/0/2',
  'switchport access vlan dynamic',
  'port monitor gi1/0/7',
  'authentication port-control auto',
  'authentication event fail action authorize vlan 300',
  'dot1x pae authenticator',
  'dot1x guest-vlan 300',
  'mab',
  'access-session port-control auto',
  'service-policy type control subscriber DOT1X',
  'service instance 10 ethernet',
  'bridge-domain 100',
  'bridge-group 1',
  'xconnect 192.0.2.1 100 encapsulation mpls',
  'encapsulation dot1q 100',
  'vlan id 100',
  'vrf forwarding RED',
  'fabric-path isis metric 10',
  'switchport',
  'traffic-policy input REDIRECT',
  'l2protocol-tunnel cdp',
  'ip flow monitor X input',
] as const;

const words = fc.constantFrom(
  ...[
    'switchport',
    'no',
    'vlan',
    'trunk',
    'mode',
    'access',
    'allowed',
    'native',
    'shutdown',
    'port',
    'profile',
    'group',
  ],
  ...[
    'channel',
    'dot1q',
    'tunnel',
    'bridge',
    'voice',
    'mtu',
    'description',
    'lldp',
    'spanning-tree',
    '100',
    '4094',
    'add',
    'none',
  ],
);
const noise = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' });

/** Lines that the switchport dialects read: putting one in is a change of the port and not a line nobody knows. */
const read =
  /^(?:no )?shutdown$|^(?:no )?switchport$|^switchport (?:mode|access vlan|trunk native vlan|trunk allowed vlan|general)\b|^(?:interface|exit|monitor session)\b|^!/;

/** One line of a port's block that no dialect reads. */
export const unknownLine = fc
  .oneof(
    fc.constantFrom(...constructs),
    fc.array(words, { minLength: 1, maxLength: 5 }).map((list) => list.join(' ')),
    noise,
  )
  .map((line) => line.trim())
  .filter((line) => line !== '' && !read.test(line));

/** A line inside another one: whatever it says, it does not say it of the port. */
export const nestedLine = fc.oneof(
  unknownLine,
  fc.constantFrom('shutdown', 'no shutdown', 'switchport trunk allowed vlan none', 'switchport mode access'),
);

const name = fc.constantFrom('Gi1/0/1', 'Ethernet1', 'ethernet1/1/1', 'gi1/0/5', 'Vlan100');

/** A message of a switch's log, in the forms that vendors use. */
export const logLine = name.chain((port) =>
  fc.constantFrom(
    `%LINK-5-CHANGED: Interface ${port}, changed state to administratively down`,
    `*Mar  1 00:12:33.123: %LINEPROTO-5-UPDOWN: Line protocol on Interface ${port}, changed state to up`,
    `Nov 16 02:00:00.123 UTC: %SYS-5-CONFIG_I: Configured from console by corral on vty0 (192.0.2.9)`,
    `2026 Nov 16 02:00:00 n5k-rack3 %ETHPORT-5-IF_DOWN_ADMIN_DOWN: Interface ${port} is down (Administratively down)`,
    `Nov 16 02:00:00 leaf-3 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface ${port}, changed state to down`,
    `<165>1 2026-11-16T02:00:00.616888+00:00 OS10 dn_ifm 669 - - Node.1-Unit.1:PRI [event], Dell EMC (OS10) %IFM_ASTATE_DN: Interface admin state down :${port}`,
    `%Node.1-Unit.1:PRI [event], Dell EMC (OS10) %IFM_OSTATE_UP: Interface operational state is up :${port}`,
    `%IFM_ASTATE_UP: Interface admin state up :${port}`,
    `<189> Nov 16 02:00:00 192.0.2.20-1 TRAPMGR[151815556]: traputil.c(721) 1234 %% Link Down: ${port}`,
    `16-Nov-2026 02:00:00 %LINK-W-Down:  ${port}`,
  ),
);
