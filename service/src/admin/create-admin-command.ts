import { ConfigError } from '@corral/base/config/config-error';
import { checkOf } from '@corral/base/schema/schema-check';
import { userCreate } from '../core/users.ts';
import { NewUsername } from '../schema/labels.ts';
import type { Command, Terminal } from './admin-command.ts';
import { heading, lines } from './text-layout.ts';
import { choosePassword, type ChosenPassword, passwordHelp, passwordOptions, passwordUsage } from './new-password.ts';
import { withUserContext } from './user-context.ts';

export const createAdminCommand: Command = {
  usage: `USER ${passwordUsage}`,
  summary: 'creates an administrator in the database',
  help: `For the first administrator, or another one when nobody can sign in. Prompts for the password, or:

${passwordHelp}`,
  example: 'corral-admin create-admin grace --generate',
  options: passwordOptions,
  operands: 1,
  needed: ['USER'],
  run: async (invocation) => {
    const { terminal } = invocation;
    const [username = ''] = invocation.operands;
    const mistakes = checkOf(NewUsername, () => `the user name ${JSON.stringify(username)}`)(username);
    if (mistakes.length > 0) throw new ConfigError(mistakes);
    const config = invocation.config();
    return withUserContext(config, terminal, async (context) => {
      const chosen = await choosePassword(invocation, username);
      await userCreate(context, { username, password: chosen.password, admin: true });
      terminal.out(lines(`User ${username} is an administrator.`) + shownOnce(chosen));
      warnOfOtherBackends(config.auth, terminal);
      return 0;
    });
  },
};

/** Results may be piped somewhere; the password is one of them. */
export const shownOnce = ({ password, isGenerated }: ChosenPassword): string =>
  isGenerated ? lines(`${heading('password')}${password}`, '(shown once)') : '';

export const warnOfOtherBackends = (auth: readonly string[], terminal: Terminal): void => {
  if (auth.includes('database')) return;
  terminal.err(
    `corral-admin: the setting auth (${auth.join(', ')}) does not include database, so this user cannot log in\n`,
  );
};
