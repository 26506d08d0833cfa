import { Type } from '@sinclair/typebox';
import { invalid } from '../../core/corral-error.ts';
import {
  listUsers,
  userAddProject,
  userCreate,
  userDelete,
  userRemoveProject,
  userSetAdmin,
} from '../../core/users.ts';
import { showUserMail, userSetMail } from '../../core/user-mail.ts';
import { userSetPassword } from '../../core/user-password.ts';
import { Label, NewUsername } from '../../schema/labels.ts';
import { NewPassword } from '../../schema/passwords.ts';
import { type Route, route } from '../route.ts';
import { MailAddress } from '../../schema/mail-address.ts';
import { byLabel, exactly, Labels, orNull } from '../schemas.ts';

const memberBody = exactly({ project: Label });

const NewUser = exactly({
  password: Type.String({ minLength: 1, maxLength: 1024, description: 'a password of 1 to 1024 characters' }),
  is_admin: Type.Optional(Type.Boolean()),
  'is-admin': Type.Optional(Type.Boolean()),
});

const PasswordChange = exactly({
  password: NewPassword,
  current: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, description: 'your current password, to change your own' }),
  ),
  revoke_tokens: Type.Optional(Type.Boolean({ description: 'true: also revoke your API tokens' })),
});

/** The calls of the database authentication backend. */
export const userRoutes: readonly Route[] = [
  route({
    name: 'list_users',
    endpoint: 'GET /auth/basic/users',
    summary: 'List all users',
    access: 'admin',
    reply: byLabel(Type.Object({ is_admin: Type.Boolean(), projects: Labels })),
    handle: (context) => context.read(listUsers),
  }),
  route({
    name: 'user_create',
    endpoint: 'PUT /auth/basic/user/:username',
    summary: 'Create a user',
    access: 'admin',
    auth: 'Admin; an administrator not with an API token',
    params: exactly({ username: NewUsername }),
    body: NewUser,
    handle: (context, { params: { username }, body }) => {
      const { password, is_admin: one, 'is-admin': other } = body;
      if (one !== undefined && other !== undefined && one !== other) {
        throw invalid('field "is_admin" and field "is-admin" disagree; give one of them');
      }
      return userCreate(context, { username, password, admin: one ?? other ?? false });
    },
  }),
  route({
    name: 'user_delete',
    endpoint: 'DELETE /auth/basic/user/:username',
    summary: 'Delete a user',
    access: 'admin',
    auth: 'Admin; an administrator not with an API token',
    handle: (context, { params: args }) => context.write((op) => userDelete(op, args)),
  }),
  route({
    name: 'user_set_admin',
    endpoint: 'PATCH /auth/basic/user/:username',
    summary: 'Give a user administrative access, or take it away',
    access: 'admin',
    auth: 'Admin, not with an API token',
    body: exactly({ is_admin: Type.Boolean() }),
    handle: (context, { params: args, body }) => context.write((op) => userSetAdmin(op, { ...args, ...body })),
  }),
  route({
    name: 'user_set_password',
    endpoint: 'PUT /auth/basic/user/:username/password',
    summary: "Change your own password, or set another user's",
    access: 'user',
    auth: 'The user, with the current password as `current`; or Admin, for other users. Not with an API token',
    body: PasswordChange,
    handle: (context, { params: { username }, body: { password, current, revoke_tokens } }, { address }) =>
      userSetPassword(context, { username, password, current, revoke_tokens, address }),
  }),
  route({
    name: 'show_user_mail',
    endpoint: 'GET /auth/basic/user/:username/mail',
    summary: "Show a user's mail address and whether they want mail",
    access: 'user',
    auth: 'The user, or Admin',
    reply: Type.Object({ address: orNull(Type.String()), enabled: Type.Boolean() }),
    handle: (context, { params: args }) => context.read((op) => showUserMail(op, args)),
  }),
  route({
    name: 'user_set_mail',
    endpoint: 'PATCH /auth/basic/user/:username/mail',
    summary: "Set a user's mail address, or turn your own mail on or off",
    access: 'user',
    auth: 'Admin for `address`; the user for `enabled`, or Admin to turn it off',
    body: exactly({
      address: Type.Optional(orNull(MailAddress)),
      enabled: Type.Optional(Type.Boolean({ description: 'false: no mail to this user' })),
    }),
    handle: (context, { params: args, body }) => context.write((op) => userSetMail(op, { ...args, ...body })),
  }),
  route({
    name: 'user_add_project',
    endpoint: 'POST /auth/basic/user/:user/add_project',
    summary: 'Add a user to a project',
    access: 'admin',
    body: memberBody,
    handle: (context, { params: args, body }) => context.write((op) => userAddProject(op, { ...args, ...body })),
  }),
  route({
    name: 'user_remove_project',
    endpoint: 'POST /auth/basic/user/:user/remove_project',
    summary: 'Remove a user from a project',
    access: 'admin',
    body: memberBody,
    handle: (context, { params: args, body }) => context.write((op) => userRemoveProject(op, { ...args, ...body })),
  }),
];
