import { Catalyst, freshPort, internalVlans, type Port } from './cisco-ios-model.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply } from './ssh-console.ts';
import { SwitchShell } from './switch-shell.ts';
import { unabbreviated } from './switch-state.ts';
import { changedList, vlanNumber } from './trunk-port.ts';
import { everyVlan, vlansOf } from './vlan-text.ts';
import { iosIdentityAnswers } from './device-identities.ts';
import { iosAddressAnswers } from './learned-addresses.ts';

/** How this Catalyst differs from the next one. */
export interface CiscoIosOptions extends ScriptedOptions {
  /** Logins start in the user mode and need this to leave it. */
  readonly enableSecret?: string;
  /** An older model, which asks for an encapsulation before it trunks. */
  readonly knowsIsl?: boolean;
  /** Says no to this VLAN only when a port is put on it. */
  readonly refusesAccessVlan?: number;
  /** Learns its VLANs from another switch: it makes none, and says so in a way of its own. */
  readonly isVtpClient?: boolean;
  /** Shows its log on every terminal. */
  readonly isTalkative?: boolean;
}

/** One login. */
class CatalystShell extends SwitchShell<Port, 'user' | 'password' | 'filename'> {
  readonly banner = '\nAuthorized access only! #1 rule: behave >\n\n';
  readonly pager = { question: ' --More-- ', erase: '\b'.repeat(9) + ' '.repeat(8) + '\b'.repeat(9) };
  protected readonly state: Catalyst;
  readonly #options: CiscoIosOptions;
  #command = '';
  #pending: readonly number[] = [];

  constructor(catalyst: Catalyst, options: CiscoIosOptions) {
    super(options.enableSecret === undefined ? 'exec' : 'user');
    this.state = catalyst;
    this.#options = options;
  }

  prompt(): string {
    const { kind } = this.mode;
    const inside = { config: '(config)', vlan: '(config-vlan)', port: '(config-if)' };
    return `rack7-tor${kind === 'user' ? '>' : `${kind in inside ? inside[kind as keyof typeof inside] : ''}#`}`;
  }

  override answer(line: string): Reply {
    if (this.mode.kind === 'password') return this.#password(line);
    if (this.mode.kind === 'filename') return { text: this.#save() };
    this.#command = line.trim().replace(/\s+/g, ' ');
    return this.#command.startsWith('!') ? { text: '' } : super.answer(line);
  }

  protected get unknown(): string {
    const column = this.prompt().length + Math.max(0, this.#command.lastIndexOf(' ') + 1);
    return `${' '.repeat(column)}^\n% Invalid input detected at '^' marker.\n`;
  }

  protected get noPort(): string {
    return this.unknown;
  }

  protected portName(name: string): string {
    return unabbreviated(name, 'GigabitEthernet', 2);
  }

  protected override logsOut(): boolean {
    return this.mode.kind === 'user' || this.mode.kind === 'exec';
  }

  protected override ask(command: string): Reply | null {
    if (this.mode.kind === 'user' && command === 'enable') {
      this.mode = { kind: 'password' };
      return { text: '', question: { text: 'Password: ', takes: 'hidden line' } };
    }
    if (this.mode.kind !== 'exec' || command !== 'copy running-config startup-config') return null;
    this.mode = { kind: 'filename' };
    return { text: '', question: { text: 'Destination filename [startup-config]? ', takes: 'line' } };
  }

  protected exec(command: string): string | null {
    if (!this.logsOut()) return null;
    if (this.setPageLength(command) !== null || /^terminal width \d+$/.test(command)) return '';
    if (this.mode.kind === 'user') return null;
    switch (command) {
      case 'configure terminal':
        this.mode = { kind: 'config' };
        return 'Enter configuration commands, one per line.  End with CNTL/Z.';
      case 'write memory':
        return this.#save();
      case 'show running-config | section ^interface':
        return [...this.state.ports.keys()].map((name) => this.state.block(name)).join('\n');
      case 'show running-config | include ^monitor session':
        return this.state.byHand.global.filter((line) => line.startsWith('monitor session')).join('\n');
      default:
        return this.#show(command);
    }
  }

  #show(command: string): string | null {
    const [, name] = /^show running-config interface (.+)$/.exec(command) ?? [];
    const port = name === undefined ? undefined : this.portNamed(name);
    if (port === undefined) return null;
    const block = this.state.block(port);
    return `Building configuration...\n\nCurrent configuration : ${block.length} bytes\n!\n${block}\nend\n\n`;
  }

  #save(): string {
    this.mode = { kind: 'exec' };
    return 'Building configuration...\n[OK]';
  }

