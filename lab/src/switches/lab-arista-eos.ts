import type { LabPort } from './lab-switch.ts';
import { ManualConfig } from './manual-config.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply, Shell } from './ssh-console.ts';
import { everyVlan, vlansOf, vlanText } from './vlan-text.ts';
import { aristaIdentityAnswers } from './device-identities.ts';

interface Port {
  isShut: boolean;
  mode: 'access' | 'trunk' | 'dot1q-tunnel';
  access: number;
  /** `tag`: frames without a tag are dropped. */
  native: number | 'tag';
  allowed: Set<number>;
}

const freshPort = (): Port => ({ isShut: false, mode: 'access', access: 1, native: 1, allowed: new Set(everyVlan) });

/** VLANs that routed ports of this switch use inside. */
const internalVlans = new Set([1006, 1007]);

/** The state of the switch, shared by all sessions. */
class Leaf {
  readonly byHand = new ManualConfig();
  readonly vlans = new Set([1]);
  readonly ports = new Map<string, Port>();

  constructor() {
    // 48 ports that are whole, and 40 that are split in four.
    for (let port = 1; port <= 48; port++) this.ports.set(`Ethernet${port}`, freshPort());
    for (let port = 49; port <= 88; port++)
      for (let lane = 1; lane <= 4; lane++) this.ports.set(`Ethernet${port}/${lane}`, freshPort());
  }

  carried(name: string): LabPort {
    const port = this.ports.get(name);
    if (!port || port.isShut) return { native: null, tagged: [] };
    if (port.mode !== 'trunk') return { native: this.vlans.has(port.access) ? port.access : null, tagged: [] };
    const passed = [...port.allowed].filter((vlan) => this.vlans.has(vlan)).sort((a, b) => a - b);
    return {
      native: port.native !== 'tag' && passed.includes(port.native) ? port.native : null,
      tagged: passed.filter((vlan) => vlan !== port.native),
    };
  }

  tamper(name: string, { native, tagged }: LabPort): void {
    for (const vlan of [native ?? 1, ...tagged]) this.vlans.add(vlan);
    const allowed = new Set(native === null ? tagged : [native, ...tagged]);
    this.ports.set(
      name,
      tagged.length === 0
        ? { ...freshPort(), access: native ?? 1 }
        : { ...freshPort(), mode: 'trunk', native: native ?? 'tag', allowed },
    );
  }

