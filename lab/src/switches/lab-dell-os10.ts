import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import { SwitchShell } from './switch-shell.ts';
import { splitPorts, SwitchState, unabbreviated } from './switch-state.ts';
import { carriedBy, setByHand, type TrunkPort, vlanNumber } from './trunk-port.ts';
import { vlansOf, vlanText } from './vlan-text.ts';
import { os10IdentityAnswers } from './device-identities.ts';

/** The access VLAN of a trunk is its untagged one, and it may have none; its list begins empty. */
const freshPort = (): TrunkPort => ({ isShut: false, mode: 'access', access: 1, native: null, allowed: new Set() });

class PowerSwitch extends SwitchState<TrunkPort> {
  constructor() {
    super(splitPorts('ethernet1/1/', ':'), {
      fresh: freshPort,
      passed: (port, vlans) => {
        const native = port.mode === 'trunk' ? port.access : port.native;
        const allowed = native === null ? port.allowed : new Set([...port.allowed, native]);
        return carriedBy({ ...port, native, allowed }, vlans);
      },
      tampered: (state) => ({ ...setByHand(state, null), access: state.native, allowed: new Set(state.tagged) }),
    });
  }

  /** As the running configuration has it. */
  block(name: string): string {
    const port = this.port(name);
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

const illegal = '% Error: Illegal parameter.\u0007';

/** One login. */
class PowerSwitchShell extends SwitchShell<TrunkPort> {
  readonly banner = 'Debian GNU/Linux 9\n\nDell EMC Networking Operating System (OS10)\n\n';
  readonly pager = { question: '--More--', erase: '\r\u001b[K' };
  protected readonly unknown = '% Error: Unrecognized command.\u0007';
  protected readonly noPort = illegal;
  protected readonly state: PowerSwitch;

  constructor(powerSwitch: PowerSwitch) {
    super();
    this.state = powerSwitch;
  }

  prompt(): string {
    switch (this.mode.kind) {
      case 'exec':
        return 'OS10# ';
      case 'config':
        return 'OS10(config)# ';
      case 'vlan':
        return `OS10(conf-if-vl-${this.mode.list})# `;
      case 'port':
        return `OS10(conf-if-eth${this.mode.name.replace('ethernet', '')})# `;
    }
  }

  protected portName(name: string): string {
    return unabbreviated(name, 'ethernet', 3);
  }

  protected exec(command: string): string | null {
    if (this.mode.kind !== 'exec') return null;
    if (command === 'write memory') return '';
    if (command === 'show running-configuration') return this.state.config;
    if (command === 'show running-configuration monitor')
      return this.state.byHand.global
        .filter((block) => block.startsWith('monitor '))
        .map((block) => `!\n${block}`)
        .join('\n');
    const [, name] = /^show running-configuration interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const port = this.portNamed(name);
      return port === undefined ? illegal : this.state.block(port);
    }
    return this.setPageLength(command) ?? this.configure(command);
  }

  protected global(command: string): string | null {
    const [, vlan] = /^interface vlan ?(\S+)$/.exec(command) ?? [];
    return vlan === undefined ? null : this.#makeVlan(vlan);
  }

  #makeVlan(text: string): string {
    const vlan = vlanNumber(text);
    if (vlan === null) return illegal;
    if (vlan === 4094) return '% Error: VLAN 4094 is reserved for internal use.\u0007';
    this.state.vlans.add(vlan);
    return this.enter({ kind: 'vlan', list: String(vlan) });
  }

  protected override shut(name: string, isShut: boolean): string {
    const state = isShut ? 'DN: Interface admin state down' : 'UP: Interface admin state up';
    // The log shows up between a command and the next prompt.
    return `<165>1 2026-11-15T06:00:00.616888+00:00 OS10 dn_ifm 669 - - Node.1-Unit.1:PRI [event], Dell EMC (OS10) %IFM_ASTATE_${state} :${name}`;
  }

  protected onPort(port: TrunkPort, command: string): string | null {
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
    if (![...vlans].every((vlan) => this.state.vlans.has(vlan) || isRemoval))
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
}

const bothWays =
  '% Error: Interface cannot be an access and trunk member of the same VLAN. One of the vlan in the range provided is already an access vlan.';

/** Starts a PowerSwitch with 208 ports that speaks OS10. */
export const startDellOs10 = (options: ScriptedOptions = {}): Promise<ScriptedSwitch> => {
  const powerSwitch = new PowerSwitch();
  return startScriptedSwitch(
    {
      state: powerSwitch,
      unknownPort: 'ethernet1/1/89:1',
      refusedVlan: 4094,
      nameplate: os10IdentityAnswers,
      newShell: () => new PowerSwitchShell(powerSwitch),
    },
    options,
  );
};
