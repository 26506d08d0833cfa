import type { LabPort, LabSwitch } from './lab-switch.ts';
import { startLine } from './line.ts';
import type { SshAccount } from './ssh-server.ts';
import { type Shell, type SshConsole, startSshConsole } from './ssh-console.ts';

/** The inside of a scripted switch: its state, and the command line that changes it. */
export interface SwitchModel extends Pick<LabSwitch, 'ports' | 'unknownPort' | 'refusedVlan'> {
  carried(port: string): LabPort;
  tamper(port: string, state: LabPort): void;
  newShell(): Shell;
}

/** How a scripted switch is started. */
export interface ScriptedOptions extends Pick<SshAccount, 'publicKey' | 'isKeyboardInteractive' | 'isOpen'> {
  /** Fields of switch_register beside the address and the login. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A switch that keeps state and speaks a vendor's command line over SSH. */
export interface ScriptedSwitch extends LabSwitch {
  readonly console: SshConsole;
  /** Writes down what this port carries after every command from now on. */
  watch(port: string): readonly LabPort[];
}

/** Puts a model behind an SSH server, and that behind a line that can be broken. */
export const startScriptedSwitch = async (
  model: SwitchModel,
  options: ScriptedOptions = {},
): Promise<ScriptedSwitch> => {
  const login = { username: 'corral', password: 'lab password' };
  const watched = new Map<string, LabPort[]>();
  const noteAll = (): void => {
    for (const [port, moments] of watched) moments.push(model.carried(port));
  };
  const newShell = (): Shell => watchedShell(model.newShell(), noteAll);
  const console = await startSshConsole({ ...options, ...login, newShell });
  const line = await startLine({ port: console.port });
  return {
    fields: { hostname: '127.0.0.1', port: line.port, ...login, ...options.fields },
    ports: model.ports,
    unknownPort: model.unknownPort,
    refusedVlan: model.refusedVlan,
    console,
    carried: (port) => Promise.resolve(model.carried(port)),
    tamper: (port, state) => {
      model.tamper(port, state);
      return Promise.resolve();
    },
    watch: (port) => {
      const moments = [model.carried(port)];
      watched.set(port, moments);
      return moments;
    },
    breakLine: (fault) => line.breakLine(fault),
    stop: async () => {
      await line.stop();
      await console.stop();
    },
  };
};

const watchedShell = (shell: Shell, done: () => void): Shell => ({
  ...(shell.banner !== undefined && { banner: shell.banner }),
  pager: shell.pager,
  pageLength: () => shell.pageLength(),
  prompt: () => shell.prompt(),
  answer: (line) => {
    const reply = shell.answer(line);
    done();
    return reply;
  },
});
