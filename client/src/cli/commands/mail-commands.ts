import type { Corral } from '../../index.ts';
import type { Argument, Command, CommandContext } from '../cli-command.ts';
import { reportDone } from '../report-done.ts';
import { simpleCommand } from '../simple-command.ts';

const someUser: Argument = { name: 'user', kind: 'user', isOptional: true };

/** The user that is named, or the caller. */
const userOf = async (corral: Corral, named: string | undefined): Promise<string> =>
  named ?? (await corral.whoami()).name;

const turn = async (
  { corral, output }: Pick<CommandContext, 'corral' | 'output'>,
  named: string | undefined,
  enabled: boolean,
): Promise<void> => {
  const client = await corral();
  const username = await userOf(client, named);
  await client.userSetMail({ username, enabled });
  reportDone(output, `mail to ${username} is ${enabled ? 'on' : 'off'}`);
};

/** Mail addresses of users, and whether they want mail. */
export const mailCommands: readonly Command[] = [
  {
    words: ['mail', 'show'],
    about: "show your mail address and whether you get mail, or another user's (administrators)",
    args: [someUser],
    example: 'mail show ada',
    run: async ({ corral, output }, parsed) => {
      const client = await corral();
      const username = await userOf(client, parsed.optional('user'));
      const shown = await client.showUserMail({ username });
      output.facts(
        [
          ['user', username],
          ['address', shown.address ?? 'none'],
          ['mail', shown.enabled ? 'on' : 'off'],
        ],
        shown,
      );
    },
  },
  {
    words: ['mail', 'off'],
    about: "get no mail any more; an administrator can turn off another user's",
    args: [someUser],
    example: 'mail off',
    run: (context, parsed) => turn(context, parsed.optional('user'), false),
  },
  {
    words: ['mail', 'on'],
    about: 'get mail again; resume the subscriptions that you want',
    example: 'mail on',
    run: (context) => turn(context, undefined, true),
  },
  simpleCommand({
    usage: 'mail set <user> <address:text>',
    about: "set a user's mail address",
    example: 'mail set ada ada@example.org',
    call: (corral, { user, address }) => corral.userSetMail({ username: user, address }),
    sentence: ({ user, address }) => `mail to ${user} goes to ${address}`,
  }),
  simpleCommand({
    usage: 'mail remove <user>',
    about: "remove a user's mail address",
    example: 'mail remove ada',
    call: (corral, { user }) => corral.userSetMail({ username: user, address: null }),
    sentence: ({ user }) => `user ${user} has no mail address`,
  }),
];
