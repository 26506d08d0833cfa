import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply } from './ssh-console.ts';
import { linesLike, SwitchShell } from './switch-shell.ts';
import { portsIn, SwitchState, unabbreviated } from './switch-state.ts';
import { carriedBy, changedList, setByHand, type TrunkPort, vlanNumber } from './trunk-port.ts';
import { everyVlan, vlansOf, vlanText, wrapped } from './vlan-text.ts';
import { nxosIdentityAnswers } from './device-identities.ts';
import { nxosAddressAnswers } from './learned-addresses.ts';

/** How this Nexus differs from the next one. */
export interface CiscoNxosOptions extends ScriptedOptions {
  /** A Nexus 5000 with fabric extenders, whose ports are switched and open, or a 9500, whose ports are neither. */
  readonly series: 5000 | 9500;
  /** Asks before a list of allowed VLANs is replaced by another. */
  readonly asksFirst?: boolean;
}

interface Port extends TrunkPort {
  isSwitched: boolean;
}

class Nexus extends SwitchState<Port> {
  readonly freshPort: () => Port;

  constructor(series: CiscoNxosOptions['series']) {
    const slots = series === 5000 ? ['1', '100/1', '101/1', '102/1', '103/1'] : ['1', '2', '3', '4', '5'];
    const isSwitched = series === 5000;
    const fresh = (): Port => ({
      isSwitched,
      isShut: !isSwitched,
      mode: 'access',
      access: 1,
      native: 1,
      allowed: new Set(everyVlan),
    });
    super(portsIn(slots.map((slot) => `Ethernet${slot}/`)), {
      fresh,
      passed: (port, vlans) => (port.isSwitched ? carriedBy(port, vlans) : { native: null, tagged: [] }),
      tampered: (state) => ({ ...setByHand(state, 1), isSwitched: true }),
    });
    this.freshPort = fresh;
  }

  /** As `show running-config interface` prints it; what is default is there only if all is asked for. */
  block(name: string, isAll: boolean): string {
    const port = this.port(name);
    const fresh = this.freshPort();
    const settings: [isDefault: boolean, ...lines: string[]][] = [
      [true, 'no description', 'speed auto'],
      [port.isSwitched === fresh.isSwitched, port.isSwitched ? 'switchport' : 'no switchport'],
    ];
    if (port.isSwitched)
      settings.push(
        [port.mode === 'access', `switchport mode ${port.mode}`],
        [true, 'no switchport dot1q ethertype', 'switchport voice vlan none'],
        [port.access === 1, `switchport access vlan ${port.access}`],
        [port.native === 1, `switchport trunk native vlan ${port.native}`],
        [port.allowed.size === everyVlan.length, ...allowedLines(port.allowed)],
      );
    settings.push(
      [true, 'spanning-tree port-priority 128', 'spanning-tree port type normal', 'no shutdown lan'],
      [port.isShut === fresh.isShut, port.isShut ? 'shutdown' : 'no shutdown'],
    );
    const lines = settings.filter(([isDefault]) => isAll || !isDefault).flatMap(([, ...shown]) => shown);
    return [`interface ${name}`, ...[...lines, ...this.byHand.on(name)].map((line) => `  ${line}`), ''].join('\n');
  }
}

const allowedLines = (allowed: ReadonlySet<number>): readonly string[] =>
  allowed.size === 0
    ? ['switchport trunk allowed vlan none']
    : wrapped(vlanText(allowed), 60).map(
        (list, index) => `switchport trunk allowed vlan ${index === 0 ? '' : 'add '}${list}`,
      );

const badRange = "                              ^\nInvalid range at '^' marker.";

/** One login. */
class NexusShell extends SwitchShell<Port> {
  readonly banner = '\nCisco Nexus Operating System (NX-OS) Software\nTAC support: http://www.cisco.com/tac\n\n';
  readonly pager = { question: '\u001b[7m--More--\u001b[m', erase: '\r        \r' };
  protected readonly unknown = "                          ^\n% Invalid command at '^' marker.";
  protected readonly noPort = badRange;
  protected readonly state: Nexus;
  readonly #asksFirst: boolean;
  /** The list that waits for a yes. */
  #pending: { readonly port: Port; readonly allowed: Set<number> } | null = null;

  constructor(nexus: Nexus, asksFirst: boolean) {
    super();
    this.state = nexus;
    this.#asksFirst = asksFirst;
  }

  prompt(): string {
    return `n5k-rack3${{ exec: '', config: '(config)', vlan: '(config-vlan)', port: '(config-if)' }[this.mode.kind]}# `;
  }

