import type { PortConfig } from '../switch-contract.ts';
import type { Dialect, Line } from './dialect.ts';
import { portsFrom } from './ports-from-config.ts';
import { interfaceSections } from './config-sections.ts';
import { switchportIn, switchportLines } from './interface-sections.ts';
import { beginningWith, commonLines, type KnownLines } from './known-lines.ts';
import { iosMacTable } from './mac-tables.ts';
import { dummyVlan, passwordOrKeyLogin } from './cli-login.ts';
import { mirrorsIn } from './port-mirrors.ts';
import { portNamer } from './cli-port-names.ts';
import { commonModes, portLines, trunkLines, vlanCommands } from './switchport-lines.ts';

const portName = portNamer(
  {
    fa: 'FastEthernet',
    gi: 'GigabitEthernet',
    tw: 'TwoGigabitEthernet',
    fi: 'FiveGigabitEthernet',
    te: 'TenGigabitEthernet',
    twe: 'TwentyFiveGigE',
    fo: 'FortyGigabitEthernet',
    hu: 'HundredGigE',
  },
  'GigabitEthernet1/0/1',
);

/**
 * The sockets of a network module (the second of three numbers is not 0) have a name of every kind that a module can be
 * of: Gi1/1/1, Te1/1/1, Fo1/1/1. On the switch itself Gi1/0/1 and Te1/0/1 can be two sockets.
 */
const wire = (port: string): string => /^[A-Za-z]+(\d+\/[1-9]\d*\/\d+)$/.exec(port)?.[1] ?? port;

/** On a port that is shut: everything that decides what it would carry. */
const carry = (wanted: PortConfig, deadVlan: number): readonly Line[] =>
  wanted.tagged.length === 0
    ? [
        'switchport mode access',
        `switchport access vlan ${wanted.native ?? deadVlan}`,
        { attempt: 'switchport trunk allowed vlan none' },
      ]
    : [
        // Models with ISL need this command; the others do not know it.
        { attempt: 'switchport trunk encapsulation dot1q' },
        ...trunkLines(wanted, wanted.native ?? deadVlan),
        'switchport mode trunk',
        `switchport access vlan ${deadVlan}`,
      ];

/** Nothing beside the wanted VLANs: no telephones, no negotiation with the other end. */
const quiet: readonly Line[] = ['no switchport voice vlan', { attempt: 'switchport nonegotiate' }];

/** What IOS has on a port that is understood. A voice VLAN is not, and goes with every change. */
const known: KnownLines = {
  read: switchportLines,
  plain: [
    ...commonLines,
    beginningWith('ip device tracking|ip verify source|ip address|mdi|rmon|arp timeout|eee|energywise'),
    /^switchport trunk encapsulation dot1q$/,
    /^switchport voice vlan none$/,
    /^macro description .*$/,
  ],
  replaced: [/^switchport voice vlan /],
};

/** Cisco Catalyst switches with IOS or IOS XE. */
export const ciscoIos: Dialect = {
  config: passwordOrKeyLogin({ dummy_vlan: dummyVlan }),
  capabilities: ['nativeless-trunk-mode'],
  portName,
  wire,
  syntax: {
    prompt: /^([\w.:/-]+)(?:\([\w-]+\))?[>#]$/,
    errors: [/^% ?\S/, /^Command rejected/],
    remarks: [
      /^Enter configuration commands, one per line/,
      /^% ?Warning/i,
      /^% Access VLAN does not exist\. Creating vlan/,
    ],
    questions: [{ asked: /^ ?--More--$/, key: ' ' }],
    setup: ['terminal length 0', 'terminal width 511'],
    enable: { from: />$/, command: 'enable', password: /^Password:$/ },
  },
  enter: ['configure terminal'],
  leave: ['end'],
  vlans: vlanCommands,
  port: (change) => {
    const { wanted, deadVlan } = change;
    const dead = deadVlan ?? 1;
    const lists = [...trunkLines(wanted, wanted.native ?? dead), ...quiet];
    return portLines(change, lists, [{ attempt: 'switchport' }, ...carry(wanted, dead), ...quiet]);
  },
  modes: { ...commonModes, vlan: /\(config(?:-vlan)?\)#$/, port: /\(config-if\)#$/ },
  read: {
    // No block shows that its port is the destination of a mirror.
    one: (port) => [`show running-config interface ${port}`, 'show running-config | include ^monitor session'],
    all: ['show running-config | section ^interface', 'show running-config | include ^monitor session'],
    parse: ([blocks = '', mirrors = '']) =>
      portsFrom(
        interfaceSections(blocks, { around }),
        portName,
        (section, port) => switchportIn(section, port, known, { mode: 'dynamic' }),
        { mirrors: mirrorsIn(mirrors, portName, around) },
      ),
  },
  neighbours: iosMacTable,
  save: ['write memory'],
};

/** What stands around the blocks of an answer. */
const around = [/^Building configuration\.\.\.$/, /^Current configuration : \d+ bytes$/, /^end$/];
