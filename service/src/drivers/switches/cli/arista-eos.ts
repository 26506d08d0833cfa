import type { PortConfig } from '../switch-contract.ts';
import type { Dialect } from './dialect.ts';
import { aristaPortsIn } from './arista-sections.ts';
import { eosMacTable } from './mac-tables.ts';
import { passwordOrKeyLogin } from './cli-login.ts';
import { portNamer } from './cli-port-names.ts';
import { commonModes, portLines, trunkLines, vlanCommands } from './switchport-lines.ts';
import { wireByName } from '../port-wires.ts';

const portName = portNamer({ et: 'Ethernet' }, 'Ethernet1');

/** An idle port is a trunk that allows nothing and drops what has no tag: dead even if somebody opens it. */
const carry = (wanted: PortConfig): readonly string[] =>
  wanted.native !== null && wanted.tagged.length === 0
    ? ['switchport trunk allowed vlan none', `switchport access vlan ${wanted.native}`, 'switchport mode access']
    : [
        'switchport trunk allowed vlan none',
        ...trunkLines(wanted, wanted.native ?? 'tag'),
        'switchport mode trunk',
        'no switchport access vlan',
      ];

/** A routed port is switched first: with its own lines alone it would stay what it is. */
const switched = (wanted: PortConfig): readonly string[] => ['switchport', ...carry(wanted)];

/** Arista switches with EOS. */
export const aristaEos: Dialect = {
  config: passwordOrKeyLogin(),
  capabilities: ['nativeless-trunk-mode'],
  portName,
  wire: wireByName,
  syntax: {
    prompt: /^([\w.:/-]+)(?:\([\w.,/ -]+\))*[>#]$/,
    errors: [/^% ?\S/, /^! Interface does not exist/],
    questions: [{ asked: /^ ?--More--$/, key: ' ' }],
    setup: ['terminal length 0', 'terminal width 32767'],
    enable: { from: />$/, command: 'enable', password: /^Password:$/ },
  },
  enter: ['configure'],
  leave: ['end'],
  vlans: vlanCommands,
  port: (change) =>
    portLines(change, trunkLines(change.wanted, change.wanted.native ?? 'tag'), switched(change.wanted)),
  modes: { ...commonModes, vlan: /\(config(?:-vlan-[\d,-]+)?\)#$/, port: /\(config-if-[\w./-]+\)#$/ },
  read: {
    // A port's own block does not show its subinterfaces, and no block shows mirrors.
    one: (port) => [
      `show running-config interfaces ${port}`,
      `show running-config | include ^interface ${port}\\.|^monitor session`,
    ],
    all: ['show running-config interfaces', 'show running-config | include ^monitor session'],
    parse: (answers) => aristaPortsIn(answers, portName),
  },
  neighbours: eosMacTable,
  save: ['write memory'],
};
