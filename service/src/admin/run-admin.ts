import { parseArgs } from 'node:util';
import { ConfigError } from '@corral/base/config/config-error';
import type { Environment } from '@corral/base/config/setting';
import { DatabaseRefused } from '@corral/base/db/migrations';
import { BackupRefused } from '@corral/base/db/read-backup';
import { version } from '@corral/base/program-version';
import { loadConfig } from '../config/load-service-config.ts';
import type { Config } from '../config/service-config.ts';
import type { Command, Input, Invocation, Terminal } from './admin-command.ts';
import { commands } from './admin-commands.ts';
import { handOver } from './hand-over.ts';
import { filesOf, programDatabasesOf } from './program-databases.ts';
import { describe, overview } from './help-command.ts';
import { unknownCommand } from './unknown-command.ts';

/** The same as those of the service. */
const exitCodes = { mistake: 2, failure: 1 } as const;

/** Runs one command and gives the exit code. */
export const runAdmin = async (
  args: readonly string[],
  env: Environment,
  terminal: Terminal,
  input: Input,
): Promise<number> => {
  const loaded: Config[] = [];
  const config = (): Config => {
    const read = loadConfig(env);
    loaded.push(read);
    return read;
  };
  try {
    const [name, ...rest] = args;
    if (name === undefined) {
      terminal.err(overview(commands));
      return exitCodes.mistake;
    }
    if (name === '--version') {
      terminal.out(`corral-admin ${version}\n`);
      return 0;
    }
    const command = commands[name === '--help' || name === '-h' ? 'help' : name];
    if (command === undefined) throw new ConfigError([unknownCommand(name, Object.keys(commands))]);
    const { options, operands } = understood(name, command, rest);
    if (options['help'] === true) {
      terminal.out(describe(name, command));
      return 0;
    }
    requireOperands(name, command, operands);
    return await command.run({ config, terminal, input, options, operands });
  } catch (error) {
    return reportError(error, terminal);
  } finally {
    for (const read of loaded) handOver(filesMade(read));
  }
};

/** What a command may have made that the service opens. */
const filesMade = (config: Config): readonly string[] => [
  config.keyFile,
  ...programDatabasesOf(config, config.database).flatMap(filesOf),
];

const requireOperands = (name: string, { needed = [] }: Command, operands: readonly string[]): void => {
  const missing = needed[operands.length];
  if (missing === undefined) return;
  throw new ConfigError([`${name}: ${missing} is missing; see corral-admin help ${name}`]);
};

const understood = (
  name: string,
  command: Command,
  args: readonly string[],
): Pick<Invocation, 'options' | 'operands'> => {
  const wayOut = `see corral-admin help ${name}`;
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const surplus = positionals[command.operands];
    if (surplus === undefined) return { options: values, operands: positionals };
    throw new ConfigError([`${name}: unexpected argument ${JSON.stringify(surplus)}; ${wayOut}`]);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new ConfigError([`${name}: ${sentence.replace(/\.$/, '')}; ${wayOut}`]);
  }
};

const reportError = (error: unknown, terminal: Terminal): number => {
  if (error instanceof ConfigError) {
    for (const mistake of error.mistakes) terminal.err(`corral-admin: ${mistake}\n`);
    return exitCodes.mistake;
  }
  terminal.err(`corral-admin: ${messageOf(error)}\n`);
  return error instanceof DatabaseRefused || error instanceof BackupRefused ? exitCodes.mistake : exitCodes.failure;
};

/** What libraries say that is no sentence for an operator. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.message.includes('client password must be a string')) {
    return 'PostgreSQL requires a password: give it in the URL, in PGPASSWORD or in ~/.pgpass';
  }
  // A connection that is refused at every address of a name has no message of its own.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return error.message === '' && first !== undefined ? messageOf(first) : error.message;
};
