import { ManualConfig } from './manual-config.ts';
import { type ScriptedOptions, type ScriptedSwitch, startScriptedSwitch } from './scripted-switch.ts';
import type { Reply, Shell } from './ssh-console.ts';
import { carriedBy, changedList, setByHand, type TrunkPort, vlanNumber } from './trunk-port.ts';
import { everyVlan, vlansOf, vlanText, wrapped } from './vlan-text.ts';
import { nxosIdentityAnswers } from './device-identities.ts';

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

/** The state of the switch, shared by all sessions. */
class Nexus {
  readonly byHand = new ManualConfig();
  readonly vlans = new Set([1]);
  readonly ports = new Map<string, Port>();
  readonly #series: CiscoNxosOptions['series'];

  constructor(series: CiscoNxosOptions['series']) {
    this.#series = series;
    const slots = series === 5000 ? ['1', '100/1', '101/1', '102/1', '103/1'] : ['1', '2', '3', '4', '5'];
    for (const slot of slots)
      for (let port = 1; port <= 48; port++) this.ports.set(`Ethernet${slot}/${port}`, this.freshPort());
  }

  freshPort(): Port {
    const isSwitched = this.#series === 5000;
    return { isSwitched, isShut: !isSwitched, mode: 'access', access: 1, native: 1, allowed: new Set(everyVlan) };
  }

