import type { PortConfig } from '../switch-contract.ts';
import { dellPortName, dellWire } from './dell-names.ts';
import { dellRead, passesAll, passing } from './dell-ports.ts';
import { vlanOf, vlansOf } from './dell-tables.ts';
import type { Dialect, PortChange } from './dialect.ts';
import { passwordLogin } from './cli-login.ts';
import { commonModes, portLines } from './switchport-lines.ts';
import { carriedBy, vlanLists } from '../vlan-lists.ts';

const allow = (verb: 'add' | 'remove', vlans: readonly number[]): readonly string[] =>
  vlanLists(vlans).map((list) => `switchport trunk allowed vlan ${verb} ${list}`);

/**
 * Always a trunk. The native VLAN goes first and comes last: if it is taken from the list while it is the native
 * one, the switch puts the port into VLAN 1 instead.
 */
const carry = (wanted: PortConfig): readonly string[] => [
  'switchport mode trunk',
  'switchport trunk native vlan none',
  'switchport trunk allowed vlan none',
  ...allow('add', carriedBy(wanted)),
  ...(wanted.native === null ? [] : [`switchport trunk native vlan ${wanted.native}`]),
];

/** A trunk that stays one gets only what differs, and its link stays up. */
const difference = ({ wanted, was }: PortChange): readonly string[] => [
  `switchport trunk native vlan ${wanted.native ?? 'none'}`,
  ...allow(
    'remove',
    was.tagged.filter((vlan) => !wanted.tagged.includes(vlan)),
  ),
  ...allow(
    'add',
    wanted.tagged.filter((vlan) => !was.tagged.includes(vlan)),
  ),
];

/** Dell PowerConnect switches of the 5500 series. */
export const powerconnect55xx: Dialect = {
  config: passwordLogin(),
  capabilities: ['nativeless-trunk-mode'],
  hasLegacyType: true,
  portName: dellPortName,
  wire: dellWire,
  syntax: {
    prompt: /^([\w.:/-]+)(?:\([\w./-]+\))?[>#]$/,
    errors: [/^% ?\S/, /\bnot created\b/i, /locked by another/i, /^(?:Error|Failed|Cannot|Invalid|Illegal)\b/i],
    questions: [
      { asked: /^More: <space>, .*One line: <(?:return|CR)>$/, key: ' ' },
      { asked: /^Overwrite file .*(?:for no\]\.+|\(Y\/N\)(?:\[N\])? ?\?)$/, key: 'y' },
    ],
    setup: ['terminal datadump'],
    login: { user: /^User Name: ?$/, password: /^Password: ?$/ },
    enable: { from: />$/, command: 'enable', password: /^Password: ?$/ },
  },
  enter: ['configure'],
  leave: ['end'],
  vlans: (ids) => ['vlan database', ...vlanLists(ids).map((list) => `vlan ${list}`), 'exit'],
  port: (change) => portLines(change, difference(change), carry(change.wanted)),
  modes: { ...commonModes, vlan: /\(config(?:-vlan)?\)#$/, port: /\(config-if\)#$/ },
  read: dellRead('Name', (table, port) => {
    const other = ['access multicast tv vlan', 'classification rules'].find((key) => !table.isEmpty(key));
    if (other !== undefined) return passesAll(port, `${other}: ${table.value(other)}`);
    const mode = table.value('administrative mode');
    switch (mode.toLowerCase()) {
      case 'access':
        return { port, native: vlanOf(table.value('access mode vlan')), tagged: [] };
      case 'trunk':
        return passing(
          port,
          vlanOf(table.value('trunking native mode vlan')),
          vlansOf(table.value('trunking vlans enabled')),
        );
      default:
        return passesAll(port, `Administrative Mode: ${mode}`);
    }
  }),
  save: ['copy running-config startup-config'],
};
