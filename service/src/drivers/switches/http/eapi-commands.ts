import { oneLine } from '../device-text.ts';
import { itemsOf, member } from '@corral/base/json-members';
import type { SwitchHttp } from './switch-http-client.ts';

/** A command that the switch would not run. */
export class CommandRefused extends Error {
  /** Where in the list of commands it stood, from 0. */
  readonly index: number;
  /** The switch's own words. */
  readonly words: string;

  constructor(index: number, command: string, words: string) {
    super(`the switch refuses "${oneLine(command)}": ${words}`);
    this.name = 'CommandRefused';
    this.index = index;
    this.words = words;
  }
}

/** A command, or one that asks for something: `enable` for its password. */
export type Command = string | { readonly cmd: string; readonly input: string };

/** Runs commands one after the other, up to the first that is refused, and gives what each of them answered. */
export const runCommands = async (
  http: SwitchHttp,
  commands: readonly Command[],
  signal: AbortSignal,
  { format = 'json', isQuestion = commands.every(isAsking) }: { format?: 'json' | 'text'; isQuestion?: boolean } = {},
): Promise<readonly unknown[]> => {
  const { status, text } = await http.ask(
    {
      method: 'POST',
      path: '/command-api',
      headers: { 'content-type': 'application/json' },
      body: requestOf(commands, format),
      shown: requestOf(commands.map(withoutInput), format),
      ...(isQuestion && { isQuestion }),
      done: JSON.stringify({ result: commands.map(() => ({})) }),
    },
    signal,
  );
  if (status !== 200) throw new Error(`the switch answers HTTP ${status}: "${oneLine(text)}"`);
  const answer = parsed(text);
  const error = member(answer, 'error');
  if (error !== undefined) throw refusalFrom(error, commands);
  const results = itemsOf(member(answer, 'result'));
  if (results.length !== commands.length)
    throw new Error(`the switch answers ${commands.length} commands with "${oneLine(text)}"`);
  return results;
};

const requestOf = (cmds: readonly Command[], format: 'json' | 'text'): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'runCmds', params: { version: 1, format, cmds }, id: 'corral' });

const withoutInput = (command: Command): Command =>
  typeof command === 'string' ? command : { ...command, input: '[secret]' };

/** A command that changes nothing. */
const isAsking = (command: Command): boolean =>
  typeof command === 'string' ? command === 'enable' || command.startsWith('show ') : command.cmd === 'enable';

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw new Error(`the switch answers something that is not JSON: "${oneLine(text)}"`, { cause: error });
  }
};

/** 1000: it was tried and failed; 1002: there is no such command. The others are about us or about the interface. */
const aboutTheCommand: readonly unknown[] = [1000, 1002];

const refusalFrom = (error: unknown, commands: readonly Command[]): Error => {
  const message = String(member(error, 'message'));
  const position = Number(/^CLI command (\d+) of \d+ /.exec(message)?.[1]);
  const command = commands[position - 1];
  if (command === undefined || !aboutTheCommand.includes(member(error, 'code')))
    return new Error(`the switch refuses our request: ${oneLine(message)}`);
  const words = itemsOf(member(itemsOf(member(error, 'data')).at(-1), 'errors')).filter(
    (one) => typeof one === 'string',
  );
  return new CommandRefused(
    position - 1,
    typeof command === 'string' ? command : command.cmd,
    oneLine(words.length === 0 ? message : words.join(' ')),
  );
};
