import { clientFor } from './account.ts';
import type { Command, Given, Scene } from './command.ts';
import { exitCodes, failureOf } from './exit.ts';
import { helpFor } from './help.ts';
import { UsageError } from './mistake.ts';
import { outputTo } from './output.ts';
import { parse, type Parsed } from './parse.ts';
import type { Environment } from './profiles.ts';
import { askSecret, type Person } from './prompt.ts';

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
  const isJson = argv.includes('--json');
  const noColour = (env['NO_COLOR'] ?? '') !== '';
  const output = outputTo(stdout, stderr, { isJson, noColour });
  try {
    const parsed: Parsed = parse(commands, argv);
    if (parsed.kind === 'help') {
      stdout.write(`${helpFor(commands, parsed.words, output.style)}\n`);
      return exitCodes.done;
    }
    await parsed.command.run(sceneOf(around, parsed.given, output), parsed.given);
    return exitCodes.done;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    const { code, message, hint } = failureOf(error);
    const style = outputTo(stderr, stderr, { isJson, noColour }).style;
    stderr.write(`${style.red('corral:')} ${message}\n`);
    if (hint !== null) stderr.write(`${style.dim(hint)}\n`);
    return code;
  }
};

const sceneOf = ({ env, stdin, stderr, signal }: Surroundings, given: Given, output: Scene['output']): Scene => {
  const person: Person = { input: stdin, output: stderr };
  const secret = (what: string, file?: string) => askSecret(person, what, file);
  return {
    output,
    signal,
    env,
    person,
    secret,
    corral: () =>
      clientFor(
        env,
        { endpoint: given.option('endpoint'), profile: given.option('profile'), timeoutMs: timeoutOf(given) },
        (username) => secret(`password of ${username}`),
      ),
  };
};

const timeoutOf = (given: Given): number | undefined => {
  const text = given.option('timeout');
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0)) throw new UsageError('--timeout takes a number of seconds above 0');
  return seconds * 1000;
};
