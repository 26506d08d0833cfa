import type { Refusal } from '../contract.ts';
import type { Dialect, PortChange, ShownPort } from './dialect.ts';
import { interfaceSections, type Section, valueOf } from './interface-sections.ts';
import { passwordOrKeyLogin } from './login.ts';
import { portNamer } from './port-names.ts';
import { isSameTrunk, whileShut } from './switchport-lines.ts';
import { vlanLists, vlansIn } from '../vlans.ts';

const wholePort = portNamer({ eth: 'ethernet' }, 'ethernet1/1/1');

/** As other ports, and with a lane where a port is split: `ethernet1/1/1:2`. */
const portName = (name: string): string | Refusal => {
  const [, whole = name, lane = ''] = /^(.*\d)(:[1-8])$/.exec(name) ?? [];
  const port = wholePort(whole);
  return typeof port === 'string' ? `${port}${lane}` : port;
};

/** The list of allowed VLANs only grows: what goes has to be taken away by name. */
const tagged = ({ wanted, was }: PortChange): readonly string[] => {
  const goes = [...was.tagged, ...(was.latent ?? [])].filter((vlan) => !wanted.tagged.includes(vlan));
  return [
    ...vlanLists(goes).map((list) => `no switchport trunk allowed vlan ${list}`),
    ...vlanLists(wanted.tagged).map((list) => `switchport trunk allowed vlan ${list}`),
  ];
};

/** Always a trunk: only a trunk can be without an access VLAN, which is its untagged one. */
const carry = (change: PortChange): readonly string[] => [
  'switchport mode trunk',
  // A VLAN cannot be both, so the old untagged one goes before the tagged ones come.
  'no switchport access vlan',
  ...tagged(change),
  ...(change.wanted.native === null ? [] : [`switchport access vlan ${change.wanted.native}`]),
];

const portIn = (section: Section, port: string): ShownPort => {
  const { lines } = section;
  if (lines.includes('no switchport')) return { port, native: null, tagged: [] };
  const isTrunk = valueOf(section, 'switchport mode') === 'trunk';
  const allowed = lines
    .flatMap((line) => /^switchport trunk allowed vlan (.+)$/.exec(line)?.[1] ?? [])
    .flatMap(vlansIn);
  if (lines.includes('shutdown')) return { port, native: null, tagged: [], latent: allowed };
  const access = valueOf(section, 'switchport access vlan') ?? (isTrunk ? null : '1');
  if (access !== null && !/^\d{1,4}$/.test(access)) throw new Error(`port ${port} has the access VLAN "${access}"`);
  return { port, native: access === null ? null : Number(access), tagged: isTrunk ? allowed : [] };
};

/** Dell PowerSwitch switches with SmartFabric OS10. */
export const dellOs10: Dialect = {
  config: passwordOrKeyLogin(),
  capabilities: ['nativeless-trunk-mode'],
  portName,
  console: {
    prompt: /^([\w.:/-]+)(?:\([\w.:/-]+\))?[>#]$/,
    errors: [/^% ?\S/],
    questions: [{ asked: /^ ?--More--$/, key: ' ' }],
    setup: ['terminal length 0'],
  },
  enter: ['configure terminal'],
  leave: ['end'],
  vlans: (ids) => ids.map((vlan) => `interface vlan ${vlan}`),
  port: (change) => [
    `interface ${change.wanted.port}`,
    ...(isSameTrunk(change) ? tagged(change) : whileShut(change, carry(change))),
  ],
  portPrompt: /\(conf-if-eth[\d/:]+\)#$/,
  read: {
    one: (port) => [`show running-configuration interface ${port}`],
    all: ['show running-configuration'],
    parse: (text) =>
      interfaceSections(text).flatMap((section) => {
        const port = portName(section.name);
        return typeof port === 'string' ? [portIn(section, port)] : [];
      }),
  },
  save: ['write memory'],
};
