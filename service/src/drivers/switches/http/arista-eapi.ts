import { hash, randomBytes } from 'node:crypto';
import { EnablePassword } from '../ssh-login.ts';
import {
  type Neighbour,
  outcomeOf,
  type PortConfig,
  type PortOutcome,
  type Refusal,
  type SwitchDriver,
  type SwitchSession,
} from '../switch-contract.ts';
import { notToBeOpened } from '../known-elements.ts';
import {
  aristaPortName,
  commandsFor,
  configuredFrom,
  pendingSessions,
  portsFrom,
  showConfiguration,
  showPorts,
} from './arista-ports.ts';
import { aristaNeighbours } from './arista-neighbours.ts';
import { type Command, CommandRefused, runCommands } from './eapi-commands.ts';
import { httpDriver } from './http-driver.ts';
import { textField } from './http-fields.ts';
import { member } from '@corral/base/json-members';
import type { SwitchHttp } from './switch-http-client.ts';
import { aboutLine, aristaIdentity } from '../serial-numbers.ts';
import { wireByName } from '../port-wires.ts';

/** Arista switches, by eAPI: a pass over the ports is one configuration session, committed whole. */
export const aristaEapi: SwitchDriver = {
  ...httpDriver({
    defaults: { scheme: 'https', ports: { http: 80, https: 443 } },
    fields: { enable_password: EnablePassword },
    session: (http, fields, label) => {
      const password = textField(fields, 'enable_password');
      const enable: Command = password === undefined ? 'enable' : { cmd: 'enable', input: password };
      return new AristaSession(http, enable, `corral-${hash('sha256', label).slice(0, 8)}`);
    },
  }),
  capabilities: ['nativeless-trunk-mode'],
  portName: aristaPortName,
  wire: wireByName,
};

class AristaSession implements SwitchSession {
  readonly #http: SwitchHttp;
  readonly #enable: Command;
  readonly #name: string;

  constructor(http: SwitchHttp, enable: Command, name: string) {
    this.#http = http;
    this.#enable = enable;
    this.#name = name;
  }

  /** EOS keeps only a few sessions open: those that a broken line left of ours would lock us out in the end. */
  async probe(signal: AbortSignal): Promise<void> {
    const [shown] = await this.#run(['show configuration sessions'], signal);
    for (const name of pendingSessions(shown))
      if (name.startsWith(`${this.#name}-`)) await this.#run([`configure session ${name}`, 'abort'], signal);
  }

  /** A port that the switch refuses is left out, and the others are tried again without it. */
  async apply(ports: readonly PortConfig[], signal: AbortSignal): Promise<readonly PortOutcome[]> {
    const refused = await this.#notToBeOpened(ports, signal);
    const open = ports.filter(({ port }) => !refused.has(port));
    for (let left = open; left.length > 0; left = left.filter(({ port }) => !refused.has(port))) {
      const refusal = await this.#commit(left, signal);
      if (refusal === null) break;
      refused.set(refusal.port, refusal.words);
    }
    return ports.map(({ port }) => outcomeOf(port, refused.get(port) ?? null));
  }

  async read(ports: readonly string[], signal: AbortSignal): Promise<readonly PortConfig[]> {
    const now = await this.#ports(signal);
    return ports.flatMap((name) => now.get(name) ?? []);
  }

  async readAll(signal: AbortSignal): Promise<readonly PortConfig[]> {
    return [...(await this.#ports(signal)).values()];
  }

  async identity(signal: AbortSignal): Promise<string | null> {
    const [shown] = await this.#version(signal);
    return aristaIdentity(textIn(shown, 'serialNumber'), textIn(shown, 'systemMacAddress'));
  }

  async about(signal: AbortSignal): Promise<string | null> {
    const [shown] = await this.#version(signal);
    return aboutLine('Arista', textIn(shown, 'modelName'), 'EOS', textIn(shown, 'version'));
  }

  /** Into the configuration mode and out again: that tells whether the user may. */
  async lacks(signal: AbortSignal): Promise<readonly string[]> {
    try {
      await runCommands(this.#http, [this.#enable, 'configure', 'end'], signal, { isQuestion: true });
      return [];
    } catch (error) {
      if (error instanceof CommandRefused) return [error.message];
      throw error;
    }
  }

  async neighbours(signal: AbortSignal): Promise<readonly Neighbour[] | Refusal> {
    try {
      const [shown] = await this.#run(['show mac address-table'], signal);
      return aristaNeighbours(shown);
    } catch (error) {
      if (error instanceof CommandRefused) return { refused: error.message };
      throw error;
    }
  }

  async save(signal: AbortSignal): Promise<void> {
    await this.#run(['copy running-config startup-config'], signal);
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** All of these ports at one stroke, or none of them: then the port that is to blame. */
  async #commit(
    ports: readonly PortConfig[],
    signal: AbortSignal,
  ): Promise<{ readonly port: string; readonly words: string } | null> {
    const session = `configure session ${this.#name}-${randomBytes(4).toString('hex')}`;
    const blocks = ports.map((wanted) => ({ port: wanted.port, commands: commandsFor(wanted) }));
    const commands = [session, ...blocks.flatMap((block) => block.commands), 'commit'];
    try {
      await this.#run(commands, signal);
      return null;
    } catch (error) {
      // Index 0 is `enable`, 1 the session itself.
      if (!(error instanceof CommandRefused) || error.index < 2) throw error;
      await this.#run([session, 'abort'], signal);
      let end = 2;
      const culprit = blocks.find((block) => error.index < (end += block.commands.length));
      if (culprit === undefined) throw error;
      return { port: culprit.port, words: error.words };
    }
  }

  /** Ports that would carry more than they are given, because of something that stays on them. */
  async #notToBeOpened(ports: readonly PortConfig[], signal: AbortSignal): Promise<Map<string, string>> {
    const configured = await this.#configured(signal);
    return new Map(
      ports.flatMap(({ port, native, tagged }): readonly [string, string][] => {
        const foreign = configured.get(port)?.foreign;
        const isIdle = native === null && tagged.length === 0;
        return foreign === undefined || isIdle ? [] : [[port, notToBeOpened([foreign])]];
      }),
    );
  }

  async #ports(signal: AbortSignal): Promise<ReadonlyMap<string, PortConfig>> {
    const configured = await this.#configured(signal);
    const [status, switchport] = await this.#run(showPorts, signal);
    return portsFrom(status, switchport, configured);
  }

  async #configured(signal: AbortSignal): Promise<ReturnType<typeof configuredFrom>> {
    const answers = await runCommands(this.#http, [this.#enable, ...showConfiguration], signal, {
      format: 'text',
    });
    return configuredFrom(answers.slice(1));
  }

  /** Empty if it does not show it. */
  #version(signal: AbortSignal): Promise<readonly unknown[]> {
    return this.#run(['show version'], signal).catch((error: unknown) => {
      if (error instanceof CommandRefused) return [];
      throw error;
    });
  }

  /** Runs commands in privileged mode, and gives their answers without that of `enable`. */
  async #run(commands: readonly string[], signal: AbortSignal): Promise<readonly unknown[]> {
    return (await runCommands(this.#http, [this.#enable, ...commands], signal)).slice(1);
  }
}

const textIn = (value: unknown, name: string): string => {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
};
