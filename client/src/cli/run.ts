import { clientAs, clientFor } from './account.ts';
import type { Command, Given, Scene } from './command.ts';
import { exitCodes, failureOf } from './exit.ts';
import { helpFor } from './help.ts';
import type { Person } from './line.ts';
import { InterruptedError, UsageError } from './mistake.ts';
import { outputTo } from './output.ts';
import { parse, type Parsed } from './parse.ts';
import type { Environment } from './profiles.ts';
import { askSecret } from './prompt.ts';
import { version } from './version.ts';

/** The process around a command. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Runs one command line; the answer is the exit code. */
export const run = async (commands: readonly Command[], around: Surroundings): Promise<number> => {
  const { argv, env, stdout, stderr, signal } = around;
  const end = argv.indexOf('--');
  const isJson = (end < 0 ? argv : argv.slice(0, end)).includes('--json');
  const noColour = (env['NO_COLOR'] ?? '') !== '';
  const output = outputTo(stdout, stderr, { isJson, noColour });
  try {
    const parsed: Parsed = parse(commands, argv);
    if (parsed.kind === 'help') {
      stdout.write(`${helpFor(commands, parsed.words, output.style)}\n`);
      return exitCodes.done;
    }
    if (parsed.kind === 'version') {
      if (isJson) output.json({ version });
      else output.say(`corral ${version}`);
      return exitCodes.done;
    }
    await parsed.command.run(sceneOf(around, parsed.given, output), parsed.given);
    return signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } catch (error) {
    if (signal.aborted || error instanceof InterruptedError) return exitCodes.interrupted;
    const { code, message, hint } = failureOf(error);
    output.fail(message, hint);
    return code;
  }
};

const sceneOf = ({ env, stdin, stderr, signal }: Surroundings, given: Given, output: Scene['output']): Scene => {
  const person: Person = { input: stdin, output: stderr, signal };
  const secret = (what: string, file?: string) => askSecret(person, what, file);
  return {
    output,
    signal,
    env,
    person,
    secret,
    corralAs: (endpoint, credentials) =>
      clientAs(endpoint, credentials, { timeoutMs: timeoutOf(given.option('timeout')), end: signal }),
    corral: ({ onInterrupt = 'end', option = (name: string) => given.option(name) } = {}) =>
      clientFor(
        env,
        {
          endpoint: option('endpoint'),
          profile: option('profile'),
          timeoutMs: timeoutOf(option('timeout')),
          end: onInterrupt === 'end' ? signal : null,
        },
        (username, endpoint) => secret(`password of ${username} at ${endpoint}`),
      ),
  };
};

const timeoutOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0)) throw new UsageError('--timeout takes a number of seconds above 0');
  return seconds * 1000;
};
