import { ConfigError } from '@corral/base/config/config-error';
import type { Command } from './admin-command.ts';
import { unknownCommand } from './unknown-command.ts';

const introduction = `corral-admin maintains an installation of Corral, with the configuration of the service
(CORRAL_CONFIG and the environment), on the machine that has its key file.

`;

/** The list of all commands. */
export const overview = (commands: Readonly<Record<string, Command>>): string => {
  const names = Object.keys(commands);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}   ${summary}\n`);
  return `${introduction}usage: corral-admin COMMAND\n\n${lines.join('')}\ncorral-admin help COMMAND describes a command; corral-admin --version shows the version.\n`;
};

/** What one command does. */
export const describe = (name: string, { usage, summary, help: text, example }: Command): string =>
  [
    `usage: corral-admin ${`${name} ${usage}`.trim()}`,
    `${summary}.`,
    ...(text === '' ? [] : [text]),
    ...(example === undefined ? [] : [`Example:\n\n  ${example}`]),
  ].join('\n\n') + '\n';

/** The list is asked for late: this command is on it. */
export const help = (commands: () => Readonly<Record<string, Command>>): Command => ({
  usage: '[COMMAND]',
  summary: 'lists the commands, or describes one',
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
