import type { TSchema } from '@sinclair/typebox';
import type { PortConfig } from '../contract.ts';
import type { Dialect } from './dialect.ts';
import { interfaceSections, switchportIn } from './interface-sections.ts';
import { dummyVlan, passwordLogin, passwordOrKeyLogin } from './login.ts';
import { portNamer } from './port-names.ts';
import { isSameTrunk, trunkLines, whileShut } from './switchport-lines.ts';
import { vlanLists } from '../vlans.ts';

/** What differs between the two names that these switches go by. */
interface Family {
  readonly config: TSchema;
  readonly example: string;
  readonly hasLegacyType?: true;
}

/** Always a trunk. Its native VLAN is not allowed where nothing shall go without a tag. */
const carry = (wanted: PortConfig, deadVlan: number): readonly string[] => [
  // Where ports are routed by default nothing else is taken before this.
  'switchport',
  'switchport mode trunk',
  'switchport trunk allowed vlan none',
  ...trunkLines(wanted, wanted.native ?? deadVlan),
];

const nxos = ({ config, example, hasLegacyType }: Family): Dialect => {
  const portName = portNamer({ eth: 'Ethernet' }, example);
  return {
    config,
    capabilities: ['nativeless-trunk-mode'],
    ...(hasLegacyType && { hasLegacyType }),
    portName,
    console: {
      prompt: /^([\w.:/-]+)(?:\([\w-]+\))?#$/,
      errors: [/^% ?\S/, /^ERROR\b/i, /^(?:Invalid|Incomplete|Ambiguous) .*marker/, /^Command rejected/],
      questions: [
        { asked: /^ ?--More--$/, key: ' ' },
        // Some models ask before a new list of allowed VLANs replaces another.
        { asked: /Continue anyway\? \[no\]$/, key: 'yes\n' },
      ],
      setup: ['terminal length 0', 'terminal width 511'],
    },
    enter: ['configure terminal'],
    leave: ['end'],
    leavesDeadVlan: true,
    vlans: (ids) => vlanLists(ids).flatMap((list) => [`vlan ${list}`, 'exit']),
    port: (change) => {
      const { wanted, deadVlan } = change;
      const dead = deadVlan ?? 1;
      const lines = isSameTrunk(change)
        ? trunkLines(wanted, wanted.native ?? dead)
        : whileShut(change, carry(wanted, dead));
      return [`interface ${wanted.port}`, ...lines];
    },
    portPrompt: /\(config-if\)#$/,
    read: {
      // Models differ in what they are by default, routed or switched, shut or not: `all` leaves nothing out.
      one: (port) => [`show running-config interface ${port} all`],
      all: ['show running-config interface all | egrep "^interface|switchport|shutdown"'],
      parse: (text) =>
        interfaceSections(text).flatMap((section) => {
          const port = portName(section.name);
          return typeof port === 'string' ? [switchportIn(section, port, { mode: 'access' })] : [];
        }),
    },
    save: ['copy running-config startup-config'],
  };
};

/** Cisco Nexus switches with NX-OS. */
export const ciscoNxos = nxos({ config: passwordOrKeyLogin({ dummy_vlan: dummyVlan }), example: 'Ethernet1/1' });

/** Cisco Nexus switches as existing clients register them. */
export const nexus = nxos({
  config: passwordLogin({ dummy_vlan: dummyVlan }),
  example: 'ethernet 1/42',
  hasLegacyType: true,
});
