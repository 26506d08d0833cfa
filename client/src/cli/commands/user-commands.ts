import { simpleCommand } from '../simple-command.ts';
import type { Command } from '../cli-command.ts';
import { reportDone } from '../report-done.ts';
import { setPassword } from '../set-password.ts';

/** What can be done with users of the database backend. */
export const userCommands: readonly Command[] = [
  {
    words: ['user', 'create'],
    about: 'create a user; the password is asked for, or read from a file',
    args: [{ name: 'user', kind: 'text' }],
    options: {
      admin: { about: 'with administrative access' },
      'password-file': { value: 'FILE', about: 'file with the password; - for standard input' },
    },
    example: 'user create ada --password-file pw',
    run: async ({ corral, output, secret }, parsed) => {
      const username = parsed.arg('user');
      const password = await secret(`a password for ${username}`, parsed.option('password-file'));
      await (await corral()).userCreate({ username, password, is_admin: parsed.flag('admin') });
      reportDone(output, `user ${username} is created`);
    },
  },
  simpleCommand({
    usage: 'user delete <user>',
    about: 'delete a user',
    example: 'user delete ada',
    call: (corral, { user }) => corral.userDelete({ username: user }),
    sentence: ({ user }) => `user ${user} is deleted`,
  }),
  {
    words: ['user', 'list'],
    about: 'list all users and their projects',
    example: 'user list',
    run: async ({ corral, output }) => {
      const users = await (await corral()).listUsers();
      const rows = Object.entries(users).map(([name, { is_admin, projects }]) => [
        name,
        is_admin ? 'yes' : '',
        projects.join(', '),
      ]);
      output.table(['user', 'admin', 'projects'], rows, users, 'no users');
    },
  },
  simpleCommand({
    usage: 'user set-admin <user> <admin:true|false>',
    about: 'give a user administrative access, or take it away',
    example: 'user set-admin ada true',
    call: (corral, { user, admin }) => corral.userSetAdmin({ username: user, is_admin: admin === 'true' }),
    sentence: ({ user, admin }) => `user ${user} has ${admin === 'true' ? '' : 'no '}administrative access`,
  }),
  {
    words: ['user', 'password'],
    about: "change your own password, or set another user's (administrators)",
    args: [{ name: 'user', kind: 'user', isOptional: true }],
    options: {
      'current-file': { value: 'FILE', about: 'file with your current password; - for standard input' },
      'password-file': { value: 'FILE', about: 'file with the new password; prompts for both otherwise' },
      'revoke-tokens': { about: 'also revoke your API tokens; those of others always are' },
    },
    example: 'user password ada --password-file new-pw',
    run: async (context, parsed) => {
      const username = await setPassword(context, parsed);
      reportDone(context.output, `user ${username} has a new password`);
    },
  },
  simpleCommand({
    usage: 'user project add <user> <project>',
    about: 'add a user to a project',
    example: 'user project add ada physics',
    call: (corral, args) => corral.userAddProject(args),
    sentence: ({ user, project }) => `user ${user} may act for project ${project}`,
  }),
  simpleCommand({
    usage: 'user project remove <user> <project>',
    about: 'remove a user from a project',
    example: 'user project remove ada physics',
    call: (corral, args) => corral.userRemoveProject(args),
    sentence: ({ user, project }) => `user ${user} may no longer act for project ${project}`,
  }),
];