  #password(line: string): Reply {
    const isRight = line === this.#options.enableSecret;
    this.mode = { kind: isRight ? 'exec' : 'user' };
    return { text: isRight ? '' : '% Bad secrets\n' };
  }

  protected global(command: string): string | null {
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    const vlans = list === undefined ? null : vlansOf(list);
    if (list === undefined || vlans === null) return null;
    if (this.#options.isVtpClient) {
      this.mode = { kind: 'exec' };
      return 'VTP VLAN configuration not allowed when device is in CLIENT mode.';
    }
    const before = this.enter({ kind: 'vlan', list });
    this.#pending = [...vlans];
    return before;
  }

  /** VLANs are made when their mode is left; one that is in use inside spoils the extended ones of its list. */
  protected override enter(next: typeof this.mode): string {
    const pending = this.#pending;
    this.#pending = [];
    super.enter(next);
    const taken = pending.filter((vlan) => internalVlans.has(vlan));
    for (const vlan of pending) if (vlan <= 1005 || taken.length === 0) this.state.vlans.add(vlan);
    return taken.length === 0
      ? ''
      : `% Failed to create VLANs ${taken.join(',')}\nVLAN(s) not available in Port Manager.\n%Failed to commit extended VLAN(s) changes.\n`;
  }

  protected onPort(port: Port, command: string, name: string): string | null {
    if (command === 'switchport') {
      this.state.byHand.remove(name, /^no switchport$/);
      return '';
    }
    if (command === 'no switchport voice vlan') this.state.byHand.remove(name, /^switchport voice vlan/);
    const [verb, rest] = command.startsWith('no ') ? ['no', command.slice(3)] : ['', command];
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|voice vlan|nonegotiate|trunk encapsulation|trunk native vlan|trunk allowed vlan)(?: (.+))?$/.exec(
        rest,
      ) ?? [];
    if (setting === undefined) return null;
    if (verb === 'no') return this.#unset(port, setting);
    return this.#set(port, setting, value, command);
  }

  protected override shut(): string {
    if (!this.#options.isTalkative) return '';
    return '\n%LINK-5-CHANGED: Interface GigabitEthernet1/0/1, changed state to administratively down\n';
  }

  #unset(port: Port, setting: string): string | null {
    const fresh = freshPort();
    if (setting === 'voice vlan') port.voice = null;
    else if (setting === 'access vlan') port.access = fresh.access;
    else if (setting === 'trunk native vlan') port.native = fresh.native;
    else if (setting === 'trunk allowed vlan') port.allowed = fresh.allowed;
    else if (setting === 'nonegotiate') port.isNegotiating = true;
    else if (setting === 'mode') port.mode = fresh.mode;
    else return null;
    return '';
  }

  #set(port: Port, setting: string, value: string, command: string): string | null {
    const vlan = vlanNumber(value);
    if (setting === 'mode' && (value === 'access' || value === 'trunk' || value === 'dynamic auto')) {
      if (value === 'trunk' && this.#options.knowsIsl && port.encapsulation === 'negotiate')
        return 'Command rejected: An interface whose trunk encapsulation is "Auto" can not be configured to "trunk" mode.';
      port.mode = value;
      return '';
    }
    if (setting === 'trunk encapsulation' && value === 'dot1q' && this.#options.knowsIsl) {
      port.encapsulation = 'dot1q';
      return '';
    }
    if (setting === 'nonegotiate' && value === '') {
      if (port.mode === 'dynamic auto')
        return "Command rejected: Conflict between 'nonegotiate' and 'dynamic' status on this interface.";
      port.isNegotiating = false;
      return '';
    }
    if (setting === 'access vlan' && vlan !== null) {
      if (vlan === this.#options.refusesAccessVlan) return `Command rejected: VLAN ${vlan} is not for this port.`;
      port.access = vlan;
      if (this.state.vlans.has(vlan) || internalVlans.has(vlan)) return '';
      this.state.vlans.add(vlan);
      return `% Access VLAN does not exist. Creating vlan ${vlan}`;
    }
    if (setting === 'voice vlan' && vlan !== null) {
      port.voice = vlan;
      return '';
    }
    if (setting === 'trunk native vlan' && vlan !== null) {
      port.native = vlan;
      return '';
    }
    if (setting === 'trunk allowed vlan') return this.#allow(port, value, command);
    return null;
  }

  #allow(port: Port, value: string, command: string): string | null {
    if (value === 'all') port.allowed = 'all';
    else {
      const allowed = changedList(port.allowed === 'all' ? new Set(everyVlan) : port.allowed, value);
      if (allowed === null) return 'Command rejected: Bad VLAN list';
      port.allowed = allowed;
    }
    return command.length > 254 ? null : '';
  }
}

/** Starts a Catalyst stack of five members, 240 ports, that speaks IOS. */
export const startCiscoIos = (options: CiscoIosOptions = {}): Promise<ScriptedSwitch> => {
  const catalyst = new Catalyst();
  return startScriptedSwitch(
    {
      state: catalyst,
      unknownPort: 'GigabitEthernet6/0/1',
      refusedVlan: 1006,
      nameplate: iosIdentityAnswers,
      addresses: iosAddressAnswers,
      newShell: () => new CatalystShell(catalyst, options),
    },
    { ...options, fields: { dummy_vlan: 998, ...options.fields } },
  );
};
