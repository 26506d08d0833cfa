import { userSetPassword } from '../core/user-password.ts';
import { findUser } from '../core/find-objects.ts';
import type { Command } from './admin-command.ts';
import { shownOnce, warnOfOtherBackends } from './create-admin-command.ts';
import { lines } from './text-layout.ts';
import { choosePassword, passwordHelp, passwordOptions, passwordUsage } from './new-password.ts';
import { withUserContext } from './user-context.ts';

export const resetPasswordCommand: Command = {
  usage: `USER ${passwordUsage}`,
  summary: 'sets the password of a user, and ends their sessions and tokens',
  help: `The sessions of the user end and the tokens are revoked, as when an administrator sets it over the
interface. The service may run; it notices within a second. Prompts for the password, or:

${passwordHelp}`,
  example: 'corral-admin reset-password ada --password-file -',
  options: passwordOptions,
  operands: 1,
  needed: ['USER'],
  run: async (invocation) => {
    const { terminal } = invocation;
    const [username = ''] = invocation.operands;
    const config = invocation.config();
    return withUserContext(config, terminal, async (context) => {
      // Before anybody is asked for a password.
      await context.read((op) => findUser(op, username));
      const chosen = await choosePassword(invocation, username);
      const args = { username, password: chosen.password, current: undefined, revoke_tokens: undefined };
      await userSetPassword(context, { ...args, address: '' });
      terminal.out(
        lines(`User ${username} has a new password. The old one is invalid, sessions have ended, tokens are revoked.`) +
          shownOnce(chosen),
      );
      warnOfOtherBackends(config.auth, terminal);
      return 0;
    });
  },
};
