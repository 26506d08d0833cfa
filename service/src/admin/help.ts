import { ConfigError } from '@corral/base/config/config-error';
import type { Command } from './command.ts';
import { unknownCommand } from './nearest.ts';

const introduction = `corral-admin looks after an installation of Corral, with the configuration of the service
(CORRAL_CONFIG and the environment), on the machine that has its key file.

`;

/** The list of all commands. */
export const overview = (commands: Readonly<Record<string, Command>>): string => {
  const calls = Object.entries(commands).map(
    ([name, { usage, summary }]) => [`${name} ${usage}`.trim(), summary] as const,
  );
  const width = Math.max(...calls.map(([call]) => call.length));
  const lines = calls.map(([call, summary]) => `  ${call.padEnd(width)}   ${summary}\n`);
  return `${introduction}usage: corral-admin COMMAND\n\n${lines.join('')}`;
};

/** What one command does. */
export const describe = (name: string, { usage, summary, help: text }: Command): string =>
  `usage: corral-admin ${`${name} ${usage}`.trim()}\n\n${summary}.\n${text === '' ? '' : `\n${text}\n`}`;

/** The list is asked for late: this command is on it. */
export const help = (commands: () => Readonly<Record<string, Command>>): Command => ({
  usage: '[COMMAND]',
  summary: 'tells what there is, or what one command does',
  help: '',
  options: {},
  operands: 1,
  run: ({ terminal, operands: [name] }) => {
    if (name === undefined) {
      terminal.out(overview(commands()));
      return Promise.resolve(0);
    }
    const command = commands()[name];
    if (command === undefined) throw new ConfigError([unknownCommand(name, Object.keys(commands()))]);
    terminal.out(describe(name, command));
    return Promise.resolve(0);
  },
});
