import { Catalyst, freshPort, internalVlans, type Port } from './cisco-ios-model.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply, Shell } from './ssh-console.ts';
import { unabbreviated } from './switch-state.ts';
import { changedList, vlanNumber } from './trunk-port.ts';
import { everyVlan, vlansOf } from './vlan-text.ts';
import { iosIdentityAnswers } from './device-identities.ts';

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

type Mode =
  | { readonly kind: 'user' | 'enable' | 'config' | 'password' | 'filename' }
  | { readonly kind: 'config-vlan'; readonly pending: Set<number> }
  | { readonly kind: 'config-if'; readonly name: string; readonly port: Port };

/** One login. */
class CatalystShell implements Shell {
  readonly banner = '\nAuthorized access only! #1 rule: behave >\n\n';
  readonly pager = { question: ' --More-- ', erase: '\b'.repeat(9) + ' '.repeat(8) + '\b'.repeat(9) };
  readonly #switch: Catalyst;
  readonly #options: CiscoIosOptions;
  #mode: Mode;
  #pageLength = 24;

  constructor(catalyst: Catalyst, options: CiscoIosOptions) {
    this.#switch = catalyst;
    this.#options = options;
    this.#mode = { kind: options.enableSecret === undefined ? 'enable' : 'user' };
  }

  pageLength(): number {
    return this.#pageLength;
  }

  prompt(): string {
    const { kind } = this.#mode;
    if (kind === 'user') return 'rack7-tor>';
    return kind === 'enable' ? 'rack7-tor#' : `rack7-tor(${kind})#`;
  }

