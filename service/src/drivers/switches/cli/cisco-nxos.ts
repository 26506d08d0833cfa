import type { TSchema } from '@sinclair/typebox';
import type { PortConfig } from '../switch-contract.ts';
import type { Dialect } from './dialect.ts';
import { portsFrom } from './ports-from-config.ts';
import { interfaceSections, type Section } from './config-sections.ts';
import { switchportIn, switchportLines } from './interface-sections.ts';
import { beginningWith, commonLines, type KnownLines } from './known-lines.ts';
import { nxosMacTable } from './mac-tables.ts';
import { dummyVlan, passwordLogin, passwordOrKeyLogin } from './cli-login.ts';
import { portNamer } from './cli-port-names.ts';
import { commonModes, portLines, trunkLines, vlanCommands } from './switchport-lines.ts';
import { wireByName } from '../port-wires.ts';

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

/** What NX-OS has on a port that is understood. */
const known: KnownLines = {
  read: switchportLines,
  plain: [
    ...commonLines,
    beginningWith('ip address|mac-address|shutdown lan|hardware|logging event port|load-interval counter'),
    /^vpc orphan-port suspend$/,
  ],
  // `shutdown` is read from what is shown with all defaults: it may be the model's, and the profile's word counts.
  opening: [/^inherit port-profile /],
};

/** The block of a port with its defaults beside it: only with these it is known whether it is switched, and open. */
const withDefaults = (section: Section, defaults: readonly Section[]): Section => {
  const own = defaults.find(({ name }) => name === section.name);
  if (!own) throw new Error(`the switch does not show the defaults of ${section.name.slice(0, 40)}`);
  const read = own.lines
    .filter(({ text }) => switchportLines.test(text))
    .map(({ text }) => ({ text, isNested: false }));
  return { ...section, lines: [...section.lines, ...read] };
};

/** Only these lines: with all defaults a block has hundreds. */
const defaults = 'egrep "^interface|switchport|shutdown"';

const around = [/^version \S+(?: Bios:version.*)?$/];

const nxos = ({ config, example, hasLegacyType }: Family): Dialect => {
  const portName = portNamer({ eth: 'Ethernet' }, example);
  return {
    config,
    capabilities: ['nativeless-trunk-mode'],
    ...(hasLegacyType && { hasLegacyType }),
    portName,
    wire: wireByName,
    syntax: {
      prompt: /^([\w.:/-]+)(?:\([\w-]+\))?#$/,
      errors: [
        /^% ?\S/,
        /^ERROR\b/i,
        /^(?:Invalid|Incomplete|Ambiguous) .*marker/,
        /^Command rejected/,
        /^Syntax error while parsing/,
        /^command failed/i,
      ],
      remarks: [/^Enter configuration commands, one per line/],
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
    vlans: vlanCommands,
    port: (change) => {
      const { wanted, deadVlan } = change;
      const dead = deadVlan ?? 1;
      return portLines(change, trunkLines(wanted, wanted.native ?? dead), carry(wanted, dead));
    },
    modes: { ...commonModes, vlan: /\(config(?:-vlan)?\)#$/, port: /\(config-if\)#$/ },
    read: {
      // Models differ in what they are by default, routed or switched, shut or not: `all` leaves nothing out.
      one: (port) => [
        `show running-config interface ${port}`,
        `show running-config interface ${port} all | ${defaults}`,
      ],
      all: ['show running-config interface', `show running-config interface all | ${defaults}`],
      parse: ([blocks = '', all = '']) => {
        const shown = interfaceSections(all, { around });
        return portsFrom(
          interfaceSections(blocks, { around }),
          portName,
          (section, port) => switchportIn(withDefaults(section, shown), port, known, { mode: 'access' }),
          // The destination of a mirror has `switchport monitor` in its block.
          { mirrors: { ports: new Map(), unread: null } },
        );
      },
    },
    neighbours: nxosMacTable,
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
