import { act } from '../act.ts';
import type { Argument, Command, Given } from '../command.ts';
import { done } from '../say.ts';
import { setPassword } from '../set-password.ts';

const user: Argument = { name: 'user', kind: 'user' };
const project: Argument = { name: 'project', kind: 'project' };

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
    run: async ({ corral, output, secret }, given) => {
      const username = given.arg('user');
      const password = await secret(`a password for ${username}`, given.option('password-file'));
      await (await corral()).userCreate({ username, password, is_admin: given.flag('admin') });
      done(output, `user ${username} is created`);
    },
  },
  act({
    words: 'user delete',
    about: 'delete a user',
    args: [user],
    example: 'user delete ada',
    call: (corral, given) => corral.userDelete({ username: given.arg('user') }),
    sentence: (given) => `user ${given.arg('user')} is deleted`,
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
  act({
    words: 'user set-admin',
    about: 'give a user administrative access, or take it away',
    args: [user, { name: 'admin', kind: 'text', oneOf: ['true', 'false'] }],
    example: 'user set-admin ada true',
    call: (corral, given) =>
      corral.userSetAdmin({ username: given.arg('user'), is_admin: given.arg('admin') === 'true' }),
    sentence: (given) =>
      `user ${given.arg('user')} has ${given.arg('admin') === 'true' ? '' : 'no '}administrative access`,
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
    run: async (scene, given) => {
      const username = await setPassword(scene, given);
      done(scene.output, `user ${username} has a new password`);
    },
  },
  act({
    words: 'user project add',
    about: 'add a user to a project',
    args: [user, project],
    example: 'user project add ada physics',
    call: (corral, given) => corral.userAddProject(membership(given)),
    sentence: (given) => `user ${given.arg('user')} may act for project ${given.arg('project')}`,
  }),
  act({
    words: 'user project remove',
    about: 'remove a user from a project',
    args: [user, project],
    example: 'user project remove ada physics',
    call: (corral, given) => corral.userRemoveProject(membership(given)),
    sentence: (given) => `user ${given.arg('user')} may no longer act for project ${given.arg('project')}`,
  }),
];

const membership = (given: Given) => ({ user: given.arg('user'), project: given.arg('project') });
