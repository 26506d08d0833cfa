import { ManualConfig } from './manual-config.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply, Shell } from './ssh-console.ts';
import { carriedBy, changedList, setByHand, shortName, type TrunkPort, vlanNumber } from './trunk-port.ts';
import { everyVlan, vlansOf, vlanText, wrapped } from './vlan-text.ts';
import { powerConnectIdentityAnswers } from './device-identities.ts';

const freshPort = (): TrunkPort => ({
  isShut: false,
  mode: 'access',
  access: 1,
  native: 1,
  allowed: new Set(everyVlan),
});

/** The state of the switch, shared by all sessions. */
class PowerConnect {
  readonly byHand = new ManualConfig();
  readonly vlans = new Set([1]);
  readonly ports = new Map<string, TrunkPort>();

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
      return lines.length === 0
        ? null
        : [
            `interface ${name.replace(/^gi/, 'gigabitethernet').replace(/^te/, 'tengigabitethernet')}`,
            ...lines,
            'exit',
            '!',
          ].join('\n');
    });
    const vlans = `vlan ${vlanText(this.vlans)}\nexit`;
    const sections = [vlans, ...this.byHand.global, ...blocks.filter((block) => block !== null)];
    return `!Current Configuration:\n!System Description "Dell PowerConnect"\n!\nconfigure\n${sections.join('\n')}\nexit`;
  }

  /** As `show interfaces switchport` prints one port. */
  table(name: string): string {
    const port = this.ports.get(name) ?? freshPort();
    return [
      `Name: ${name}`,
      'Switchport: enable',
      `Administrative Mode: ${port.mode}`,
      `Operational Mode: ${port.isShut ? 'down' : port.mode}`,
      `Access Mode VLAN: ${port.access ?? 'none'}`,
      'Access Multicast TV VLAN: none',
      `Trunking Native Mode VLAN: ${this.#vlan(port.native)}`,
      `Trunking VLANs Enabled: ${this.#list(port.allowed)}`,
      'General PVID: 1',
      'General VLANs Enabled: none',
      'General Egress Tagged VLANs Enabled: none',
      'General Forbidden VLANs: none',
      'General Ingress Filtering: enabled',
      'General Acceptable Frame Type: all',
      'General GVRP status: disabled',
      'Customer Mode VLAN: none',
      'Protected: Disabled',
      'Classification rules:',
      '',
    ].join('\n');
  }

  #vlan(vlan: number | null): string {
    if (vlan === null) return 'none';
    return this.vlans.has(vlan) ? `${vlan}` : `${vlan} (Inactive)`;
  }

  /** Those that exist, and then those that do not, a line each or more. */
  #list(vlans: ReadonlySet<number>): string {
    const lines = (of: readonly number[], note: string): readonly string[] =>
      of.length === 0 ? [] : wrapped(vlanText(of), 40).map((line) => `${spaced(line)}${note}`);
    const shown = [
      ...lines(
        [...vlans].filter((vlan) => this.vlans.has(vlan)),
        '',
      ),
      ...lines(
        [...vlans].filter((vlan) => !this.vlans.has(vlan)),
        ' (Inactive)',
      ),
    ];
    return shown.length === 0 ? 'none' : shown.join(`\n${' '.repeat(24)}`);
  }
}

const spaced = (list: string): string => list.replaceAll(',', ', ').replaceAll('-', ' - ');

type Mode =
  | { readonly kind: 'user name' | 'password' | 'exec' | 'config' | 'config-vlan' | 'overwrite' }
  | { readonly kind: 'config-if'; readonly port: TrunkPort };

const unrecognized = '% Unrecognized command';
const badRange = '% Wrong number of parameters or invalid range, size or characters entered';

/** How this PowerConnect is set up. */
export interface PowerConnectOptions extends ScriptedOptions {
  /** Lets everybody in over SSH, and asks who it is in the shell. */
  readonly asksInShell?: boolean;
}

/** One login. */
class PowerConnectShell implements Shell {
  readonly pager = {
    question: 'More: <space>,  Quit: q or CTRL+Z, One line: <return> ',
    erase: `\r${' '.repeat(54)}\r`,
  };
  readonly #switch: PowerConnect;
  #mode: Mode;
  #user = '';
  #pageLength = 24;

  constructor(powerConnect: PowerConnect, asksInShell: boolean) {
    this.#switch = powerConnect;
    this.#mode = { kind: asksInShell ? 'user name' : 'exec' };
  }

  pageLength(): number {
    return this.#pageLength;
  }

  prompt(): string {
    const { kind } = this.#mode;
    if (kind === 'user name') return '\nUser Name:';
    return kind === 'exec' ? '\r\r\u001b[Kconsole# ' : `\r\r\u001b[Kconsole(${kind})# `;
  }

