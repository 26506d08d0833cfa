import type { Reply, Shell } from './ssh-console.ts';
import type { SwitchState } from './switch-state.ts';

/** Where a login is: `vlan` and `port` are inside of the configuration, `Other` outside of it. */
type ShellMode<Port, Other extends string> =
  | { readonly kind: 'exec' | 'config' | Other }
  | { readonly kind: 'vlan'; readonly list: string }
  | { readonly kind: 'port'; readonly name: string; readonly port: Port };

/**
 * One login on a scripted switch: what command lines after Cisco's have in common. A command answers null where the
 * switch does not know it.
 */
export abstract class SwitchShell<Port extends { isShut: boolean }, Other extends string = never> implements Shell {
  abstract readonly pager: Shell['pager'];
  protected mode: ShellMode<Port, Other>;
  protected screenLength = 24;

  constructor(mode: 'exec' | Other = 'exec') {
    this.mode = { kind: mode };
  }

  pageLength(): number {
    return this.screenLength;
  }

  abstract prompt(): string;

  answer(line: string): Reply {
    const command = line.trim().replace(/\s+/g, ' ');
    if (command === '') return { text: '' };
    if (command === 'exit' && this.logsOut()) return { text: '', isLogout: true };
    return this.ask?.(command) ?? { text: this.exec(command) ?? this.#config(command) ?? this.unknown };
  }

  protected abstract readonly state: SwitchState<Port>;
  /** What it says to a command that it does not know. */
  protected abstract readonly unknown: string;
  /** What it says to `interface` with a port that it does not have. */
  protected abstract readonly noPort: string;
  /** The name of a port as the switch writes it. */
  protected abstract portName(name: string): string;
  /** Commands outside of the configuration. */
  protected abstract exec(command: string): string | null;
  /** Commands of the configuration that concern no port. */
  protected abstract global(command: string): string | null;
  protected abstract onPort(port: Port, command: string, name: string): string | null;
  /** What it says when a port is shut or opened. */
  protected shut?(name: string, isShut: boolean): string;

  /** Does `exit` end the login here? */
  protected logsOut(): boolean {
    return this.mode.kind === 'exec';
  }

  /** Commands that the switch asks something about. */
  protected ask?(command: string): Reply | null;

  protected portNamed(name: string): string | undefined {
    const full = this.portName(name);
    return this.state.ports.has(full) ? full : undefined;
  }

  protected enter(mode: ShellMode<Port, Other>): string {
    this.mode = mode;
    return '';
  }

  protected configure(command: string): string | null {
    return /^configure( terminal)?$/.test(command) ? this.enter({ kind: 'config' }) : null;
  }

  protected setPageLength(command: string): string | null {
    const [, length] = /^terminal length (\d+)$/.exec(command) ?? [];
    if (length === undefined) return null;
    this.screenLength = Number(length);
    return '';
  }

  #config(command: string): string | null {
    const { mode } = this;
    if (mode.kind !== 'config' && mode.kind !== 'vlan' && mode.kind !== 'port') return null;
    if (command === 'end' || command === 'exit')
      return this.enter({ kind: command === 'end' || mode.kind === 'config' ? 'exec' : 'config' });
    const answer = this.global(command);
    if (answer !== null) return answer;
    const [, wanted] = /^interface (.+)$/.exec(command) ?? [];
    if (wanted !== undefined) {
      const name = this.portName(wanted);
      const port = this.state.ports.get(name);
      return port ? this.enter({ kind: 'port', name, port }) : this.noPort;
    }
    if (!('port' in mode)) return null;
    if (command === 'shutdown' || command === 'no shutdown') {
      const isChange = mode.port.isShut !== (command === 'shutdown');
      mode.port.isShut = command === 'shutdown';
      return (isChange ? this.shut?.(mode.name, mode.port.isShut) : '') ?? '';
    }
    return this.onPort(mode.port, command, mode.name);
  }
}

/** The lines of a text that `include` or `egrep` show. */
export const linesLike = (text: string, pattern: string): string =>
  text
    .split('\n')
    .filter((line) => new RegExp(pattern).test(line))
    .join('\n');
