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
import { powerConnectIdentityAnswers } from './device-identities.ts';

const freshPort = (): TrunkPort => ({
  isShut: false,
  mode: 'access',
  access: 1,
  native: 1,
  allowed: new Set(everyVlan),
});

/** A stack of five. */
class PowerConnect extends SwitchState<TrunkPort> {
  constructor() {
    super(dellStack, { fresh: freshPort, passed: carriedBy, tampered: (state) => setByHand(state, null) });
  }

  /** As `show interfaces switchport` prints one port. */
  table(name: string): string {
    const port = this.port(name);
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

const longName = (name: string): string => name.replace(/^gi/, 'gigabitethernet').replace(/^te/, 'tengigabitethernet');
const spaced = (list: string): string => list.replaceAll(',', ', ').replaceAll('-', ' - ');

const badRange = '% Wrong number of parameters or invalid range, size or characters entered';

/** How this PowerConnect is set up. */
export interface PowerConnectOptions extends ScriptedOptions {
  /** Lets everybody in over SSH, and asks who it is in the shell. */
  readonly asksInShell?: boolean;
}

/** One login. */
class PowerConnectShell extends SwitchShell<TrunkPort, 'user name' | 'password' | 'overwrite'> {
  readonly pager = {
    question: 'More: <space>,  Quit: q or CTRL+Z, One line: <return> ',
    erase: `\r${' '.repeat(54)}\r`,
  };
  protected readonly unknown = '% Unrecognized command';
  protected readonly noPort = badRange;
  protected readonly portName = shortName;
  protected readonly state: PowerConnect;
  #user = '';

  constructor(powerConnect: PowerConnect, asksInShell: boolean) {
    super(asksInShell ? 'user name' : 'exec');
    this.state = powerConnect;
  }

  prompt(): string {
    const { kind } = this.mode;
    if (kind === 'user name') return '\nUser Name:';
    const shown = { config: '(config)', vlan: '(config-vlan)', port: '(config-if)' };
    return `\r\r\u001b[Kconsole${kind in shown ? shown[kind as keyof typeof shown] : ''}# `;
  }

  override answer(line: string): Reply {
    if (this.mode.kind === 'user name') {
      this.mode = { kind: 'password' };
      this.#user = line;
      return { text: '', question: { text: 'Password:', takes: 'hidden line' } };
    }
    if (this.mode.kind === 'password') {
      const isKnown = this.#user === 'corral' && line === 'lab password';
      this.mode = { kind: isKnown ? 'exec' : 'user name' };
      return { text: isKnown ? '' : 'authentication failed' };
    }
    if (this.mode.kind === 'overwrite') {
      this.mode = { kind: 'exec' };
      return {
        text:
          line === 'y'
            ? '\n01-Jan-2000 01:01:01 %COPY-N-TRAP: The copy operation was completed successfully\nCopy succeeded'
            : '\n',
      };
    }
    return super.answer(line);
  }

  protected override ask(command: string): Reply | null {
    if (command !== 'copy running-config startup-config' || this.mode.kind !== 'exec') return null;
    this.mode = { kind: 'overwrite' };
    const text = 'Overwrite file [startup-config] ?[Yes/press any key for no]....';
    return { text: '', question: { text, takes: 'key' } };
  }

  protected exec(command: string): string | null {
    if (this.mode.kind !== 'exec') return null;
    if (command === 'terminal datadump') {
      this.screenLength = 0;
      return '';
    }
    const [, what, name] = /^show interfaces (switchport|configuration)(?: (\S+))?$/.exec(command) ?? [];
    if (what !== undefined) {
      const port = name === undefined ? undefined : this.portNamed(name);
      if (name !== undefined && port === undefined) return badRange;
      const names = port === undefined ? [...this.state.ports.keys()] : [port];
      return what === 'switchport' ? names.map((each) => this.state.table(each)).join('\n') : this.#rows(names);
    }
    if (command === 'show running-config')
      return dellConfig(this.state, this.state.ports, 'Dell PowerConnect', longName);
    return this.configure(command);
  }

  #rows(names: readonly string[]): string {
    const row = (name: string): string => {
      const type = name.startsWith('gi') ? '1G-Copper   ' : '10G-Fiber   ';
      const state = this.state.ports.get(name)?.isShut ? 'Down ' : 'Up   ';
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

  protected global(command: string): string | null {
    if (command === 'vlan database') return this.enter({ kind: 'vlan', list: '' });
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    return list === undefined || this.mode.kind !== 'vlan' ? null : this.#makeVlans(list);
  }

  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return badRange;
    for (const vlan of vlans) if (vlan !== 4094) this.state.vlans.add(vlan);
    return vlans.has(4094) ? 'VLAN 4094 was not created: it is in use internally' : '';
  }

  protected onPort(port: TrunkPort, command: string): string | null {
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
}

/** Starts a stack of five PowerConnect 5548, 250 ports. */
export const startPowerConnect55xx = (options: PowerConnectOptions = {}): Promise<ScriptedSwitch> => {
  const powerConnect = new PowerConnect();
  return startScriptedSwitch(
    {
      state: powerConnect,
      unknownPort: 'gi6/0/1',
      refusedVlan: 4094,
      nameplate: powerConnectIdentityAnswers,
      newShell: () => new PowerConnectShell(powerConnect, options.asksInShell ?? false),
    },
    { ...options, ...(options.asksInShell && { isOpen: true }) },
  );
};