  answer(line: string): Reply {
    if (this.#mode.kind === 'user name') {
      this.#mode = { kind: 'password' };
      this.#user = line;
      return { text: '', question: { text: 'Password:', takes: 'hidden line' } };
    }
    if (this.#mode.kind === 'password') {
      const isKnown = this.#user === 'corral' && line === 'lab password';
      this.#mode = { kind: isKnown ? 'exec' : 'user name' };
      return { text: isKnown ? '' : 'authentication failed' };
    }
    if (this.#mode.kind === 'overwrite') {
      this.#mode = { kind: 'exec' };
      return {
        text:
          line === 'y'
            ? '\n01-Jan-2000 01:01:01 %COPY-N-TRAP: The copy operation was completed successfully\nCopy succeeded'
            : '\n',
      };
    }
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '') return { text: '' };
    if (command === 'copy running-config startup-config' && this.#mode.kind === 'exec') {
      this.#mode = { kind: 'overwrite' };
      return {
        text: '',
        question: { text: 'Overwrite file [startup-config] ?[Yes/press any key for no]....', takes: 'key' },
      };
    }
    if (command === 'exit' && this.#mode.kind === 'exec') return { text: '', isLogout: true };
    return { text: this.#exec(command) ?? this.#config(command) ?? unrecognized };
  }

  #exec(command: string): string | null {
    if (this.#mode.kind !== 'exec') return null;
    if (command === 'terminal datadump') {
      this.#pageLength = 0;
      return '';
    }
    const [, what, name] = /^show interfaces (switchport|configuration)(?: (\S+))?$/.exec(command) ?? [];
    if (what !== undefined) {
      const port = name === undefined ? undefined : this.#portNamed(name);
      if (name !== undefined && port === undefined) return badRange;
      const names = port === undefined ? [...this.#switch.ports.keys()] : [port];
      return what === 'switchport' ? names.map((each) => this.#switch.table(each)).join('\n') : this.#rows(names);
    }
    if (command === 'show running-config') return this.#switch.config;
    if (!/^configure( terminal)?$/.test(command)) return null;
    this.#mode = { kind: 'config' };
    return '';
  }

  #rows(names: readonly string[]): string {
    const row = (name: string): string => {
      const type = name.startsWith('gi') ? '1G-Copper   ' : '10G-Fiber   ';
      const state = this.#switch.ports.get(name)?.isShut ? 'Down ' : 'Up   ';
      return `${name.padEnd(8)} ${type} Full    1000   Enabled  Off     ${state}  Disabled Auto`;
    };
    return [
      '                                               Flow    Admin     Back   Mdix',
      'Port     Type         Duplex  Speed  Neg      control  State   Pressure Mode',
      '-------- ------------ ------  -----  -------- -------  -----   -------- ----',
      ...names.map(row),
      '',
      '                                          Flow    Admin',
      'Ch       Type    Speed  Neg      control  State',
      '-------- ------- -----  -------- -------  -----',
      'Po1         --      --     Enabled  Off      Up',
    ].join('\n');
  }

  #config(command: string): string | null {
    if (this.#mode.kind === 'exec') return null;
    if (command === 'end' || command === 'exit') {
      this.#mode = { kind: command === 'end' || this.#mode.kind === 'config' ? 'exec' : 'config' };
      return '';
    }
    if (command === 'vlan database') {
      this.#mode = { kind: 'config-vlan' };
      return '';
    }
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    if (list !== undefined && this.#mode.kind === 'config-vlan') return this.#makeVlans(list);
    const [, name] = /^interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const port = this.#switch.ports.get(this.#portNamed(name) ?? '');
      if (!port) return badRange;
      this.#mode = { kind: 'config-if', port };
      return '';
    }
    return this.#mode.kind === 'config-if' ? this.#port(this.#mode.port, command) : null;
  }

  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return badRange;
    for (const vlan of vlans) if (vlan !== 4094) this.#switch.vlans.add(vlan);
    return vlans.has(4094) ? 'VLAN 4094 was not created: it is in use internally' : '';
  }

  #port(port: TrunkPort, command: string): string | null {
    if (command === 'shutdown' || command === 'no shutdown') {
      port.isShut = command === 'shutdown';
      return '';
    }
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|trunk native vlan|trunk allowed vlan) (.+)$/.exec(command) ?? [];
    const vlan = vlanNumber(value);
    if (setting === 'mode' && ['access', 'trunk', 'general'].includes(value)) port.mode = value;
    else if (setting === 'access vlan' && (vlan !== null || value === 'none')) port.access = vlan;
    else if (setting === 'trunk native vlan' && (vlan !== null || value === 'none')) {
      port.native = vlan;
      if (vlan !== null) port.allowed.add(vlan);
    } else if (setting === 'trunk allowed vlan') return this.#allow(port, value);
    else return null;
    return '';
  }

  /** There is no plain list. A native VLAN that is no member any more makes the port one of VLAN 1. */
  #allow(port: TrunkPort, value: string): string | null {
    const allowed = /^\d/.test(value) ? null : changedList(port.allowed, value);
    if (allowed === null) return null;
    port.allowed = allowed;
    if (port.native !== null && !allowed.has(port.native)) {
      port.native = 1;
      allowed.add(1);
    }
    return '';
  }

  #portNamed(name: string): string | undefined {
    const full = shortName(name);
    return this.#switch.ports.has(full) ? full : undefined;
  }
}

/** Starts a stack of five PowerConnect 5548, 250 ports. */
export const startPowerConnect55xx = (options: PowerConnectOptions = {}): Promise<ScriptedSwitch> => {
  const powerConnect = new PowerConnect();
  return startScriptedSwitch(
    {
      ports: [...powerConnect.ports.keys()],
      unknownPort: 'gi6/0/1',
      refusedVlan: 4094,
      byHand: powerConnect.byHand,
      nameplate: powerConnectIdentityAnswers,
      carried: (name) => {
        const port = powerConnect.ports.get(name) ?? freshPort();
        return powerConnect.byHand.carried(name, carriedBy(port, powerConnect.vlans), port.isShut);
      },
      tamper: (name, state) => {
        for (const vlan of [state.native ?? 1, ...state.tagged]) powerConnect.vlans.add(vlan);
        powerConnect.ports.set(name, setByHand(state, null));
      },
      newShell: () => new PowerConnectShell(powerConnect, options.asksInShell ?? false),
    },
    { ...options, ...(options.asksInShell && { isOpen: true }) },
  );
};
