import { ManualConfig } from './manual-config.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply, Shell } from './ssh-console.ts';
import { carriedBy, changedList, setByHand, shortName, type TrunkPort, vlanNumber } from './trunk-port.ts';
import { everyVlan, vlansOf, vlanText, wrapped } from './vlan-text.ts';
import { dellNIdentityAnswers } from './device-identities.ts';

interface Port extends TrunkPort {
  description: string;
}

const freshPort = (): Port => ({
  isShut: false,
  mode: 'access',
  access: 1,
  native: 1,
  allowed: new Set(everyVlan),
  description: '',
});

/** The state of the switch, shared by all sessions. */
class N3048 {
  readonly byHand = new ManualConfig();
  readonly vlans = new Set([1]);
  /** By their short names in lower case; the switch writes the first letter large. */
  readonly ports = new Map<string, Port>();

  constructor() {
    for (let unit = 1; unit <= 5; unit++) {
      for (let port = 1; port <= 48; port++) this.ports.set(`gi${unit}/0/${port}`, freshPort());
      for (let port = 1; port <= 2; port++) this.ports.set(`te${unit}/0/${port}`, freshPort());
    }
  }

  /** As `show running-config` prints it: lines stand at the first column, and only what differs from the defaults. */
  get config(): string {
    const blocks = [...this.ports].map(([name, port]) => {
      const lines = [
        port.isShut && 'shutdown',
        port.mode !== 'access' && `switchport mode ${port.mode}`,
        port.access !== 1 && `switchport access vlan ${port.access ?? 'none'}`,
        port.native !== 1 && `switchport trunk native vlan ${port.native ?? 'none'}`,
        port.allowed.size < everyVlan.length && `switchport trunk allowed vlan ${vlanText(port.allowed) || 'none'}`,
        ...this.byHand.on(name),
      ].filter((line) => line !== false);
      return lines.length === 0 ? null : [`interface ${large(name)}`, ...lines, 'exit', '!'].join('\n');
    });
    const vlans = `vlan ${vlanText(this.vlans)}\nexit`;
    const sections = [vlans, ...this.byHand.global, ...blocks.filter((block) => block !== null)];
    return `!Current Configuration:\n!System Description "Dell N3048"\n!\nconfigure\n${sections.join('\n')}\nexit`;
  }

  /** As `show interfaces switchport` prints one port. */
  table(name: string): string {
    const port = this.ports.get(name) ?? freshPort();
    const mode = { access: 'Access Mode', trunk: 'Trunk Mode', general: 'General Mode' }[port.mode] ?? '';
    const enabled =
      port.allowed.size === everyVlan.length ? 'All' : wrapped(vlanText(port.allowed), 46).join(`,\n${' '.repeat(29)}`);
    return [
      `Port: ${large(name)}`,
      `VLAN Membership Mode: ${mode}`,
      `Access Mode VLAN: ${noted(port.access)}`,
      'General Mode PVID: 1 (default)',
      'General Mode Ingress Filtering: Enabled',
      'General Mode Acceptable Frame Type: Admit All',
      'General Mode Dynamically Added VLANs:',
      'General Mode Untagged VLANs: 1',
      'General Mode Tagged VLANs:',
      'General Mode Forbidden VLANs:',
      `Trunking Mode Native VLAN: ${noted(port.native)}`,
      'Trunking Mode Native VLAN Tagging: Disabled',
      `Trunking Mode VLANs Enabled: ${enabled}`,
      'Private VLAN Host Association: none',
      'Private VLAN Mapping:',
      'Private VLAN Operational Bindings:',
      'Default Priority: 0',
      'Protected: Disabled',
      '',
    ].join('\n');
  }
}

const large = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
const noted = (vlan: number | null): string => (vlan === 1 ? '1 (default)' : `${vlan ?? 1}`);

type Mode =
  | { readonly kind: 'user' | 'exec' | 'config' | 'save' }
  | { readonly kind: 'vlan'; readonly list: string }
  | { readonly kind: 'port'; readonly name: string; readonly port: Port };

