import { EosConfig, EosError } from './arista-config.ts';
import { labFingerprint } from './certificates.ts';
import {
  type LabHttpRequest,
  type LabHttpSwitch,
  labUser,
  startHttpServer,
  type LabHttpResponse,
} from './lab-http-server.ts';
import type { LabAddress } from './lab-switch.ts';
import { eapiAddresses } from './learned-addresses.ts';
import { StateHistory } from './state-history.ts';

/** How the device differs from one out of the box. */
export interface LabAristaOptions {
  readonly enablePassword?: string;
  /** The user may look at everything and configure nothing. */
  readonly isReadOnly?: boolean;
}

/** EOS keeps this many sessions that are not committed. */
const mostPending = 5;

/** A scripted Arista switch, and what an operator can do to it that Corral does not. */
export interface LabArista extends LabHttpSwitch {
  /** Types lines on an interface, which add VLANs; nothing takes them all away again. */
  configure(port: string, lines?: readonly string[], carries?: readonly number[]): void;
  /** Makes sessions that mirror frames, as the configuration shows them. */
  mirror(...lines: readonly string[]): void;
}

/** A scripted Arista switch behind eAPI over TLS. */
export const startArista = async (options: LabAristaOptions = {}): Promise<LabArista> => {
  const ports = Array.from({ length: 240 }, (_, index) => `Ethernet${1 + Math.floor(index / 4)}/${1 + (index % 4)}`);
  const eos = new Eos(EosConfig.fresh(ports), options);
  const server = await startHttpServer('https', (asked) => eos.answer(asked));
  return {
    fields: { hostname: '127.0.0.1', port: server.port, ...labUser, fingerprint: labFingerprint },
    ports,
    unknownPort: 'Ethernet99/1',
    refusedVlan: 1006,
    carried: (port) => Promise.resolve(eos.running.carried(port)),
    tamper: (port, { native, tagged }) => {
      const vlans = native === null ? tagged : [native, ...tagged];
      for (const vlan of vlans) eos.running.vlans.add(vlan);
      eos.running.set(port, {
        shutdown: false,
        switchport: true,
        ...(tagged.length === 0
          ? { mode: 'access', accessVlan: native ?? 1 }
          : { mode: 'trunk', nativeVlan: native ?? 1, allowed: new Set(vlans) }),
      });
      return Promise.resolve();
    },
    breakLine: (fault) => server.breakLine(fault),
    makeOdd: (port) => eos.running.set(port, { shutdown: false, switchport: true, mode: 'dot1qTunnel' }),
    configure: (port, lines = [], carries = []) => eos.running.set(port, { lines, carries }),
    mirror: (...lines) => (eos.monitors = lines),
    get serial() {
      return eos.serial;
    },
    set serial(serial) {
      eos.serial = serial;
    },
    learn: (learned) => {
      eos.learned = learned;
    },
    asked: () => server.asked(),
    received: () => server.received(),
    moments: (port) => eos.moments.take(port),
    watch: (port) => eos.moments.watch(port, eos.running.carried(port)),
    stop: () => server.stop(),
  };
};

class Eos {
  running: EosConfig;
  monitors: readonly string[] = [];
  serial: string | null = null;
  learned: readonly LabAddress[] = [];
  readonly moments = new StateHistory();
  readonly #sessions = new Map<string, EosConfig | 'completed'>();
  readonly #enablePassword: string | null;
  readonly #isReadOnly: boolean;

  constructor(running: EosConfig, { enablePassword, isReadOnly = false }: LabAristaOptions) {
    this.running = running;
    this.#enablePassword = enablePassword ?? null;
    this.#isReadOnly = isReadOnly;
  }