  /** As `show running-config interfaces` prints it: what is default is not there. */
  block(name: string): string {
    const port = this.ports.get(name) ?? freshPort();
    const allowed = port.allowed.size === 0 ? 'none' : vlanText(port.allowed);
    const lines = [
      port.isShut && 'shutdown',
      port.access !== 1 && `switchport access vlan ${port.access}`,
      port.native !== 1 && `switchport trunk native vlan ${port.native}`,
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

type Mode =
  | { readonly kind: 'user' | 'enable' | 'config' }
  | { readonly kind: 'vlan'; readonly list: string }
  | { readonly kind: 'if'; readonly name: string; readonly port: Port };

/** One login: it starts in the user mode, and nothing is asked for the other one. */
class LeafShell implements Shell {
  readonly banner = 'Last login: Sun Nov 15 06:00:00 2026 from 192.0.2.1\n';
  readonly pager = { question: ' --More-- ', erase: '\r          \r\u001b[K' };
  readonly #leaf: Leaf;
  #mode: Mode = { kind: 'user' };
  #pageLength = 24;

  constructor(leaf: Leaf) {
    this.#leaf = leaf;
  }

  pageLength(): number {
    return this.#pageLength;
  }

  prompt(): string {
    switch (this.#mode.kind) {
      case 'user':
        return 'leaf-3.lab>';
      case 'enable':
        return 'leaf-3.lab#';
      case 'config':
        return 'leaf-3.lab(config)#';
      case 'vlan':
        return `leaf-3.lab(config-vlan-${this.#mode.list})#`;
      case 'if':
        return `leaf-3.lab(config-if-${this.#mode.name.replace('Ethernet', 'Et')})#`;
    }
  }

  answer(line: string): Reply {
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '') return { text: '' };
    if (command === 'exit' && (this.#mode.kind === 'user' || this.#mode.kind === 'enable'))
      return { text: '', isLogout: true };
    const text =
      this.#terminal(command) ??
      this.#exec(command) ??
      this.#global(command) ??
      this.#port(command) ??
      '% Invalid input';
    return { text };
  }

  #terminal(command: string): string | null {
    const [, what, value = ''] = /^terminal (length|width) (\d+)$/.exec(command) ?? [];
    if (what === 'width') return `Width set to ${value} columns.`;
    if (what === undefined) return null;
    this.#pageLength = Number(value);
    return value === '0' ? 'Pagination disabled.' : `Pagination set to ${value} lines.`;
  }

  #exec(command: string): string | null {
    if (command === 'enable') {
      if (this.#mode.kind === 'user') this.#mode = { kind: 'enable' };
      return '';
    }
    if (this.#mode.kind === 'user') return '% Invalid input (privileged mode required)';
    if (command === 'write memory') return 'Copy completed successfully.';
    const [, name] = /^show running-config interfaces(?: (\S+))?$/.exec(command) ?? [];
    if (name !== undefined) {
      const port = this.#portNamed(name);
      return port === undefined ? '% Invalid input' : this.#leaf.block(port);
    }
    if (command === 'show running-config interfaces') {
      const others = this.#leaf.byHand.global.filter((block) => block.startsWith('interface '));
      const ports = [...this.#leaf.ports.keys()].map((port) => this.#leaf.block(port));
      return [...ports, ...others, 'interface Management1'].join('\n');
    }
    const [, pattern] = /^show running-config \| include (.+)$/.exec(command) ?? [];
    if (pattern !== undefined)
      return this.#leaf.config
        .split('\n')
        .filter((each) => new RegExp(pattern).test(each))
        .join('\n');
    if (this.#mode.kind !== 'enable' || !/^configure( terminal)?$/.test(command)) return null;
    this.#mode = { kind: 'config' };
    return '';
  }

  #global(command: string): string | null {
    if (this.#mode.kind === 'user' || this.#mode.kind === 'enable') return null;
    if (command === 'end' || command === 'exit') {
      this.#mode = { kind: command === 'end' || this.#mode.kind === 'config' ? 'enable' : 'config' };
      return '';
    }
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    if (list !== undefined) return this.#makeVlans(list);
    const [, name] = /^interface (.+)$/.exec(command) ?? [];
    if (name === undefined) return null;
    const full = this.#portNamed(name) ?? '';
    const port = this.#leaf.ports.get(full);
    if (!port) return '% Invalid input';
    this.#mode = { kind: 'if', name: full, port };
    return '';
  }

  /** VLANs are made as the command is given, all of the list or none. */
  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return '% Invalid input';
    const taken = [...vlans].find((vlan) => internalVlans.has(vlan));
    if (taken !== undefined) return `% VLAN ${taken} is an internal VLAN`;
    for (const vlan of vlans) this.#leaf.vlans.add(vlan);
    this.#mode = { kind: 'vlan', list };
    return '';
  }

  #port(command: string): string | null {
    if (this.#mode.kind !== 'if') return null;
    const { port, name } = this.#mode;
    if (command === 'switchport') {
      this.#leaf.byHand.remove(name, /^no switchport$/);
      return '';
    }
    if (command === 'shutdown' || command === 'no shutdown') {
      port.isShut = command === 'shutdown';
      return '';
    }
    if (command === 'no switchport access vlan') {
      port.access = 1;
      return '';
    }
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|trunk native vlan|trunk allowed vlan) (\S+(?: \S+)?)$/.exec(command) ?? [];
    const vlan = /^\d+$/.test(value) && vlansOf(value) ? Number(value) : null;
    if (setting === 'mode' && (value === 'access' || value === 'trunk' || value === 'dot1q-tunnel')) port.mode = value;
    else if (setting === 'access vlan' && vlan !== null) port.access = vlan;
    else if (setting === 'trunk native vlan' && (vlan !== null || value === 'tag')) port.native = vlan ?? 'tag';
    else if (setting === 'trunk allowed vlan') return this.#allow(port, value);
    else return null;
    return '';
  }

  #allow(port: Port, value: string): string | null {
    const [, verb, list = ''] = /^(?:(add|remove) )?(\S+)$/.exec(value) ?? [];
    const vlans = list === 'none' ? new Set<number>() : list === 'all' ? new Set(everyVlan) : vlansOf(list);
    if (vlans === null) return null;
    if (verb === 'remove') port.allowed = new Set([...port.allowed].filter((vlan) => !vlans.has(vlan)));
    else port.allowed = verb === 'add' ? new Set([...port.allowed, ...vlans]) : vlans;
    return '';
  }

  #portNamed(name: string): string | undefined {
    const [, kind = '', numbers = ''] = /^([A-Za-z]+) ?(\S+)$/.exec(name) ?? [];
    const full = kind.length >= 2 && 'ethernet'.startsWith(kind.toLowerCase()) ? `Ethernet${numbers}` : '';
    return this.#leaf.ports.has(full) ? full : undefined;
  }
}

/** Starts a leaf switch with 208 ports that speaks EOS. */
export const startAristaEos = (options: ScriptedOptions = {}): Promise<ScriptedSwitch> => {
  const leaf = new Leaf();
  return startScriptedSwitch(
    {
      ports: [...leaf.ports.keys()],
      unknownPort: 'Ethernet89/1',
      refusedVlan: 1006,
      byHand: leaf.byHand,
      nameplate: aristaIdentityAnswers,
      carried: (port) => leaf.byHand.carried(port, leaf.carried(port), leaf.ports.get(port)?.isShut ?? true),
      tamper: (port, state) => leaf.tamper(port, state),
      newShell: () => new LeafShell(leaf),
    },
    options,
  );
};
