import type { PortConfig } from '../switch-contract.ts';
import { dellPortName, dellWire } from './dell-names.ts';
import { dellRead, passesAll, passing } from './dell-ports.ts';
import { type PortTable, vlanOf, vlansOf } from './dell-tables.ts';
import type { Dialect, ShownPort } from './dialect.ts';
import { dummyVlan, passwordLogin } from './cli-login.ts';
import { allowedLines, commonModes, isSameTrunk, vlanCommands, whileShut } from './switchport-lines.ts';

/** The native VLAN has to be allowed when it is chosen. The mode comes last: a port in another one carries on till then. */
const trunkOf = (wanted: PortConfig): readonly string[] => [
  ...allowedLines(wanted),
  ...(wanted.native === null ? [] : [`switchport trunk native vlan ${wanted.native}`]),
  'switchport mode trunk',
];

/** A native VLAN that nobody uses, and that is allowed no more, means that nothing goes without a tag. */
const carry = (wanted: PortConfig, deadVlan: number): readonly string[] => [
  `switchport trunk allowed vlan ${deadVlan}`,
  `switchport trunk native vlan ${deadVlan}`,
  ...trunkOf(wanted),
];

const trunk = (table: PortTable, port: string): PortConfig => {
  const native = vlanOf(table.value('trunking mode native vlan'));
  const vlans = vlansOf(table.value('trunking mode vlans enabled'));
  return /^disabled?$/i.test(table.value('trunking mode native vlan tagging'))
    ? passing(port, native, vlans)
    : { port, native: null, tagged: vlans };
};

/** A general port is read exactly where it could as well be a trunk, and as one that passes all where it could not. */
const general = (table: PortTable, port: string): ShownPort => {
  const pvid = vlanOf(table.value('general mode pvid'));
  const untagged = vlansOf(table.value('general mode untagged vlans'));
  const isFiltered = /^enabled?$/i.test(table.value('general mode ingress filtering'));
  const takesAll = /^admit all$/i.test(table.value('general mode acceptable frame type'));
  const isPlain = takesAll && isFiltered && untagged.length <= 1 && untagged.every((vlan) => vlan === pvid);
  const tagged = vlansOf(table.value('general mode tagged vlans'));
  return isPlain
    ? { port, native: untagged[0] ?? null, tagged }
    : passesAll(port, 'VLAN Membership Mode: General Mode');
};

/** What else may put a port into a VLAN. */
const others = [
  'general mode dynamically added vlans',
  'private vlan host association',
  'private vlan mapping',
  'private vlan operational bindings',
];

const openPort = (table: PortTable, port: string): ShownPort => {
  const other = others.find((key) => !table.isEmpty(key));
  if (other !== undefined) return passesAll(port, `${other}: ${table.value(other)}`);
  const mode = table.value('vlan membership mode');
  switch (mode.toLowerCase()) {
    case 'access mode':
      return { port, native: vlanOf(table.value('access mode vlan')), tagged: [] };
    case 'trunk mode':
      return trunk(table, port);
    case 'general mode':
      return general(table, port);
    default:
      return passesAll(port, `VLAN Membership Mode: ${mode}`);
  }
};

/** Dell switches of the N series: N3000 and those like it. */
export const delln3000: Dialect = {
  config: passwordLogin({ dummy_vlan: dummyVlan }),
  capabilities: ['nativeless-trunk-mode'],
  hasLegacyType: true,
  portName: dellPortName,
  wire: dellWire,
  syntax: {
    prompt: /^([\w.:/-]+)(?:\([\w./-]+\))?[>#]$/,
    errors: [
      /^% ?\S/,
      /\bERROR\b/,
      /^\s*Failure Information/,
      /^An invalid interface/,
      /^(?:Could not|Incomplete command|Command not found|Interface not in|VLAN ID not found)/,
    ],
    remarks: [/^Warning: The use of large numbers of VLANs/, /^delays in applying the configuration\./],
    questions: [
      { asked: /^--More-- or \(q\)uit$/, key: ' ' },
      { asked: /\(y\/n\)$/, key: 'y' },
    ],
    setup: ['terminal length 0'],
    enable: { from: />$/, command: 'enable', password: /^Password: ?$/ },
  },
  enter: ['configure'],
  leave: ['end'],
  vlans: vlanCommands,
  port: (change) => {
    const { wanted, deadVlan } = change;
    // Where nothing goes without a tag the native VLAN is not known, and one that is allowed again would go untagged.
    const isEasy = isSameTrunk(change) && wanted.native !== null;
    const lines = isEasy ? trunkOf(wanted) : whileShut(change, carry(wanted, deadVlan ?? 1));
    return [`interface ${wanted.port}`, ...lines];
  },
  modes: { ...commonModes, vlan: /\(config(?:-vlan[\d,-]*)?\)#$/, port: /\(config-if-[\w./-]+\)#$/ },
  read: dellRead('Port', openPort),
  save: ['copy running-config startup-config'],
};
