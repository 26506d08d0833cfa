import type { ManualConfig } from './manual-config.ts';
import type { SwitchState } from './switch-state.ts';
import type { AddressAnswers } from './learned-addresses.ts';
import type { LabAddress, LabPort, LabSwitch } from './lab-switch.ts';
import { startFaultRelay } from './fault-relay.ts';
import type { IdentityAnswers } from './device-identities.ts';
import type { SshAccount } from './ssh-server.ts';
import { type Reply, type Shell, type SshConsole, startSshConsole } from './ssh-console.ts';

/** The inside of a scripted switch: its state, and the command line that changes it. */
export interface SwitchModel extends Pick<LabSwitch, 'unknownPort' | 'refusedVlan'> {
  readonly state: Pick<SwitchState<{ isShut: boolean }>, 'byHand' | 'carried' | 'tamper'> & {
    readonly ports: ReadonlyMap<string, unknown>;
  };
  /** How it tells which device it is. */
  readonly nameplate: IdentityAnswers;
  /** How it tells the addresses that it has learned. */
  readonly addresses?: AddressAnswers;
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
  /** After every command. */
  watch(port: string): readonly LabPort[];
  readonly byHand: ManualConfig;
  /** Writes this into the answers to the next `times` commands that look like `to`, after so many of their lines. */
  interrupt(message: Interruption): void;
  /** Takes another password from now on, and ends the sessions that are open. */
  rotatePassword(password: string): void;
  /** Answers commands that look like this with these words, and does not follow them. */
  refuse(command: RegExp, words: string): void;
}

/** A message of the log that falls into an answer. */
interface Interruption {
  readonly text: string;
  readonly to: RegExp;
  readonly afterLine: number;
  readonly times: number;
}

/** Puts a model behind an SSH server, and that behind a line that can be broken. */
export const startScriptedSwitch = async (
  model: SwitchModel,
  options: ScriptedOptions = {},
): Promise<ScriptedSwitch> => {
  const { state } = model;
  const login = { username: 'corral', password: 'lab password' };
  const watched = new Map<string, LabPort[]>();
  const noteAll = (): void => {
    for (const [port, moments] of watched) moments.push(state.carried(port));
  };
  let serial: string | null = null;
  let learned: readonly LabAddress[] = [];
  let message: Interruption | null = null;
  const refusals: { readonly command: RegExp; readonly words: string }[] = [];
  const disturb = (command: string, text: string): string => {
    if (!message?.to.test(command) || message.times === 0) return text;
    const lines = text.split('\n');
    lines.splice(message.afterLine, 0, message.text);
    message = { ...message, times: message.times - 1 };
    return lines.join('\n');
  };
  const newShell = (): Shell =>
    watchedShell(model.newShell(), noteAll, (line, answer) => {
      const refusal = refusals.find(({ command }) => command.test(line));
      if (refusal) return { text: refusal.words };
      const told = serial === null ? undefined : model.nameplate(serial)[line.trim()];
      if (told !== undefined) return { text: told };
      const table = model.addresses?.(learned)[line.trim()];
      if (table !== undefined) return { text: disturb(line, table) };
      const reply = answer();
      return { ...reply, text: disturb(line, reply.text) };
    });
  const account = { ...options, ...login, newShell };
  const console = await startSshConsole(account);
  const line = await startFaultRelay({ port: console.port });
  return {
    fields: { hostname: '127.0.0.1', port: line.port, ...login, ...options.fields },
    ports: [...state.ports.keys()],
    unknownPort: model.unknownPort,
    refusedVlan: model.refusedVlan,
    console,
    carried: (port) => Promise.resolve(state.carried(port)),
    tamper: (port, tampered) => {
      state.tamper(port, tampered);
      return Promise.resolve();
    },
    watch: (port) => {
      const moments = [state.carried(port)];
      watched.set(port, moments);
      return moments;
    },
    byHand: state.byHand,
    get serial() {
      return serial;
    },
    set serial(next) {
      serial = next;
    },
    ...(model.addresses && {
      learn: (next: readonly LabAddress[]) => {
        learned = next;
      },
    }),
    interrupt: (next) => {
      message = next;
    },
    received: () => [...console.transcript],
    rotatePassword: (password) => {
      account.password = password;
      console.drop();
    },
    refuse: (command, words) => refusals.push({ command, words }),
    breakLine: (fault) => line.breakLine(fault),
    stop: async () => {
      await line.stop();
      await console.stop();
    },
  };
};

const watchedShell = (shell: Shell, done: () => void, answer: (line: string, answer: () => Reply) => Reply): Shell => ({
  ...(shell.banner !== undefined && { banner: shell.banner }),
  pager: shell.pager,
  pageLength: () => shell.pageLength(),
  prompt: () => shell.prompt(),
  answer: (line) => {
    const reply = answer(line, () => shell.answer(line));
    done();
    return reply;
  },
});