const invalid = "                    ^\n% Invalid input detected at `^' marker.\n";
const noInterface = '\nAn invalid interface has been used for this function.\n';

const failure = (vlans: readonly number[], error: string): string =>
  [
    '',
    '          Failure Information',
    '---------------------------------------',
    `   VLANs failed to be configured : ${vlans.length}`,
    '---------------------------------------',
    '   VLAN             Error',
    '---------------------------------------',
    ...vlans.map((vlan) => `VLAN ${vlan}      ERROR: ${error}`),
    '',
  ].join('\n');

/** One login: it starts in the user mode, and nothing is asked for the other one. */
class N3048Shell implements Shell {
  readonly pager = { question: '--More-- or (q)uit', erase: `\r${' '.repeat(18)}\r` };
  readonly #switch: N3048;
  #mode: Mode = { kind: 'user' };
  #pageLength = 24;

  constructor(n3048: N3048) {
    this.#switch = n3048;
  }

  pageLength(): number {
    return this.#pageLength;
  }

  prompt(): string {
    switch (this.#mode.kind) {
      case 'user':
        return '\nconsole>';
      case 'exec':
        return '\nconsole#';
      case 'vlan':
        return `\nconsole(config-vlan${this.#mode.list})#`;
      case 'port':
        return `\nconsole(config-if-${large(this.#mode.name)})#`;
      default:
        return '\nconsole(config)#';
    }
  }

  answer(line: string): Reply {
    if (this.#mode.kind === 'save') {
      this.#mode = { kind: 'exec' };
      return { text: line === 'y' ? 'y\n\nConfiguration Saved!' : 'n\n\nConfiguration Not Saved!' };
    }
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '') return { text: '' };
    if (command === 'exit' && this.#mode.kind === 'user') return { text: '', isLogout: true };
    if (command === 'copy running-config startup-config' && this.#mode.kind === 'exec') {
      this.#mode = { kind: 'save' };
      const text =
        '\nThis operation may take a few minutes.\nManagement interfaces will not be available during this time.\n';
      return { text, question: { text: '\nAre you sure you want to save? (y/n) ', takes: 'key' } };
    }
    return { text: this.#exec(command) ?? this.#config(command) ?? invalid };
  }

  #exec(command: string): string | null {
    if (this.#mode.kind === 'user') {
      if (command === 'enable') this.#mode = { kind: 'exec' };
      return command === 'enable' ? '' : null;
    }
    if (this.#mode.kind !== 'exec') return null;
    const [, length] = /^terminal length (\d+)$/.exec(command) ?? [];
    if (length !== undefined) {
      this.#pageLength = Number(length);
      return '';
    }
    const [, what, name] = /^show interfaces (switchport|configuration)(?: (\S+))?$/.exec(command) ?? [];
    if (what !== undefined) {
      const port = name === undefined ? undefined : this.#portNamed(name);
      if (name !== undefined && port === undefined) return noInterface;
      const names = port === undefined ? [...this.#switch.ports.keys()] : [port];
      return `\n${what === 'switchport' ? names.map((each) => this.#switch.table(each)).join('\n') : this.#rows(names)}`;
    }
    if (command === 'show running-config') return this.#switch.config;
    if (!/^configure( terminal)?$/.test(command)) return null;
    this.#mode = { kind: 'config' };
    return '';
  }

  #rows(names: readonly string[]): string {
    const row = (name: string): string => {
      const { description, isShut } = this.#switch.ports.get(name) ?? freshPort();
      return `${large(name).padEnd(9)}  ${description.padEnd(25)}  N/A     Unknown  Auto 1518   ${isShut ? 'Down' : 'Up'}`;
    };
    return [
      'Port       Description                Duplex  Speed    Neg  MTU    Admin',
      '                                                                   State',
      '---------  -------------------------  ------  -------  ---- -----  -----',
      ...names.map(row),
    ].join('\n');
  }

  #config(command: string): string | null {
    if (this.#mode.kind === 'user' || this.#mode.kind === 'exec') return null;
    if (command === 'end' || command === 'exit') {
      this.#mode = { kind: command === 'end' || this.#mode.kind === 'config' ? 'exec' : 'config' };
      return '';
    }
    const [, list] = /^vlan ([\d,-]+)$/.exec(command) ?? [];
    if (list !== undefined) return this.#makeVlans(list);
    const [, name] = /^interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const full = this.#portNamed(name) ?? '';
      const port = this.#switch.ports.get(full);
      if (!port) return noInterface;
      this.#mode = { kind: 'port', name: full, port };
      return '';
    }
    return this.#mode.kind === 'port' ? this.#port(this.#mode.port, command) : null;
  }