  /** JSON-RPC: commands run up to the first that fails, which the answer then names. */
  answer({ method, path, body }: LabHttpRequest): LabHttpResponse {
    if (method !== 'POST' || path !== '/command-api') return { status: 404 };
    const commands = commandsIn(body);
    const reply = (rest: object): LabHttpResponse => ({
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ jsonrpc: '2.0', id: 'corral', ...rest }),
    });
    if (!commands) return reply({ error: { code: -32602, message: 'Invalid params' } });
    const cli: Cli = { isEnabled: false, session: null, isText: body.includes('"format":"text"') };
    const results: unknown[] = [];
    for (const [index, { cmd, input }] of commands.entries()) {
      try {
        results.push(this.#run(cmd, input, cli));
      } catch (error) {
        if (!(error instanceof EosError)) throw error;
        const why = error.code === 1002 ? 'invalid command' : 'could not run command';
        const message = `CLI command ${index + 1} of ${commands.length} '${cmd}' failed: ${why}`;
        const data = [...results, { errors: [error.message] }];
        return reply({ error: { code: error.code, message, data } });
      }
    }
    return reply({ result: results });
  }

  #run(command: string, input: string, cli: Cli): unknown {
    if (cli.session !== null) return this.#inSession(command, cli, cli.session);
    if (command === 'enable') {
      if (this.#enablePassword !== null && input !== this.#enablePassword) throw new EosError(1000, 'Bad secret');
      cli.isEnabled = true;
      return {};
    }
    if (command === 'show version' && this.serial !== null)
      return {
        modelName: 'DCS-7050TX-64-R',
        version: '4.20.1F',
        serialNumber: this.serial,
        systemMacAddress: '00:1c:73:00:00:01',
      };
    if (command === 'show interfaces status') return this.running.showStatus();
    if (command === 'show interfaces switchport') return this.running.showSwitchport();
    if (command === 'show mac address-table') return eapiAddresses(this.learned);
    if (!cli.isEnabled) throw new EosError(1000, 'Command not authorized');
    if (command.startsWith('show running-config')) return this.#showConfiguration(command, cli);
    if (command === 'show configuration sessions') return this.#showSessions();
    if (command === 'copy running-config startup-config') return { messages: ['Copy completed successfully.'] };
    if (command.startsWith('configure') && this.#isReadOnly) throw new EosError(1000, 'Command not authorized');
    if (command === 'configure' || command === 'end') return {};
    const session = /^configure session (\S+)$/.exec(command)?.[1];
    if (session === undefined) throw new EosError(1002, `Invalid input (at token 0: '${command.split(' ')[0] ?? ''}')`);
    cli.session = session;
    return this.#enter(session);
  }

  #enter(name: string): unknown {
    const known = this.#sessions.get(name);
    if (known === 'completed') throw new EosError(1000, `Cannot enter session ${name} (already completed)`);
    if (known === undefined) {
      const pending = [...this.#sessions.values()].filter((one) => one !== 'completed').length;
      if (pending >= mostPending) throw new EosError(1000, 'Maximum number of pending sessions has been reached');
      this.#sessions.set(name, new EosConfig(this.running));
    }
    return {};
  }

  #inSession(command: string, cli: Cli, name: string): unknown {
    const config = this.#sessions.get(name);
    if (config === undefined || config === 'completed') throw new EosError(1000, 'No such session');
    if (command === 'abort') {
      this.#sessions.delete(name);
      cli.session = null;
    } else if (command === 'commit') {
      this.running = config;
      for (const port of config.interfaces.keys()) this.moments.note(port, config.carried(port));
      this.#sessions.set(name, 'completed');
      cli.session = null;
    } else config.run(command);
    return {};
  }

  #showConfiguration(command: string, cli: Cli): unknown {
    if (!cli.isText) throw new EosError(1000, 'Unsupported pipe or unconverted command');
    if (command === 'show running-config interfaces') return { output: this.running.showInterfaces() };
    return { output: this.monitors.map((line) => `${line}\n`).join('') };
  }

  #showSessions(): unknown {
    const sessions = [...this.#sessions].map(([name, config]): [string, unknown] => [
      name,
      { state: config === 'completed' ? 'completed' : 'pending', commitUser: '', description: '', instances: {} },
    ]);
    return { maxSavedSessions: 1, maxOpenSessions: mostPending, sessions: Object.fromEntries(sessions) };
  }
}

/** Where one request's command line stands. */
interface Cli {
  isEnabled: boolean;
  session: string | null;
  readonly isText: boolean;
}

const commandsIn = (body: string): readonly { cmd: string; input: string }[] | null => {
  const request: unknown = JSON.parse(body);
  const at = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const cmds = at(at(request, 'params'), 'cmds');
  if (at(request, 'method') !== 'runCmds' || !Array.isArray(cmds)) return null;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return cmds.map((one: unknown) => ({ cmd: text(one) || text(at(one, 'cmd')), input: text(at(one, 'input')) }));
};
