import type { LabPort } from './lab-switch.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply } from './ssh-console.ts';
import { SwitchShell } from './switch-shell.ts';
import { SwitchState } from './switch-state.ts';
import {
  carriedBy,
  changedList,
  dellConfig,
  dellStack,
  setByHand,
  shortName,
  type TrunkPort,
  vlanNumber,
} from './trunk-port.ts';
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

/** A stack of five. Ports have their short names in lower case; the switch writes the first letter large. */
class N3048 extends SwitchState<Port> {
  constructor() {
    const tampered = (state: LabPort): Port => ({ ...setByHand(state, 1), description: '' });
    super(dellStack, { fresh: freshPort, passed: carriedBy, tampered });
  }

  /** As `show interfaces switchport` prints one port. */
  table(name: string): string {
    const port = this.port(name);
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
class N3048Shell extends SwitchShell<Port, 'user' | 'save'> {
  readonly pager = { question: '--More-- or (q)uit', erase: `\r${' '.repeat(18)}\r` };
  protected readonly unknown = invalid;
  protected readonly noPort = noInterface;
  protected readonly portName = shortName;
  protected readonly state: N3048;

  constructor(n3048: N3048) {
    super('user');
    this.state = n3048;
  }

  prompt(): string {
    switch (this.mode.kind) {
      case 'user':
        return '\nconsole>';
      case 'exec':
        return '\nconsole#';
      case 'vlan':
        return `\nconsole(config-vlan${this.mode.list})#`;
      case 'port':
        return `\nconsole(config-if-${large(this.mode.name)})#`;
      default:
        return '\nconsole(config)#';
    }
  }

  override answer(line: string): Reply {
    if (this.mode.kind !== 'save') return super.answer(line);
    this.mode = { kind: 'exec' };
    return { text: line === 'y' ? 'y\n\nConfiguration Saved!' : 'n\n\nConfiguration Not Saved!' };
  }

  protected override logsOut(): boolean {
    return this.mode.kind === 'user';
  }

  protected override ask(command: string): Reply | null {
    if (command !== 'copy running-config startup-config' || this.mode.kind !== 'exec') return null;
    this.mode = { kind: 'save' };
    const text =
      '\nThis operation may take a few minutes.\nManagement interfaces will not be available during this time.\n';
    return { text, question: { text: '\nAre you sure you want to save? (y/n) ', takes: 'key' } };
  }

  protected exec(command: string): string | null {
    if (this.mode.kind === 'user') return command === 'enable' ? this.enter({ kind: 'exec' }) : null;
    if (this.mode.kind !== 'exec') return null;
    const [, what, name] = /^show interfaces (switchport|configuration)(?: (\S+))?$/.exec(command) ?? [];
    if (what !== undefined) {
      const port = name === undefined ? undefined : this.portNamed(name);
      if (name !== undefined && port === undefined) return noInterface;
      const names = port === undefined ? [...this.state.ports.keys()] : [port];
      return `\n${what === 'switchport' ? names.map((each) => this.state.table(each)).join('\n') : this.#rows(names)}`;
    }
    if (command === 'show running-config') return dellConfig(this.state, this.state.ports, 'Dell N3048', large);
    return this.setPageLength(command) ?? this.configure(command);
  }

  #rows(names: readonly string[]): string {
    const row = (name: string): string => {
      const { description, isShut } = this.state.port(name);
      return `${large(name).padEnd(9)}  ${description.padEnd(25)}  N/A     Unknown  Auto 1518   ${isShut ? 'Down' : 'Up'}`;
    };
    return [
      'Port       Description                Duplex  Speed    Neg  MTU    Admin',
      '                                                                   State',
      '---------  -------------------------  ------  -------  ---- -----  -----',
      ...names.map(row),
    ].join('\n');
  }

  protected global(command: string): string | null {
    const [, list] = /^vlan ([\d,-]+)$/.exec(command) ?? [];
    return list === undefined ? null : this.#makeVlans(list);
  }

  /** VLAN ids end at 4093 here; those of a list that can be made are. */
  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return invalid;
    for (const vlan of vlans) if (vlan <= 4093) this.state.vlans.add(vlan);
    if (vlans.has(4094)) return failure([4094], 'VLAN ID is out of range');
    return this.enter({ kind: 'vlan', list: vlans.size === 1 ? list : '' });
  }

  protected onPort(port: Port, command: string): string | null {
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
      if (!this.state.vlans.has(vlan)) return 'VLAN ID not found.';
      port.access = vlan;
    } else if (setting === 'trunk native vlan' && vlan !== null) {
      // It has to be a member of the VLAN when that becomes the native one.
      if (!port.allowed.has(vlan) || !this.state.vlans.has(vlan)) return 'Could not configure pvid.';
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
    const missing = [...(vlansOf(list ?? '') ?? [])].filter((vlan) => !this.state.vlans.has(vlan));
    if (missing.length > 0) return failure(missing, 'This VLAN does not exist.');
    port.allowed = allowed;
    return 'Warning: The use of large numbers of VLANs or interfaces may cause significant\ndelays in applying the configuration.\n';
  }
}

/** Starts a stack of five Dell N3048, 250 ports. */
export const startDellN3000 = (options: ScriptedOptions = {}): Promise<ScriptedSwitch> => {
  const n3048 = new N3048();
  return startScriptedSwitch(
    {
      state: n3048,
      unknownPort: 'gi6/0/1',
      refusedVlan: 4094,
      nameplate: dellNIdentityAnswers,
      newShell: () => new N3048Shell(n3048),
    },
    { ...options, fields: { dummy_vlan: 998, ...options.fields } },
  );
};