  /** VLAN ids end at 4093 here; those of a list that can be made are. */
  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return invalid;
    for (const vlan of vlans) if (vlan <= 4093) this.#switch.vlans.add(vlan);
    if (vlans.has(4094)) return failure([4094], 'VLAN ID is out of range');
    this.#mode = { kind: 'vlan', list: vlans.size === 1 ? list : '' };
    return '';
  }

  #port(port: Port, command: string): string | null {
    if (command === 'shutdown' || command === 'no shutdown') {
      port.isShut = command === 'shutdown';
      return '';
    }
    const [, description] = /^description "(.+)"$/.exec(command) ?? [];
    if (description !== undefined) {
      port.description = description;
      return '';
    }
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|trunk native vlan|trunk allowed vlan) (.+)$/.exec(command) ?? [];
    const vlan = vlanNumber(value);
    if (setting === 'mode' && ['access', 'trunk', 'general'].includes(value)) port.mode = value;
    else if (setting === 'access vlan' && vlan !== null) {
      if (!this.#switch.vlans.has(vlan)) return 'VLAN ID not found.';
      port.access = vlan;
    } else if (setting === 'trunk native vlan' && vlan !== null) {
      // It has to be a member of the VLAN when that becomes the native one.
      if (!port.allowed.has(vlan) || !this.#switch.vlans.has(vlan)) return 'Could not configure pvid.';
      port.native = vlan;
    } else if (setting === 'trunk allowed vlan') return this.#allow(port, value);
    else return null;
    return '';
  }

  #allow(port: Port, value: string): string | null {
    // This family has no word for an empty list.
    const allowed = value === 'none' ? null : changedList(port.allowed, value);
    if (allowed === null) return null;
    const [, list] = /^(?:add )?(\d\S*)$/.exec(value) ?? [];
    const missing = [...(vlansOf(list ?? '') ?? [])].filter((vlan) => !this.#switch.vlans.has(vlan));
    if (missing.length > 0) return failure(missing, 'This VLAN does not exist.');
    port.allowed = allowed;
    return 'Warning: The use of large numbers of VLANs or interfaces may cause significant\ndelays in applying the configuration.\n';
  }

  #portNamed(name: string): string | undefined {
    const full = shortName(name);
    return this.#switch.ports.has(full) ? full : undefined;
  }
}

/** Starts a stack of five Dell N3048, 250 ports. */
export const startDellN3000 = (options: ScriptedOptions = {}): Promise<ScriptedSwitch> => {
  const n3048 = new N3048();
  return startScriptedSwitch(
    {
      ports: [...n3048.ports.keys()],
      unknownPort: 'gi6/0/1',
      refusedVlan: 4094,
      byHand: n3048.byHand,
      nameplate: dellNIdentityAnswers,
      carried: (name) => {
        const port = n3048.ports.get(name) ?? freshPort();
        return n3048.byHand.carried(name, carriedBy(port, n3048.vlans), port.isShut);
      },
      tamper: (name, state) => {
        for (const vlan of [state.native ?? 1, ...state.tagged]) n3048.vlans.add(vlan);
        n3048.ports.set(name, { ...setByHand(state, 1), description: '' });
      },
      newShell: () => new N3048Shell(n3048),
    },
    { ...options, fields: { dummy_vlan: 998, ...options.fields } },
  );
};
