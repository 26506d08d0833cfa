import {
  type LabPort,
  type ScriptedSwitch,
  startAristaEos,
  startCiscoIos,
  startCiscoNxos,
  startDellN3000,
  startDellOs10,
  startPowerConnect55xx,
} from '@corral/lab';

/** Something that a vendor's manual puts on a port, and what the port carries because of it. */
export interface Construct {
  readonly what: string;
  /** Lines of the port's block. */
  readonly lines?: readonly string[];
  /** A block outside of it; `PORT` stands for the port. */
  readonly elsewhere?: readonly string[];
  readonly carries: LabPort;
  /** Part of what the operator is told. */
  readonly told: string;
  /** The port stays open although its block says `shutdown`, or that cannot be known. */
  readonly isNeverShut?: true;
}

const tagged = (...vlans: number[]): LabPort => ({ native: null, tagged: vlans });
const some: LabPort = { native: null, tagged: [100, 200] };

/** Lines, told by the first of them. */
const construct = (what: string, lines: readonly string[], carries: LabPort = some): Construct => ({
  what,
  lines,
  carries,
  told: lines[0]?.trim() ?? '',
});

/** For every dialect: a switch of its kind, and what its vendor knows beside access ports and trunks. */
export const portConstructs: Readonly<
  Record<string, { readonly start: () => Promise<ScriptedSwitch>; readonly constructs: readonly Construct[] }>
> = {
  'arista-eos': {
    start: () => startAristaEos(),
    constructs: [
      construct('a member of a bundle', ['channel-group 5 mode active']),
      construct('an interface profile', ['profile SERVERS']),
      construct('a VLAN for telephones', ['switchport phone vlan 200', 'switchport phone trunk tagged'], tagged(200)),
      construct('802.1X with a VLAN chosen by a server', ['dot1x pae authenticator', 'dot1x port-control auto']),
      construct('trunk groups', ['switchport trunk group STORAGE'], tagged(200)),
      construct('VLAN translation', ['switchport vlan translation 100 200'], tagged(200)),
      construct('a traffic policy', ['traffic-policy input REDIRECT']),
      {
        what: 'a routed port with a bridged subinterface',
        lines: ['no switchport'],
        elsewhere: ['interface PORT.100', '   encapsulation dot1q vlan 100', '   vlan id 100'],
        carries: tagged(100),
        told: 'interface PORT.100',
      },
      {
        what: 'the destination of a mirror',
        elsewhere: ['monitor session TAP destination PORT'],
        carries: some,
        told: 'monitor session TAP destination',
      },
    ],
  },
  'cisco-ios': {
    start: () => startCiscoIos(),
    constructs: [
      construct('a member of a bundle', ['channel-group 5 mode on']),
      construct('service instances', [
        'service instance 10 ethernet',
        ' encapsulation dot1q 100',
        ' shutdown',
        ' bridge-domain 100',
      ]),
      construct('802.1X, MAB and a guest VLAN', [
        'authentication event no-response action authorize vlan 300',
        'authentication port-control auto',
        'mab',
        'dot1x pae authenticator',
      ]),
      construct('identity-based sessions', ['access-session port-control auto']),
      construct('a template', ['source template SERVERS']),
      construct('selective QinQ', ['switchport vlan mapping 100 dot1q-tunnel 200'], tagged(200)),
      construct('a private VLAN', ['switchport private-vlan mapping 100 200'], tagged(200)),
      construct('Flex Links', ['switchport backup interface Gi1/0/48']),
      construct('tunnelled protocols', ['l2protocol-tunnel cdp']),
      {
        what: 'the destination of a mirror, among others',
        elsewhere: ['monitor session 1 destination interface Gi1/0/40 , PORT encapsulation replicate'],
        carries: some,
        told: 'monitor session 1 destination interface',
      },
    ],
  },
  'cisco-nxos': {
    start: () => startCiscoNxos({ series: 5000 }),
    constructs: [
      construct('a member of a bundle', ['channel-group 5 force mode active']),
      { ...construct('a port profile', ['inherit port-profile SERVERS']), isNeverShut: true },
      construct('selective QinQ', ['switchport vlan mapping 100 dot1q-tunnel 200'], tagged(200)),
      construct('VLAN translation', ['switchport vlan mapping enable', 'switchport vlan mapping 100 200'], tagged(200)),
      construct('a VLAN for telephones', ['switchport voice vlan 200'], tagged(200)),
      construct('the destination of a mirror', ['switchport monitor']),
      construct('802.1X', ['dot1x port-control auto', 'dot1x host-mode multi-auth']),
      construct('a private VLAN', ['switchport private-vlan host-association 100 200'], tagged(200)),
      construct('a fabric extender', ['fex associate 101']),
    ],
  },
  'dell-os10': {
    start: () => startDellOs10(),
    constructs: [
      construct('a member of a bundle', ['channel-group 5 mode active']),
      construct('802.1X', ['dot1x port-control auto', 'dot1x auth-fail-vlan 300']),
      construct('a private VLAN', ['private-vlan mode promiscuous']),
      construct('a virtual network', ['switchport access virtual-network 10']),
      construct('VLAN translation', ['vlan-stack access']),
      construct('a port profile of a port group', ['port-profile 25g-4x']),
      {
        what: 'the destination of a mirror',
        elsewhere: [
          'monitor session 3',
          ' destination interface PORT',
          ' source interface ethernet1/1/8 both',
          ' no shut',
        ],
        carries: some,
        told: 'destination interface PORT',
      },
    ],
  },
  delln3000: {
    start: () => startDellN3000(),
    constructs: [
      construct('a member of a bundle', ['channel-group 5 mode active']),
      construct('a VLAN for telephones', ['voice vlan 200'], tagged(200)),
      construct('802.1X with a guest VLAN', ['authentication port-control auto', 'dot1x guest-vlan 300'], tagged(300)),
      construct('a tunnel', ['switchport dot1q ethertype 802.1Q']),
      construct('a private VLAN', ['switchport private-vlan host-association 100 200'], tagged(200)),
      {
        what: 'the destination of a mirror',
        elsewhere: ['monitor session 1 destination interface PORT'],
        carries: some,
        told: 'monitor session 1 destination interface',
      },
    ],
  },
  powerconnect55xx: {
    start: () => startPowerConnect55xx(),
    constructs: [
      construct('a member of a bundle', ['channel-group 1 mode auto']),
      construct('a VLAN for telephones', ['voice vlan enable']),
      construct('802.1X with a guest VLAN', ['dot1x port-control auto', 'dot1x guest-vlan enable']),
      construct('the destination of a mirror', ['port monitor gi1/0/48']),
      construct('a multicast VLAN', ['switchport access multicast-tv vlan 200'], tagged(200)),
      construct(
        'frames that are put into VLANs by address',
        ['switchport general map macs-group 1 vlan 200'],
        tagged(200),
      ),
      construct('GVRP', ['gvrp enable']),
    ],
  },
};
