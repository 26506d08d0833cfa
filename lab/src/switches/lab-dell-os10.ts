import { ManualConfig } from './manual-config.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply, Shell } from './ssh-console.ts';
import { carriedBy, setByHand, type TrunkPort, vlanNumber } from './trunk-port.ts';
import { vlansOf, vlanText } from './vlan-text.ts';
import { os10IdentityAnswers } from './device-identities.ts';

/** The access VLAN of a trunk is its untagged one, and it may have none; its list begins empty. */
const freshPort = (): TrunkPort => ({ isShut: false, mode: 'access', access: 1, native: null, allowed: new Set() });

/** The state of the switch, shared by all sessions. */
class PowerSwitch {
  readonly byHand = new ManualConfig();
  readonly vlans = new Set([1]);
  readonly ports = new Map<string, TrunkPort>();

  constructor() {
    // 48 ports that are whole, and 40 that are split in four.
    for (let port = 1; port <= 48; port++) this.ports.set(`ethernet1/1/${port}`, freshPort());
    for (let port = 49; port <= 88; port++)
      for (let lane = 1; lane <= 4; lane++) this.ports.set(`ethernet1/1/${port}:${lane}`, freshPort());
  }

  /** As the running configuration has it. */
  block(name: string): string {
    const port = this.ports.get(name) ?? freshPort();
    const lines = [
      port.isShut ? 'shutdown' : 'no shutdown',
      port.mode === 'trunk' && 'switchport mode trunk',
      port.access !== null && `switchport access vlan ${port.access}`,
      port.mode === 'trunk' && port.allowed.size > 0 && `switchport trunk allowed vlan ${vlanText(port.allowed)}`,
      'flowcontrol receive on',
    ].filter((line) => line !== false);
    return ['!', `interface ${name}`, ...[...lines, ...this.byHand.on(name)].map((line) => ` ${line}`)].join('\n');
  }

  get config(): string {
    const vlans = [...this.vlans].sort((a, b) => a - b).map((vlan) => `!\ninterface vlan${vlan}\n no shutdown`);
    return [
      '! Version 10.5.4.3',
      '! Last configuration change at Nov  15 05:59:00 2026',
      '!',
      'interface breakout 1/1/49 map 10g-4x',
      ...vlans,
      '!\ninterface mgmt1/1/1\n no shutdown\n ip address 192.0.2.20/24',
      ...[...this.ports.keys()].map((name) => this.block(name)),
      ...this.byHand.global.map((block) => `!\n${block}`),
      '!\nsnmp-server contact "interface ethernet1/1/1"',
    ].join('\n');
  }
}

type Mode =
  | { readonly kind: 'exec' | 'config' }
  | { readonly kind: 'vlan'; readonly vlan: number }
  | { readonly kind: 'port'; readonly name: string; readonly port: TrunkPort };

const unknown = '% Error: Unrecognized command.\u0007';
const illegal = '% Error: Illegal parameter.\u0007';

/** One login. */
class PowerSwitchShell implements Shell {
  readonly banner = 'Debian GNU/Linux 9\n\nDell EMC Networking Operating System (OS10)\n\n';
  readonly pager = { question: '--More--', erase: '\r\u001b[K' };
  readonly #switch: PowerSwitch;
  #mode: Mode = { kind: 'exec' };
  #pageLength = 24;

  constructor(powerSwitch: PowerSwitch) {
    this.#switch = powerSwitch;
  }

  pageLength(): number {
    return this.#pageLength;
  }

  prompt(): string {
    switch (this.#mode.kind) {
      case 'exec':
        return 'OS10# ';
      case 'config':
        return 'OS10(config)# ';
      case 'vlan':
        return `OS10(conf-if-vl-${this.#mode.vlan})# `;
      case 'port':
        return `OS10(conf-if-eth${this.#mode.name.replace('ethernet', '')})# `;
    }
  }

  answer(line: string): Reply {
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '') return { text: '' };
    if (command === 'exit' && this.#mode.kind === 'exec') return { text: '', isLogout: true };
    return { text: this.#exec(command) ?? this.#config(command) ?? unknown };
  }

  #exec(command: string): string | null {
    if (this.#mode.kind !== 'exec') return null;
    const [, length] = /^terminal length (\d+)$/.exec(command) ?? [];
    if (length !== undefined) {
      this.#pageLength = Number(length);
      return '';
    }
    if (command === 'write memory') return '';
    if (command === 'show running-configuration') return this.#switch.config;
    if (command === 'show running-configuration monitor')
      return this.#switch.byHand.global
        .filter((block) => block.startsWith('monitor '))
        .map((block) => `!\n${block}`)
        .join('\n');
    const [, name] = /^show running-configuration interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const port = this.#portNamed(name);
      return port === undefined ? illegal : this.#switch.block(port);
    }
    if (!/^configure( terminal)?$/.test(command)) return null;
    this.#mode = { kind: 'config' };
    return '';
  }