  /** As `show running-config interface` prints it; what is default is there only if all is asked for. */
  block(name: string, isAll: boolean): string {
    const port = this.ports.get(name) ?? this.freshPort();
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

type Mode =
  | { readonly kind: 'exec' | 'config' | 'config-vlan' }
  | { readonly kind: 'config-if'; readonly name: string; readonly port: Port };

const marker = "                          ^\n% Invalid command at '^' marker.";
const badRange = "                              ^\nInvalid range at '^' marker.";

/** One login. */
class NexusShell implements Shell {
  readonly banner = '\nCisco Nexus Operating System (NX-OS) Software\nTAC support: http://www.cisco.com/tac\n\n';
  readonly pager = { question: '\u001b[7m--More--\u001b[m', erase: '\r        \r' };
  readonly #nexus: Nexus;
  readonly #asksFirst: boolean;
  #mode: Mode = { kind: 'exec' };
  #pageLength = 24;
  /** The list that waits for a yes. */
  #pending: { readonly port: Port; readonly allowed: Set<number> } | null = null;

  constructor(nexus: Nexus, asksFirst: boolean) {
    this.#nexus = nexus;
    this.#asksFirst = asksFirst;
  }

  pageLength(): number {
    return this.#pageLength;
  }

  prompt(): string {
    return this.#mode.kind === 'exec' ? 'n5k-rack3# ' : `n5k-rack3(${this.#mode.kind})# `;
  }

  answer(line: string): Reply {
    if (this.#pending) {
      const { port, allowed } = this.#pending;
      this.#pending = null;
      if (/^y(es)?$/i.test(line.trim())) port.allowed = allowed;
      return { text: '' };
    }
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '' || command.startsWith('!')) return { text: '' };
    if (command === 'exit' && this.#mode.kind === 'exec') return { text: '', isLogout: true };
    const overwrite = this.#overwrite(command);
    if (overwrite) return overwrite;
    return { text: this.#anywhere(command) ?? this.#exec(command) ?? this.#config(command) ?? marker };
  }

  #anywhere(command: string): string | null {
    const [, length] = /^terminal length (\d+)$/.exec(command) ?? [];
    if (length !== undefined) this.#pageLength = Number(length);
    if (/^terminal (length|width) \d+$/.test(command)) return '';
    // NX-OS shows things in every mode.
    const [, what, pattern] = /^(show running-config interface.*?)(?: \| egrep "(.+)")?$/.exec(command) ?? [];
    if (what === undefined) return null;
    const text = this.#show(what);
    if (pattern === undefined) return text;
    return text
      .split('\n')
      .filter((line) => new RegExp(pattern).test(line))
      .join('\n');
  }

  #show(command: string): string {
    const [, name = '', all] = /^show running-config interface(?: (?!all$)(.+?))?( all)?$/.exec(command) ?? [];
    const port = this.#portNamed(name);
    if (name !== '' && port === undefined) return badRange;
    const names = port === undefined ? [...this.#nexus.ports.keys()] : [port];
    const blocks = names.map((each) => this.#nexus.block(each, all !== undefined));
    if (port === undefined) blocks.push('interface mgmt0\n  ip address 192.0.2.10/24\n');
    return `\n!Command: ${command}\n!Time: Sun Nov 15 06:00:00 2026\n\nversion 7.3(8)N1(1)\n\n${blocks.join('\n')}`;
  }

  #exec(command: string): string | null {
    if (this.#mode.kind !== 'exec') return null;
    if (command === 'copy running-config startup-config')
      return '[#                                       ]   1%\r[########################################] 100%\nCopy complete, now saving to disk (please wait)...';
    if (command !== 'configure terminal') return null;
    this.#mode = { kind: 'config' };
    return 'Enter configuration commands, one per line.  End with CNTL/Z.';
  }

  #config(command: string): string | null {
    if (this.#mode.kind === 'exec') return null;
    if (command === 'end' || command === 'exit') {
      this.#mode = { kind: command === 'end' || this.#mode.kind === 'config' ? 'exec' : 'config' };
      return '';
    }
    const [, list] = /^vlan (\S+)$/.exec(command) ?? [];
    if (list !== undefined) return this.#makeVlans(list);
    const [, name] = /^interface (.+)$/.exec(command) ?? [];
    if (name !== undefined) {
      const full = this.#portNamed(name);
      const port = this.#nexus.ports.get(full ?? '');
      if (full === undefined || !port) return badRange;
      this.#mode = { kind: 'config-if', name: full, port };
      return '';
    }
    return this.#mode.kind === 'config-if' ? this.#port(this.#mode.name, this.#mode.port, command) : null;
  }

  #makeVlans(list: string): string {
    const vlans = vlansOf(list);
    if (vlans === null) return "                ^\n% Invalid value/range at '^' marker.";
    if ([...vlans].some((vlan) => (vlan >= 3968 && vlan <= 4047) || vlan === 4094))
      return 'ERROR: Cannot create VLANs 3968-4047,4094: reserved for internal use';
    for (const vlan of vlans) this.#nexus.vlans.add(vlan);
    this.#mode = { kind: 'config-vlan' };
    return '';
  }

  #port(name: string, port: Port, command: string): string | null {
    if (command === 'shutdown' || command === 'no shutdown') {
      port.isShut = command === 'shutdown';
      return '';
    }
    if (command === 'switchport') {
      if (!port.isSwitched) Object.assign(port, { ...this.#nexus.freshPort(), isSwitched: true, isShut: port.isShut });
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
  #overwrite(command: string): Reply | null {
    const [, list] = /^switchport trunk allowed vlan ([\d,-]+)$/.exec(command) ?? [];
    if (list === undefined || !this.#asksFirst || this.#mode.kind !== 'config-if') return null;
    const { port } = this.#mode;
    const allowed = vlansOf(list);
    if (allowed === null || port.allowed.size === 0 || port.allowed.size === everyVlan.length) return null;
    this.#pending = { port, allowed };
    const text = 'This will cause VLANS to be overwritten. Continue anyway? [no] ';
    return { text: '', question: { text, takes: 'line' } };
  }

  #portNamed(name: string): string | undefined {
    const [, kind = '', numbers = ''] = /^([A-Za-z]+) ?(\S+)$/.exec(name) ?? [];
    const full = kind.length >= 1 && 'ethernet'.startsWith(kind.toLowerCase()) ? `Ethernet${numbers}` : '';
    return this.#nexus.ports.has(full) ? full : undefined;
  }
}

/** Starts a Nexus with 240 ports that speaks NX-OS. */
export const startCiscoNxos = (options: CiscoNxosOptions): Promise<ScriptedSwitch> => {
  const nexus = new Nexus(options.series);
  return startScriptedSwitch(
    {
      ports: [...nexus.ports.keys()],
      unknownPort: 'Ethernet1/49',
      refusedVlan: 3968,
      byHand: nexus.byHand,
      nameplate: nxosIdentityAnswers,
      carried: (name) => {
        const port = nexus.ports.get(name);
        const own = port?.isSwitched ? carriedBy(port, nexus.vlans) : { native: null, tagged: [] };
        return nexus.byHand.carried(name, own, port?.isShut ?? true);
      },
      tamper: (name, state) => {
        for (const vlan of [state.native ?? 1, ...state.tagged]) nexus.vlans.add(vlan);
        nexus.ports.set(name, { ...setByHand(state, 1), isSwitched: true });
      },
      newShell: () => new NexusShell(nexus, options.asksFirst ?? false),
    },
    { ...options, fields: { dummy_vlan: 998, ...options.fields } },
  );
};
