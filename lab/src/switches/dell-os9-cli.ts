import { os9Inventory } from './device-identities.ts';
import { Os9Error, type Os9Model } from './dell-os9-model.ts';

type Mode =
  | { readonly kind: 'exec' }
  | { readonly kind: 'conf' }
  | { readonly kind: 'port'; readonly name: string }
  | { readonly kind: 'vlan'; readonly id: number };

const host = 'lab-s3048';
const invalid = 'Invalid input at "^" marker.';

/** The command line of OS9 for ports of one kind, as its REST interface runs it: a transcript comes back. */
export class Os9Cli {
  readonly #model: Os9Model;
  readonly #kind: string;
  serial: string | null = null;

  constructor(model: Os9Model, kind: string) {
    this.#model = model;
    this.#kind = kind;
  }

  configure(commands: string): string {
    let mode: Mode = { kind: 'conf' };
    const lines = ['configure'];
    for (const command of commands.split(/\r?\n/).map((line) => line.trim())) {
      lines.push(`${this.#prompt(mode)}${command}`);
      try {
        mode = this.#run(command, mode);
      } catch (error) {
        if (!(error instanceof Os9Error)) throw error;
        lines.push(`% Error: ${error.message}`);
      }
    }
    return [...lines, this.#prompt(mode)].join('\r\n');
  }

  show(what: string): string {
    const shown = {
      version: 'Dell Real Time Operating System Software\r\nDell Application Software Version: 9.14(2.2)',
      'running-config': this.#runningConfig(),
      ...(this.serial !== null && { inventory: os9Inventory(this.serial) }),
    }[what];
    return `show ${what}\r\n${shown ?? `% Error: ${invalid}`}\r\n${host}#`;
  }

  execute(command: string): string {
    return `${command}\r\n${command === 'write memory' ? '!\r\nConfiguration has been saved' : `% Error: ${invalid}`}\r\n${host}#`;
  }

  #prompt(mode: Mode): string {
    if (mode.kind === 'exec') return `${host}#`;
    if (mode.kind === 'port') return `${host}(conf-if-gi-${mode.name})#`;
    return mode.kind === 'vlan' ? `${host}(conf-if-vl-${mode.id})#` : `${host}(conf)#`;
  }

  #run(command: string, mode: Mode): Mode {
    if (mode.kind === 'exec') throw new Os9Error(invalid);
    if (command === 'exit') return mode.kind === 'conf' ? { kind: 'exec' } : { kind: 'conf' };
    const entered = this.#entered(command);
    if (entered) return entered;
    if (mode.kind === 'port') this.#onPort(command, mode.name);
    else if (mode.kind === 'vlan') this.#inVlan(command, mode.id);
    else throw new Os9Error(invalid);
    return mode;
  }

  #entered(command: string): Mode | null {
    const [, type = '', name = ''] = /^interface (\S+) (\S+)$/i.exec(command) ?? [];
    if (type.toLowerCase() === 'vlan' && /^\d+$/.test(name)) {
      this.#model.vlan(Number(name));
      return { kind: 'vlan', id: Number(name) };
    }
    if (type.toLowerCase() !== this.#kind.toLowerCase()) return null;
    if (!this.#model.ports.has(name)) throw new Os9Error('No such interface.');
    return { kind: 'port', name };
  }

  #onPort(command: string, name: string): void {
    if (command === 'shutdown') this.#model.change(name, (port) => (port.shutdown = true));
    else if (command === 'no shutdown') this.#model.change(name, (port) => (port.shutdown = false));
    else if (command === 'switchport') this.#model.change(name, (port) => (port.switchport = true));
    else if (command === 'no switchport') this.#model.leaveLayer2(name);
    else if (command === 'no vlan-stack trunk') this.#model.change(name, (port) => (port.isStacked = false));
    else if (command === 'portmode hybrid') this.#model.becomeHybrid(name);
    else throw new Os9Error(invalid);
  }

  #inVlan(command: string, id: number): void {
    const [, no, how, type, name = ''] = /^(no )?(tagged|untagged) (\S+) (\S+)$/.exec(command) ?? [];
    if (type?.toLowerCase() !== this.#kind.toLowerCase()) throw new Os9Error(invalid);
    const way = how === 'tagged' ? 'tagged' : 'untagged';
    if (no === undefined) this.#model.join(id, way, name);
    else this.#model.leave(id, way, name);
  }

  #runningConfig(): string {
    const ports = [...this.#model.ports].flatMap(([name, port]) => [
      `interface ${this.#kind} ${name}`,
      ' no ip address',
      ...(port.hybrid ? [' portmode hybrid'] : []),
      ...(port.switchport ? [' switchport'] : []),
      ...(port.isStacked ? [' vlan-stack trunk'] : []),
      ...port.lines,
      port.shutdown ? ' shutdown' : ' no shutdown',
      '!',
    ]);
    const vlans = [...this.#model.vlans]
      .sort(([a], [b]) => a - b)
      .flatMap(([id, { tagged, untagged }]) => [
        `interface Vlan ${id}`,
        ' no ip address',
        ...(tagged.size === 0 ? [] : [` tagged ${this.#kind} ${portText(tagged)}`, ' tagged Port-channel 1-2']),
        ...(untagged.size === 0 ? [] : [` untagged ${this.#kind} ${portText(untagged)}`]),
        ' shutdown',
        '!',
      ]);
    return [
      'Current Configuration ...',
      '! Version 9.14(2.2)',
      '! Last configuration change at Sun Nov 15 06:00:00 2020 by admin',
      '!',
      `hostname ${host}`,
      '!',
      'protocol lldp',
      '!',
      ...ports,
      ...this.#model.extras.flatMap(({ sections }) => sections),
      'interface ManagementEthernet 1/1',
      ' ip address 192.0.2.7/24',
      ' no shutdown',
      '!',
      'interface Vlan 1',
      `!untagged ${this.#kind} 1/1-1/48`,
      '!',
      ...vlans,
      'end',
    ].join('\r\n');
  }
}

/** Ports as OS9 lists them: `1/1-1/3,1/7`. */
const portText = (ports: ReadonlySet<string>): string => {
  const sorted = [...ports]
    .map((port) => port.split('/').map(Number))
    .sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0));
  const ranges: [number, number, number][] = [];
  for (const [unit = 0, number = 0] of sorted) {
    const range = ranges.at(-1);
    if (range?.[0] === unit && number === range[2] + 1) range[2] = number;
    else ranges.push([unit, number, number]);
  }
  return ranges
    .map(([unit, first, last]) => (first === last ? `${unit}/${first}` : `${unit}/${first}-${unit}/${last}`))
    .join(',');
};