  #config(command: string): string | null {
    if (this.#mode.kind === 'exec') return null;
    if (command === 'end' || command === 'exit') {
      this.#mode = { kind: command === 'end' || this.#mode.kind === 'config' ? 'exec' : 'config' };
      return '';
    }
    const [, vlan] = /^interface vlan ?(\S+)$/.exec(command) ?? [];
    if (vlan !== undefined) return this.#makeVlan(vlan);
    const [, name] = /^interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const full = this.#portNamed(name) ?? '';
      const port = this.#switch.ports.get(full);
      if (!port) return illegal;
      this.#mode = { kind: 'port', name: full, port };
      return '';
    }
    return this.#mode.kind === 'port' ? this.#port(this.#mode.name, this.#mode.port, command) : null;
  }

  #makeVlan(text: string): string {
    const vlan = vlanNumber(text);
    if (vlan === null) return illegal;
    if (vlan === 4094) return '% Error: VLAN 4094 is reserved for internal use.\u0007';
    this.#switch.vlans.add(vlan);
    this.#mode = { kind: 'vlan', vlan };
    return '';
  }

  #port(name: string, port: TrunkPort, command: string): string | null {
    if (command === 'shutdown' || command === 'no shutdown') {
      const isChange = port.isShut !== (command === 'shutdown');
      port.isShut = command === 'shutdown';
      const state = port.isShut ? 'DN: Interface admin state down' : 'UP: Interface admin state up';
      // The log shows up between a command and the next prompt.
      return isChange
        ? `<165>1 2026-11-15T06:00:00.616888+00:00 OS10 dn_ifm 669 - - Node.1-Unit.1:PRI [event], Dell EMC (OS10) %IFM_ASTATE_${state} :${name}`
        : '';
    }
    if (command === 'switchport mode trunk' || command === 'switchport mode access') {
      port.mode = command.endsWith('trunk') ? 'trunk' : 'access';
      if (port.mode === 'access') Object.assign(port, { access: port.access ?? 1, allowed: new Set() });
      return '';
    }
    if (command === 'no switchport access vlan') {
      port.access = port.mode === 'trunk' ? null : 1;
      return '';
    }
    const [, no, setting, list = ''] =
      /^(no )?switchport (access vlan|trunk allowed vlan) ([\d,-]+)$/.exec(command) ?? [];
    if (setting === undefined || (no !== undefined && setting === 'access vlan')) return null;
    return this.#setVlans(port, setting, list, no !== undefined);
  }

  #setVlans(port: TrunkPort, setting: string, list: string, isRemoval: boolean): string {
    const vlans = vlansOf(list);
    if (vlans === null) return illegal;
    if (![...vlans].every((vlan) => this.#switch.vlans.has(vlan) || isRemoval))
      return '% Error: VLAN does not exist.\u0007';
    if (setting === 'access vlan') {
      const [vlan = 1] = vlans;
      if (port.mode === 'trunk' && port.allowed.has(vlan)) return `${bothWays}\u0007`;
      port.access = vlan;
      return '';
    }
    if (port.mode !== 'trunk') return '% Error: Interface is not in trunk mode.\u0007';
    if (!isRemoval && port.access !== null && vlans.has(port.access)) return `${bothWays}\u0007`;
    for (const vlan of vlans) {
      if (isRemoval) port.allowed.delete(vlan);
      else port.allowed.add(vlan);
    }
    return '';
  }

  #portNamed(name: string): string | undefined {
    const [, kind = '', numbers = ''] = /^([A-Za-z]+) ?(\S+)$/.exec(name) ?? [];
    const full = kind.length >= 3 && 'ethernet'.startsWith(kind.toLowerCase()) ? `ethernet${numbers}` : '';
    return this.#switch.ports.has(full) ? full : undefined;
  }
}

const bothWays =
  '% Error: Interface cannot be an access and trunk member of the same VLAN. One of the vlan in the range provided is already an access vlan.';

/** Starts a PowerSwitch with 208 ports that speaks OS10. */
export const startDellOs10 = (options: ScriptedOptions = {}): Promise<ScriptedSwitch> => {
  const powerSwitch = new PowerSwitch();
  return startScriptedSwitch(
    {
      ports: [...powerSwitch.ports.keys()],
      unknownPort: 'ethernet1/1/89:1',
      refusedVlan: 4094,
      byHand: powerSwitch.byHand,
      nameplate: os10IdentityAnswers,
      carried: (name) => {
        const port = powerSwitch.ports.get(name) ?? freshPort();
        const native = port.mode === 'trunk' ? port.access : port.native;
        const allowed = native === null ? port.allowed : new Set([...port.allowed, native]);
        const own = carriedBy({ ...port, native, allowed }, powerSwitch.vlans);
        return powerSwitch.byHand.carried(name, own, port.isShut);
      },
      tamper: (name, state) => {
        for (const vlan of [state.native ?? 1, ...state.tagged]) powerSwitch.vlans.add(vlan);
        powerSwitch.ports.set(name, {
          ...setByHand(state, null),
          access: state.native,
          allowed: new Set(state.tagged),
        });
      },
      newShell: () => new PowerSwitchShell(powerSwitch),
    },
    options,
  );
};