  override answer(line: string): Reply {
    if (this.#pending) {
      const { port, allowed } = this.#pending;
      this.#pending = null;
      if (/^y(es)?$/i.test(line.trim())) port.allowed = allowed;
      return { text: '' };
    }
    return line.trim().startsWith('!') ? { text: '' } : super.answer(line);
  }

  protected portName(name: string): string {
    return unabbreviated(name, 'Ethernet', 1);
  }

  #anywhere(command: string): string | null {
    if (this.setPageLength(command) !== null || /^terminal width \d+$/.test(command)) return '';
    // NX-OS shows things in every mode.
    const [, what, pattern] = /^(show running-config interface.*?)(?: \| egrep "(.+)")?$/.exec(command) ?? [];
    if (what === undefined) return null;
    return pattern === undefined ? this.#show(what) : linesLike(this.#show(what), pattern);
  }

  #show(command: string): string {
    const [, name = '', all] = /^show running-config interface(?: (?!all$)(.+?))?( all)?$/.exec(command) ?? [];
    const port = this.portNamed(name);
    if (name !== '' && port === undefined) return badRange;
    const names = port === undefined ? [...this.state.ports.keys()] : [port];
    const blocks = names.map((each) => this.state.block(each, all !== undefined));
    if (port === undefined) blocks.push('interface mgmt0\n  ip address 192.0.2.10/24\n');
    return `\n!Command: ${command}\n!Time: Sun Nov 15 06:00:00 2026\n\nversion 7.3(8)N1(1)\n\n${blocks.join('\n')}`;
  }

  protected exec(command: string): string | null {
    const anywhere = this.#anywhere(command);
    if (anywhere !== null || this.mode.kind !== 'exec') return anywhere;
    if (command === 'copy running-config startup-config')
      return '[#                                       ]   1%\r[########################################] 100%\nCopy complete, now saving to disk (please wait)...';
    if (command !== 'configure terminal') return null;
    this.mode = { kind: 'config' };
    return 'Enter configuration commands, one per line.  End with CNTL/Z.';
  }

  protected global(command: string): string | null {
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    return list === undefined ? null : this.#makeVlans(list);
  }

  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return "                ^\n% Invalid value/range at '^' marker.";
    if ([...vlans].some((vlan) => (vlan >= 3968 && vlan <= 4047) || vlan === 4094))
      return 'ERROR: Cannot create VLANs 3968-4047,4094: reserved for internal use';
    for (const vlan of vlans) this.state.vlans.add(vlan);
    return this.enter({ kind: 'vlan', list });
  }

  protected onPort(port: Port, command: string, name: string): string | null {
    if (command === 'switchport') {
      if (!port.isSwitched) Object.assign(port, { ...this.state.freshPort(), isSwitched: true, isShut: port.isShut });
      return '';
    }
    const [, setting, value = ''] =
      /^switchport (mode|access vlan|trunk native vlan|trunk allowed vlan) (.+)$/.exec(command) ?? [];
    if (setting !== undefined && !port.isSwitched) return `ERROR: ${name}: requested config change not allowed`;
    const vlan = vlanNumber(value);
    if (setting === 'mode' && (value === 'access' || value === 'trunk')) port.mode = value;
    else if (setting === 'access vlan' && vlan !== null) port.access = vlan;
    else if (setting === 'trunk native vlan' && vlan !== null) port.native = vlan;
    else if (setting === 'trunk allowed vlan') {
      const allowed = changedList(port.allowed, value);
      if (allowed === null || command.length > 254) return null;
      port.allowed = allowed;
    } else return null;
    return '';
  }

  /** A list that replaces another is asked for, where this model does so. */
  protected override ask(command: string): Reply | null {
    const [, list] = /^switchport trunk allowed vlan ([\d,-]+)$/.exec(command) ?? [];
    if (list === undefined || !this.#asksFirst || this.mode.kind !== 'port') return null;
    const { port } = this.mode;
    const allowed = vlansOf(list);
    if (allowed === null || port.allowed.size === 0 || port.allowed.size === everyVlan.length) return null;
    this.#pending = { port, allowed };
    const text = 'This will cause VLANS to be overwritten. Continue anyway? [no] ';
    return { text: '', question: { text, takes: 'line' } };
  }
}

/** Starts a Nexus with 240 ports that speaks NX-OS. */
export const startCiscoNxos = (options: CiscoNxosOptions): Promise<ScriptedSwitch> => {
  const nexus = new Nexus(options.series);
  return startScriptedSwitch(
    {
      state: nexus,
      unknownPort: 'Ethernet1/49',
      refusedVlan: 3968,
      nameplate: nxosIdentityAnswers,
      addresses: nxosAddressAnswers,
      newShell: () => new NexusShell(nexus, options.asksFirst ?? false),
    },
    { ...options, fields: { dummy_vlan: 998, ...options.fields } },
  );
};