  answer(line: string): Reply {
    if (this.#mode.kind === 'password') return this.#password(line);
    if (this.#mode.kind === 'filename') return this.#save();
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '' || command.startsWith('!')) return { text: '' };
    if (this.#mode.kind === 'user' || this.#mode.kind === 'enable') return this.#exec(command);
    return { text: this.#configure(command) };
  }

  #exec(command: string): Reply {
    const [, length] = /^terminal length (\d+)$/.exec(command) ?? [];
    if (length !== undefined) {
      this.#pageLength = Number(length);
      return { text: '' };
    }
    if (/^terminal width \d+$/.test(command)) return { text: '' };
    if (command === 'exit' || command === 'logout') return { text: '', isLogout: true };
    if (this.#mode.kind === 'user') {
      if (command !== 'enable') return { text: this.#invalid(command) };
      this.#mode = { kind: 'password' };
      return { text: '', question: { text: 'Password: ', takes: 'hidden line' } };
    }
    switch (command) {
      case 'configure terminal':
        this.#mode = { kind: 'config' };
        return { text: 'Enter configuration commands, one per line.  End with CNTL/Z.' };
      case 'write memory':
        return this.#save();
      case 'copy running-config startup-config':
        this.#mode = { kind: 'filename' };
        return { text: '', question: { text: 'Destination filename [startup-config]? ', takes: 'line' } };
      case 'show running-config | section ^interface':
        return { text: [...this.#switch.ports.keys()].map((name) => this.#switch.block(name)).join('\n') };
      case 'show running-config | include ^monitor session':
        return { text: this.#switch.byHand.global.filter((line) => line.startsWith('monitor session')).join('\n') };
      default:
        return { text: this.#show(command) };
    }
  }

  #show(command: string): string {
    const [, name] = /^show running-config interface (.+)$/.exec(command) ?? [];
    const port = name === undefined ? undefined : this.#portNamed(name);
    if (port === undefined) return this.#invalid(command);
    const block = this.#switch.block(port);
    return `Building configuration...\n\nCurrent configuration : ${block.length} bytes\n!\n${block}\nend\n\n`;
  }

  #save(): Reply {
    this.#mode = { kind: 'enable' };
    return { text: 'Building configuration...\n[OK]' };
  }

  #password(line: string): Reply {
    const isRight = line === this.#options.enableSecret;
    this.#mode = { kind: isRight ? 'enable' : 'user' };
    return { text: isRight ? '' : '% Bad secrets\n' };
  }

  #configure(command: string): string {
    if (command === 'end') return this.#leaveVlans({ kind: 'enable' });
    if (command === 'exit') return this.#leaveVlans({ kind: this.#mode.kind === 'config' ? 'enable' : 'config' });
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    if (list !== undefined) {
      const vlans = vlansOf(list);
      if (vlans === null) return this.#invalid(command);
      if (this.#options.isVtpClient) {
        this.#mode = { kind: 'enable' };
        return 'VTP VLAN configuration not allowed when device is in CLIENT mode.';
      }
      return this.#leaveVlans({ kind: 'config-vlan', pending: vlans });
    }
    const [, name] = /^interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const full = this.#portNamed(name) ?? '';
      const port = this.#switch.ports.get(full);
      return port ? this.#leaveVlans({ kind: 'config-if', name: full, port }) : this.#invalid(command);
    }
    if (this.#mode.kind === 'config-if') return this.#setPort(this.#mode.name, this.#mode.port, command);
    return this.#invalid(command);
  }

  /** VLANs are made when their mode is left; one that is in use inside spoils the extended ones of its list. */
  #leaveVlans(next: Mode): string {
    const pending = this.#mode.kind === 'config-vlan' ? [...this.#mode.pending] : [];
    this.#mode = next;
    const taken = pending.filter((vlan) => internalVlans.has(vlan));
    for (const vlan of pending) if (vlan <= 1005 || taken.length === 0) this.#switch.vlans.add(vlan);
    return taken.length === 0
      ? ''
      : `% Failed to create VLANs ${taken.join(',')}\nVLAN(s) not available in Port Manager.\n%Failed to commit extended VLAN(s) changes.\n`;
  }

  #setPort(name: string, port: Port, command: string): string {
    if (command === 'switchport') {
      this.#switch.byHand.remove(name, /^no switchport$/);
      return '';
    }
    if (command === 'no switchport voice vlan') this.#switch.byHand.remove(name, /^switchport voice vlan/);
    const [verb, rest] = command.startsWith('no ') ? ['no', command.slice(3)] : ['', command];
    if (rest === 'shutdown') {
      port.isShut = verb === '';
      if (!this.#options.isTalkative) return '';
      return '\n%LINK-5-CHANGED: Interface GigabitEthernet1/0/1, changed state to administratively down\n';
    }
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|voice vlan|nonegotiate|trunk encapsulation|trunk native vlan|trunk allowed vlan)(?: (.+))?$/.exec(
        rest,
      ) ?? [];
    if (setting === undefined) return this.#invalid(command);
    if (verb === 'no') return this.#unset(port, setting, command);
    return this.#set(port, setting, value, command);
  }

  #unset(port: Port, setting: string, command: string): string {
    const fresh = freshPort();
    if (setting === 'voice vlan') port.voice = null;
    else if (setting === 'access vlan') port.access = fresh.access;
    else if (setting === 'trunk native vlan') port.native = fresh.native;
    else if (setting === 'trunk allowed vlan') port.allowed = fresh.allowed;
    else if (setting === 'nonegotiate') port.isNegotiating = true;
    else if (setting === 'mode') port.mode = fresh.mode;
    else return this.#invalid(command);
    return '';
  }

  #set(port: Port, setting: string, value: string, command: string): string {
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
      if (this.#switch.vlans.has(vlan) || internalVlans.has(vlan)) return '';
      this.#switch.vlans.add(vlan);
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
    return this.#invalid(command);
  }

  #allow(port: Port, value: string, command: string): string {
    if (value === 'all') port.allowed = 'all';
    else {
      const allowed = changedList(port.allowed === 'all' ? new Set(everyVlan) : port.allowed, value);
      if (allowed === null) return 'Command rejected: Bad VLAN list';
      port.allowed = allowed;
    }
    return command.length > 254 ? this.#invalid(command) : '';
  }

  #portNamed(name: string): string | undefined {
    const full = unabbreviated(name, 'GigabitEthernet', 2);
    return this.#switch.ports.has(full) ? full : undefined;
  }

  #invalid(command: string): string {
    const column = this.prompt().length + Math.max(0, command.lastIndexOf(' ') + 1);
    return `${' '.repeat(column)}^\n% Invalid input detected at '^' marker.\n`;
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
      newShell: () => new CatalystShell(catalyst, options),
    },
    { ...options, fields: { dummy_vlan: 998, ...options.fields } },
  );
};
