import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import { linesLike, SwitchShell } from './switch-shell.ts';
import { splitPorts, SwitchState, unabbreviated } from './switch-state.ts';
import { carriedBy, changedList, setByHand, type TrunkPort } from './trunk-port.ts';
import { everyVlan, vlansOf, vlanText } from './vlan-text.ts';
import { aristaIdentityAnswers } from './device-identities.ts';
import { eosAddressAnswers } from './learned-addresses.ts';

/** A native VLAN that is null stands for `tag`: frames without a tag are dropped. */
const freshPort = (): TrunkPort => ({
  isShut: false,
  mode: 'access',
  access: 1,
  native: 1,
  allowed: new Set(everyVlan),
});

/** VLANs that routed ports of this switch use inside. */
const internalVlans = new Set([1006, 1007]);

class Leaf extends SwitchState<TrunkPort> {
  constructor() {
    super(splitPorts('Ethernet', '/'), {
      fresh: freshPort,
      passed: (port, vlans) => carriedBy({ ...port, mode: port.mode === 'trunk' ? 'trunk' : 'access' }, vlans),
      tampered: (state) =>
        state.tagged.length === 0 ? { ...freshPort(), access: state.native ?? 1 } : setByHand(state, null),
    });
  }

  /** As `show running-config interfaces` prints it: what is default is not there. */
  block(name: string): string {
    const port = this.port(name);
    const allowed = port.allowed.size === 0 ? 'none' : vlanText(port.allowed);
    const lines = [
      port.isShut && 'shutdown',
      port.access !== 1 && `switchport access vlan ${port.access ?? 1}`,
      port.native !== 1 && `switchport trunk native vlan ${port.native ?? 'tag'}`,
      port.allowed.size < everyVlan.length && `switchport trunk allowed vlan ${allowed}`,
      port.mode !== 'access' && `switchport mode ${port.mode}`,
    ].filter((line) => line !== false);
    return [`interface ${name}`, ...[...lines, ...this.byHand.on(name)].map((line) => `   ${line}`)].join('\n');
  }

  /** The whole running configuration. */
  get config(): string {
    const blocks = [...this.ports.keys()].map((name) => this.block(name));
    return [...blocks, ...this.byHand.global, 'interface Management1'].join('\n');
  }
}

const invalid = '% Invalid input';

/** One login: it starts in the user mode, and nothing is asked for the other one. */
class LeafShell extends SwitchShell<TrunkPort, 'user'> {
  readonly banner = 'Last login: Sun Nov 15 06:00:00 2026 from 192.0.2.1\n';
  readonly pager = { question: ' --More-- ', erase: '\r          \r\u001b[K' };
  protected readonly unknown = invalid;
  protected readonly noPort = invalid;
  protected readonly state: Leaf;

  constructor(leaf: Leaf) {
    super('user');
    this.state = leaf;
  }

  prompt(): string {
    switch (this.mode.kind) {
      case 'user':
        return 'leaf-3.lab>';
      case 'exec':
        return 'leaf-3.lab#';
      case 'config':
        return 'leaf-3.lab(config)#';
      case 'vlan':
        return `leaf-3.lab(config-vlan-${this.mode.list})#`;
      case 'port':
        return `leaf-3.lab(config-if-${this.mode.name.replace('Ethernet', 'Et')})#`;
    }
  }

  protected portName(name: string): string {
    return unabbreviated(name, 'Ethernet', 2);
  }

  protected override logsOut(): boolean {
    return this.mode.kind === 'user' || this.mode.kind === 'exec';
  }

  #terminal(command: string): string | null {
    const [, what, value = ''] = /^terminal (length|width) (\d+)$/.exec(command) ?? [];
    if (what === 'width') return `Width set to ${value} columns.`;
    if (what === undefined) return null;
    this.screenLength = Number(value);
    return value === '0' ? 'Pagination disabled.' : `Pagination set to ${value} lines.`;
  }

  protected exec(command: string): string | null {
    const terminal = this.#terminal(command);
    if (terminal !== null) return terminal;
    if (command === 'enable') return this.mode.kind === 'user' ? this.enter({ kind: 'exec' }) : '';
    if (this.mode.kind === 'user') return '% Invalid input (privileged mode required)';
    if (command === 'write memory') return 'Copy completed successfully.';
    const [, name] = /^show running-config interfaces(?: (\S+))?$/.exec(command) ?? [];
    if (name !== undefined) {
      const port = this.portNamed(name);
      return port === undefined ? invalid : this.state.block(port);
    }
    if (command === 'show running-config interfaces') {
      const others = this.state.byHand.global.filter((block) => block.startsWith('interface '));
      const ports = [...this.state.ports.keys()].map((port) => this.state.block(port));
      return [...ports, ...others, 'interface Management1'].join('\n');
    }
    const [, pattern] = /^show running-config \| include (.+)$/.exec(command) ?? [];
    if (pattern !== undefined) return linesLike(this.state.config, pattern);
    return this.mode.kind === 'exec' ? this.configure(command) : null;
  }

  protected global(command: string): string | null {
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    return list === undefined ? null : this.#makeVlans(list);
  }

  /** VLANs are made as the command is given, all of the list or none. */
  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return invalid;
    const taken = [...vlans].find((vlan) => internalVlans.has(vlan));
    if (taken !== undefined) return `% VLAN ${taken} is an internal VLAN`;
    for (const vlan of vlans) this.state.vlans.add(vlan);
    return this.enter({ kind: 'vlan', list });
  }

  protected onPort(port: TrunkPort, command: string, name: string): string | null {
    if (command === 'switchport') {
      this.state.byHand.remove(name, /^no switchport$/);
      return '';
    }
    if (command === 'no switchport access vlan') {
      port.access = 1;
      return '';
    }
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|trunk native vlan|trunk allowed vlan) (\S+(?: \S+)?)$/.exec(command) ?? [];
    const vlan = /^\d+$/.test(value) && vlansOf(value) ? Number(value) : null;
    if (setting === 'mode' && ['access', 'trunk', 'dot1q-tunnel'].includes(value)) port.mode = value;
    else if (setting === 'access vlan' && vlan !== null) port.access = vlan;
    else if (setting === 'trunk native vlan' && (vlan !== null || value === 'tag')) port.native = vlan;
    else if (setting === 'trunk allowed vlan') {
      const allowed = changedList(port.allowed, value);
      if (allowed === null) return null;
      port.allowed = allowed;
    } else return null;
    return '';
  }
}

/** Starts a leaf switch with 208 ports that speaks EOS. */
export const startAristaEos = (options: ScriptedOptions = {}): Promise<ScriptedSwitch> => {
  const leaf = new Leaf();
  return startScriptedSwitch(
    {
      state: leaf,
      unknownPort: 'Ethernet89/1',
      refusedVlan: 1006,
      nameplate: aristaIdentityAnswers,
      addresses: eosAddressAnswers,
      newShell: () => new LeafShell(leaf),
    },
    options,
  );
};
