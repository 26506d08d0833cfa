import { aristaEos } from '../../../src/drivers/switches/cli/arista-eos.ts';
import { ciscoIos } from '../../../src/drivers/switches/cli/cisco-ios.ts';
import { ciscoNxos } from '../../../src/drivers/switches/cli/cisco-nxos.ts';
import { dellOs10 } from '../../../src/drivers/switches/cli/dell-os10.ts';
import { delln3000 } from '../../../src/drivers/switches/cli/delln3000.ts';
import type { Dialect, ShownPort } from '../../../src/drivers/switches/cli/dialect.ts';
import { powerconnect55xx } from '../../../src/drivers/switches/cli/powerconnect55xx.ts';

/** How a device shows one port: the answers to what its dialect asks, with these lines in the port's block. */
export interface CliSample {
  readonly dialect: Dialect;
  readonly port: string;
  /** Lines of the port's block, as the vendor's manual shows them, for a port in some state that is understood. */
  readonly blocks: readonly (readonly string[])[];
  answers(block: readonly string[]): readonly string[];
}

/** Lines in front of which a port's block may stand in the first answer of most devices. */
const block = (port: string, lines: readonly string[], indent: string): string =>
  [`interface ${port}`, ...lines.map((line) => `${indent}${line}`)].join('\n');

const trunk = [
  'switchport trunk native vlan 100',
  'switchport trunk allowed vlan 100-102,200',
  'switchport mode trunk',
];
const access = ['description node 7', 'switchport access vlan 100', 'switchport mode access', 'mtu 9214'];
const wrappedTrunk = [
  'switchport trunk allowed vlan 100,102,104',
  'switchport trunk allowed vlan add 106,108',
  'switchport mode trunk',
  'spanning-tree portfast',
];
const none = ['switchport trunk allowed vlan none', 'switchport mode trunk'];
const common = [access, trunk, wrappedTrunk, none, [...access, 'shutdown']];

const dellTable = (lines: readonly string[], nameKey: 'Port' | 'Name'): string =>
  [`${nameKey}: gi1/0/5`, ...lines, ''].join('\n');
const dellRow = 'gi1/0/5   node 7   Full    1000   Auto  1518   Up\n';
const running = (lines: readonly string[]): string =>
  ['!Current Configuration:', 'configure', 'vlan 100-102', 'exit', 'interface Gi1/0/4', 'shutdown', 'exit', '!'].join(
    '\n',
  ) + `\ninterface Gi1/0/5\n${lines.join('\n')}\nexit\n!\nexit\n`;

/** Every dialect that reads text, with a port in the states that it understands. */
export const cliSamples: Readonly<Record<string, CliSample>> = {
  'arista-eos': {
    dialect: aristaEos,
    port: 'Ethernet1',
    blocks: [...common, []],
    answers: (lines) => [`${block('Ethernet1', lines, '   ')}\ninterface Ethernet2\n   shutdown\n`, ''],
  },
  'cisco-ios': {
    dialect: ciscoIos,
    port: 'GigabitEthernet1/0/1',
    blocks: common,
    answers: (lines) => [
      `Building configuration...\n\nCurrent configuration : 77 bytes\n!\n${block('GigabitEthernet1/0/1', lines, ' ')}\nend\n\n`,
      'monitor session 1 source interface Gi1/0/4\nmonitor session 1 destination interface Gi1/0/3\n',
    ],
  },
  'cisco-nxos': {
    dialect: ciscoNxos,
    port: 'Ethernet1/1',
    blocks: common.map((lines) => ['switchport', ...lines]),
    answers: (lines) => [
      `\n!Command: show running-config interface Ethernet1/1\nversion 9.3(8)\n\n${block('Ethernet1/1', lines, '  ')}\n\n`,
      block('Ethernet1/1', [...lines.filter((line) => /^(?:switchport|shutdown)/.test(line))], '  '),
    ],
  },
  'dell-os10': {
    dialect: dellOs10,
    port: 'ethernet1/1/1',
    blocks: [
      ['no shutdown', 'switchport access vlan 100', 'flowcontrol receive on'],
      [
        'no shutdown',
        'switchport mode trunk',
        'switchport access vlan 100',
        'switchport trunk allowed vlan 101-102,200',
      ],
      ['no shutdown', 'switchport mode trunk', 'switchport trunk allowed vlan 101'],
      ['no shutdown', 'switchport mode trunk'],
      ['shutdown', 'switchport mode trunk'],
    ],
    answers: (lines) => [
      `!\n${block('ethernet1/1/1', lines, ' ')}\n!\ninterface ethernet1/1/2\n no shutdown\n`,
      '!\nmonitor session 1\n destination interface ethernet1/1/9\n source interface ethernet1/1/8 both\n no shut\n',
    ],
  },
  delln3000: {
    dialect: delln3000,
    port: 'gi1/0/5',
    blocks: [['description "node 7"', 'switchport mode trunk', 'switchport trunk allowed vlan 100-102'], ['mtu 9216']],
    answers: (lines) => [
      dellTable(
        [
          'VLAN Membership Mode: Trunk Mode',
          'Access Mode VLAN: 1 (default)',
          'General Mode Dynamically Added VLANs:',
          'Trunking Mode Native VLAN: 100',
          'Trunking Mode Native VLAN Tagging: Disabled',
          'Trunking Mode VLANs Enabled: 100-102,110,\n                             200,210',
          'Private VLAN Host Association: none',
          'Private VLAN Mapping:',
          'Default Priority: 0',
        ],
        'Port',
      ),
      dellRow,
      running(lines),
    ],
  },
  powerconnect55xx: {
    dialect: powerconnect55xx,
    port: 'gi1/0/5',
    blocks: [['switchport mode trunk', 'switchport trunk allowed vlan add 100-102'], ['description node7']],
    answers: (lines) => [
      dellTable(
        [
          'Switchport: enable',
          'Administrative Mode: trunk',
          'Access Mode VLAN: none',
          'Access Multicast TV VLAN: none',
          'Trunking Native Mode VLAN: 100',
          'Trunking VLANs Enabled: 100 - 102, 110\n                        200 (Inactive)',
          'General PVID: 1',
          'Classification rules:',
        ],
        'Name',
      ),
      dellRow,
      running(lines),
    ],
  },
};

/** What the dialect makes of these answers; null: a fault, or an answer that is asked for again. */
export const readingOf = ({ dialect, port }: CliSample, answers: readonly string[]): ShownPort | null => {
  try {
    return dialect.read.parse(answers, 998).find((state) => state.port === port) ?? null;
  } catch {
    return null;
  }
};
