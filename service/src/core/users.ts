import { nameOf, requireNoToken } from './caller.ts';
import { endClaimsOf } from './claims.ts';
import { duplicate, illegalState, notFound } from './corral-error.ts';
import { findProject, findUser, type User } from './find-objects.ts';
import type { RequestContext, ReadOp, WriteOp } from './request-context.ts';
import { hashPassword } from './password-hash.ts';
import { lockHolders } from './current-rights.ts';
import { endSessionsOf } from './sessions.ts';
import { deleteSubscriptionsTo } from './subscriptions.ts';
import { revokeTokensOf } from './tokens.ts';

interface UserView {
  readonly is_admin: boolean;
  readonly projects: readonly string[];
}

export const listUsers = async ({ tx }: ReadOp): Promise<Record<string, UserView>> => {
  const users = await tx.selectFrom('users').select(['id', 'label', 'is_admin']).execute();
  const memberships = await tx
    .selectFrom('user_projects')
    .innerJoin('projects', 'projects.id', 'user_projects.project_id')
    .select(['user_projects.user_id', 'projects.label'])
    .execute();
  const projects = new Map<number, string[]>(users.map(({ id }) => [id, []]));
  for (const { user_id, label } of memberships) projects.get(user_id)?.push(label);
  return Object.fromEntries(
    users
      .sort((a, b) => (a.label < b.label ? -1 : 1))
      .map(({ id, label, is_admin }) => [
        label,
        { is_admin: is_admin === 1, projects: (projects.get(id) ?? []).sort() },
      ]),
  );
};

interface UserCreate {
  readonly username: string;
  readonly password: string;
  readonly admin: boolean;
}

/** The slow hash is made between two transactions, so that it holds up nobody else. */
export const userCreate = async (context: RequestContext, args: UserCreate): Promise<void> => {
  if (args.admin) requireNoToken(context.caller, 'create administrators');
  await context.read((op) => requireFreeName(op, args.username));
  const password_hash = await hashPassword(args.password);
  await context.write(async (op) => {
    await requireFreeName(op, args.username);
    await op.tx
      .insertInto('users')
      .values({ label: args.username, password_hash, is_admin: args.admin ? 1 : 0 })
      .execute();
    op.record({ type: 'user_create', user: args.username, detail: { is_admin: args.admin } });
    op.notify('users');
  });
};

const requireFreeName = async ({ tx }: ReadOp, username: string): Promise<void> => {
  const taken = await tx.selectFrom('users').select('id').where('label', '=', username).executeTakeFirst();
  if (taken) throw duplicate(`user ${username} already exists`);
};

export const userDelete = async (op: WriteOp, args: { username: string }): Promise<void> => {
  const user = await findUser(op, args.username);
  if (user.is_admin === 1) {
    requireNoToken(op.caller, 'delete administrators');
    await requireAnotherAdmin(op, user, 'deleted');
  }
  await endSessionsOf(op, user);
  await revokeTokensOf(op, user);
  await endClaimsOf(op, user);
  await deleteSubscriptionsTo(op, user);
  await op.tx.deleteFrom('user_projects').where('user_id', '=', user.id).execute();
  await op.tx.deleteFrom('users').where('id', '=', user.id).execute();
  op.record({ type: 'user_delete', user: user.label });
  op.notify('users');
};

export const userSetAdmin = async (op: WriteOp, args: { username: string; is_admin: boolean }): Promise<void> => {
  requireNoToken(op.caller, 'give or take administrative access');
  const user = await findUser(op, args.username);
  if (user.label === nameOf(op.caller)) {
    throw illegalState('you cannot change your own admin status; ask another administrator');
  }
  if (user.is_admin === 1 && !args.is_admin) await requireAnotherAdmin(op, user, 'demoted');
  await op.tx
    .updateTable('users')
    .set({ is_admin: args.is_admin ? 1 : 0, version: user.version + 1 })
    .where('id', '=', user.id)
    .execute();
  await lockHolders(op.tx, { user_id: user.id, identity_id: null });
  op.record({ type: 'user_set_admin', user: user.label, detail: { is_admin: args.is_admin } });
  op.notify('users');
};

const requireAnotherAdmin = async ({ tx }: WriteOp, user: User, what: string): Promise<void> => {
  const other = await tx
    .selectFrom('users')
    .select('id')
    .where('is_admin', '=', 1)
    .where('id', '!=', user.id)
    .executeTakeFirst();
  if (!other) throw illegalState(`user ${user.label} is the last administrator and cannot be ${what}`);
};

interface Membership {
  readonly user: string;
  readonly project: string;
}

const findMembership = async (op: WriteOp, args: Membership) => {
  const user = await findUser(op, args.user);
  const project = await findProject(op, args.project);
  const member = await op.tx
    .selectFrom('user_projects')
    .select('user_id')
    .where('user_id', '=', user.id)
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return { user, project, isMember: member !== undefined };
};

export const userAddProject = async (op: WriteOp, args: Membership): Promise<void> => {
  const { user, project, isMember } = await findMembership(op, args);
  if (isMember) throw duplicate(`user ${user.label} is already in project ${project.label}`);
  await op.tx.insertInto('user_projects').values({ user_id: user.id, project_id: project.id }).execute();
  op.record({ type: 'user_add_project', projects: [project], user: user.label });
  op.notify('users');
};

export const userRemoveProject = async (op: WriteOp, args: Membership): Promise<void> => {
  const { user, project, isMember } = await findMembership(op, args);
  if (!isMember) throw notFound(`user ${user.label} is not in project ${project.label}`);
  await op.tx.deleteFrom('user_projects').where('user_id', '=', user.id).where('project_id', '=', project.id).execute();
  await lockHolders(op.tx, { user_id: user.id, identity_id: null });
  op.record({ type: 'user_remove_project', projects: [project], user: user.label });
  op.notify('users');
};
