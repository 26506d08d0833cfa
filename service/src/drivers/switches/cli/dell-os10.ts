import type { Refusal } from '../switch-contract.ts';
import type { Dialect, PortChange, ShownPort } from './dialect.ts';
import { portsFrom } from './ports-from-config.ts';
import { type AnswerForm, interfaceSections, type Section, sectionsIn } from './config-sections.ts';
import { portOf, valuesOf } from './interface-sections.ts';
import { beginningWith, classify, commonLines, type KnownLines } from './known-lines.ts';
import { passwordOrKeyLogin } from './cli-login.ts';
import { type Mirrors, portsIn } from './port-mirrors.ts';
import { portNamer } from './cli-port-names.ts';
import { commonModes, portLines } from './switchport-lines.ts';
import { ascending, type Carried, unclear, vlanLists, vlansIn } from '../vlan-lists.ts';
import { oneLine } from '../device-text.ts';
import { wireByName } from '../port-wires.ts';

const wholePort = portNamer({ eth: 'ethernet' }, 'ethernet1/1/1', [3, 3]);

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

/** What OS10 has on a port that is understood. */
const known: KnownLines = {
  read: /^(?:no )?shutdown$|^no switchport$|^switchport (?:mode|access vlan|trunk allowed vlan) /,
  plain: [...commonLines, beginningWith('ip address|ipv6 address|dcbx|ets mode|trust|lldp|ptp|eee|default mtu')],
};

const portIn = (section: Section, port: string): ShownPort => {
  const lines = classify(section, known);
  const allowed = valuesOf(lines.read, 'switchport trunk allowed vlan').flatMap(vlansIn);
  const state = portOf(port, lines, () => carriedIn(lines.read, allowed));
  return state.isShut ? { ...state, latent: allowed } : state;
};

const carriedIn = (lines: readonly string[], allowed: readonly number[]): Carried => {
  // A member of a port channel, or the destination of a mirror: what goes through it is not in its block.
  if (lines.includes('no switchport')) return unclear('no switchport');
  const modes = valuesOf(lines, 'switchport mode');
  const access = valuesOf(lines, 'switchport access vlan');
  const [mode = 'access'] = modes;
  const [vlan = mode === 'trunk' ? null : '1'] = access;
  if (modes.length > 1 || (mode !== 'trunk' && mode !== 'access'))
    return unclear(...modes.map((each) => `switchport mode ${each}`));
  if (access.length > 1 || !/^\d{1,4}$/.test(vlan ?? '0'))
    return unclear(...access.map((each) => `switchport access vlan ${each}`));
  return {
    native: vlan === null ? null : Number(vlan),
    tagged: mode === 'trunk' ? ascending(allowed) : [],
  };
};

/** `monitor session` blocks: OS10 names the destination inside. */
const mirrors = (text: string): Mirrors => {
  const ports = new Map<string, string>();
  let unread: string | null = null;
  for (const session of sectionsIn(text, /^monitor session (.+)$/, form))
    for (const { text: line } of session.lines) {
      const [, place] = /^destination (?:interface )?(.+)$/.exec(line) ?? [];
      if (place === undefined || /^(?:remote-vlan|port-channel|remote-ip)/.test(place)) continue;
      const words = oneLine(`monitor session ${session.name}: ${line}`);
      const names = portsIn(place.trim(), portName);
      if (names === null) unread ??= words;
      for (const name of names ?? []) ports.set(name, words);
    }
  return { ports, unread };
};

/** Blocks of all kinds, each behind a `!`. */
const form: AnswerForm = { around: [], isWhole: true };

/** Dell PowerSwitch switches with SmartFabric OS10. */
export const dellOs10: Dialect = {
  config: passwordOrKeyLogin(),
  capabilities: ['nativeless-trunk-mode'],
  portName,
  wire: wireByName,
  syntax: {
    prompt: /^([\w.:/-]+)(?:\([\w.:/-]+\))?[>#]$/,
    errors: [/^% ?Error/i, /^% ?(?:Illegal|Invalid|Unrecognized|Incomplete|Ambiguous)/i],
    questions: [{ asked: /^ ?--More--$/, key: ' ' }],
    setup: ['terminal length 0'],
  },
  enter: ['configure terminal'],
  leave: ['end'],
  vlans: (ids) => ids.map((vlan) => `interface vlan ${vlan}`),
  port: (change) => portLines(change, tagged(change), carry(change)),
  modes: { ...commonModes, vlan: /\((?:config|conf-if-vl-\d+)\)#$/, port: /\(conf-if-eth[\d/:]+\)#$/ },
  read: {
    one: (port) => [`show running-configuration interface ${port}`, 'show running-configuration monitor'],
    all: ['show running-configuration'],
    parse: ([blocks = '', more = blocks]) =>
      portsFrom(interfaceSections(blocks, form), portName, portIn, { mirrors: mirrors(more) }),
  },
  save: ['write memory'],
};
