import { AuthorizationError } from '../index.ts';
import { type CallerUsed, callerFromOptions, clientAs } from './client-from-options.ts';
import type { Command, ParsedArguments, CommandContext } from './cli-command.ts';
import { exitCodes, failureOf } from './exit-codes.ts';
import { helpFor, wrapHelp } from './cli-help.ts';
import type { Terminal } from './terminal-input.ts';
import { InterruptedError, UsageError } from './usage-error.ts';
import { outputTo } from './output.ts';
import { parse, type Parsed } from './parse-arguments.ts';
import type { Environment } from './profiles.ts';
import { askSecret } from './prompts.ts';
import { refusalHint } from './refusal-hint.ts';
import { version } from './cli-version.ts';

/** The process around a command. */
export interface ProcessContext {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Runs one command line; the answer is the exit code. */
export const run = async (commands: readonly Command[], around: ProcessContext): Promise<number> => {
  const { argv, env, stdout, stderr, signal } = around;
  const end = argv.indexOf('--');
  const options = end < 0 ? argv : argv.slice(0, end);
  const isJson = options.includes('--json');
  const isWide = options.includes('--wide');
  const noColour = (env['NO_COLOR'] ?? '') !== '';
  const output = outputTo(stdout, stderr, { isJson, isWide, noColour });
  const callers: CallerUsed[] = [];
  let words: ParsedArguments | null = null;
  try {
    const parsed: Parsed = parse(commands, argv);
    if (parsed.kind === 'help') {
      stdout.write(`${wrapHelp(helpFor(commands, parsed.words, output.style), output.columns)}\n`);
      return exitCodes.done;
    }
    if (parsed.kind === 'version') {
      if (isJson) output.json({ version });
      else output.say(`corral ${version}`);
      return exitCodes.done;
    }
    words = parsed.parsed;
    await parsed.command.run(createContext(around, words, output, callers), words);
    return signal.aborted ? exitCodes.interrupted : exitCodes.done;
  } catch (error) {
    if (signal.aborted || error instanceof InterruptedError) return exitCodes.interrupted;
    const { code, message, hint } = failureOf(error);
    const caller = callers.at(-1);
    const isRefusal = error instanceof AuthorizationError;
    output.fail(message, isRefusal && caller && words ? await refusalHint(error, caller, words) : hint);
    return code;
  }
};

const createContext = (
  { env, stdin, stderr, signal }: ProcessContext,
  parsed: ParsedArguments,
  output: CommandContext['output'],
  callers: CallerUsed[],
): CommandContext => {
  const terminal: Terminal = { input: stdin, output: stderr, signal };
  const secret = (what: string, file?: string) => askSecret(terminal, what, file);
  return {
    output,
    signal,
    timeoutMs: timeoutOf(parsed.option('timeout')),
    env,
    terminal,
    secret,
    corralAs: (endpoint, credentials) =>
      clientAs(endpoint, credentials, {
        timeoutMs: timeoutOf(parsed.option('timeout')),
        end: signal,
        waiting: output.waiting,
      }),
    corral: async ({ onInterrupt = 'end', option = (name: string) => parsed.option(name) } = {}) => {
      const caller = await callerFromOptions(
        env,
        {
          endpoint: option('endpoint'),
          profile: option('profile'),
          timeoutMs: timeoutOf(option('timeout')),
          end: onInterrupt === 'end' ? signal : null,
          waiting: output.waiting,
        },
        (username, endpoint) => secret(`password of ${username} at ${endpoint}`),
      );
      callers.push(caller);
      return caller.corral;
    },
  };
};

const timeoutOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds > 0)) throw new UsageError('--timeout takes a number of seconds above 0');
  return seconds * 1000;
};
