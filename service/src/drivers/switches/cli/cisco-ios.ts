import type { PortConfig } from '../contract.ts';
import type { Dialect, Line } from './dialect.ts';
import { interfaceSections, switchportIn } from './interface-sections.ts';
import { dummyVlan, passwordOrKeyLogin } from './login.ts';
import { portNamer } from './port-names.ts';
import { isSameTrunk, trunkLines, whileShut } from './switchport-lines.ts';
import { vlanLists } from '../vlans.ts';

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

/** On a port that is shut: everything that decides what it would carry. */
const carry = (wanted: PortConfig, deadVlan: number): readonly Line[] =>
  wanted.tagged.length === 0
    ? [
        'switchport mode access',
        `switchport access vlan ${wanted.native ?? deadVlan}`,
        { attempt: 'switchport trunk allowed vlan none' },
      ]
    : [
        // Models that know ISL want to be told; the others do not know the command.
        { attempt: 'switchport trunk encapsulation dot1q' },
        ...trunkLines(wanted, wanted.native ?? deadVlan),
        'switchport mode trunk',
        `switchport access vlan ${deadVlan}`,
      ];

/** Nothing beside the wanted VLANs: no telephones, no negotiation with the other end. */
const quiet: readonly Line[] = ['no switchport voice vlan', { attempt: 'switchport nonegotiate' }];

/** Cisco Catalyst switches with IOS or IOS XE. */
export const ciscoIos: Dialect = {
  config: passwordOrKeyLogin({ dummy_vlan: dummyVlan }),
  capabilities: ['nativeless-trunk-mode'],
  portName,
  console: {
    prompt: /^([\w.:/-]+)(?:\([\w-]+\))?[>#]$/,
    errors: [/^% ?\S/, /^Command rejected/],
    // The third is the system log, for those who have it shown on their terminal.
    remarks: [/^% ?Warning/i, /^% Access VLAN does not exist\. Creating vlan/, /^%[A-Z0-9_]+-\d-[A-Z0-9_]+:/],
    questions: [{ asked: /^ ?--More--$/, key: ' ' }],
    setup: ['terminal length 0', 'terminal width 511'],
    enable: { from: />$/, command: 'enable', password: /^Password:$/ },
  },
  enter: ['configure terminal'],
  leave: ['end'],
  // A VLAN is made when its mode is left: that is where a refusal is said.
  vlans: (ids) => vlanLists(ids).flatMap((list) => [`vlan ${list}`, 'exit']),
  port: (change) => {
    const { wanted, deadVlan } = change;
    const dead = deadVlan ?? 1;
    const lines = isSameTrunk(change)
      ? [...trunkLines(wanted, wanted.native ?? dead), ...quiet]
      : whileShut(change, [...carry(wanted, dead), ...quiet]);
    return [`interface ${wanted.port}`, ...lines];
  },
  portPrompt: /\(config-if\)#$/,
  read: {
    one: (port) => [`show running-config interface ${port}`],
    all: ['show running-config | section ^interface'],
    parse: (text) =>
      interfaceSections(text).flatMap((section) => {
        const port = portName(section.name);
        return typeof port === 'string' ? [switchportIn(section, port, { mode: 'dynamic' })] : [];
      }),
  },
  save: ['write memory'],
};
