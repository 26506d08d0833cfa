import { type Caller, isAdmin, requireNoToken } from './caller.ts';
import { badArgument, blocked, CorralError, invalid, unauthorized } from './corral-error.ts';
import { findUser, type User } from './find-objects.ts';
import type { RequestContext, WriteOp } from './request-context.ts';
import { hashPassword, passwordFits } from './password-hash.ts';
import { endSessionsOf } from './sessions.ts';
import { revokeTokensOf } from './tokens.ts';

interface UserSetPassword {
  readonly username: string;
  readonly password: string;
  readonly current: string | undefined;
  /** Also revoke the tokens; a reset does so always. */
  readonly revoke_tokens: boolean | undefined;
  /** Where the request comes from: a wrong `current` is a failed login from there. */
  readonly address: string;
}

/**
 * Users change their own password and show the present one for it; administrators set those of others, which ends all
 * that was opened with the old one.
 */
export const userSetPassword = async (context: RequestContext, args: UserSetPassword): Promise<void> => {
  const isOwn = requireOwnOrAdmin(context.caller, args.username);
  requireFit(args, isOwn);
  const before = isOwn ? await verifyOwn(context, args) : await findOther(context, args);
  const password_hash = await hashPassword(args.password);
  await context.write(async (op) => {
    const user = await findUser(op, args.username);
    if (user.id !== before.id || user.version !== before.version) {
      throw blocked(`user ${args.username} was changed at the same time; try again`);
    }
    await op.tx
      .updateTable('users')
      .set({ password_hash, version: user.version + 1 })
      .where('id', '=', user.id)
      .execute();
    if (!isOwn || args.revoke_tokens === true) await revokeTokensOf(op, user);
    await endSessions(op, user, isOwn);
    op.record({ type: 'user_set_password', user: user.label, detail: { reset: !isOwn } });
    op.notify('users');
  });
  await context.dependencies.firstPassword.forget((text) => passwordFits(before.password_hash, text));
};

/** Is it the caller's own? A token is for scripts: a stolen one must not give its owner's full access. */
const requireOwnOrAdmin = (caller: Caller, username: string): boolean => {
  requireNoToken(caller, 'change passwords');
  if (caller.kind === 'user' && caller.account?.kind === 'user' && caller.name === username) return true;
  if (!isAdmin(caller)) throw unauthorized("only administrators may set another user's password");
  return false;
};

const requireFit = ({ username, password, current, revoke_tokens }: UserSetPassword, isOwn: boolean): void => {
  if (isOwn && current === undefined) {
    throw invalid('field "current" is missing; expected your current password, to change your own');
  }
  if (!isOwn && current !== undefined) {
    throw invalid('field "current" is only for changing your own password; leave it out to set that of another user');
  }
  if (!isOwn && revoke_tokens !== undefined) {
    throw invalid('field "revoke_tokens" is only for your own password; setting that of another user always revokes');
  }
  if (password === username) throw badArgument('the new password is the user name; choose another');
  if (password === current) throw badArgument('the new password is the current one; choose another');
};

const verifyOwn = async (
  context: RequestContext,
  { username, current = '', address }: UserSetPassword,
): Promise<User> => {
  const verified = await context.dependencies
    .checkPassword({ username, password: current, address })
    .catch((error: unknown) => {
      if (!(error instanceof CorralError) || error.type !== 'AuthorizationError') throw error;
      throw unauthorized('field "current" is not your current password');
    });
  const user = await context.read((op) => findUser(op, username));
  return { ...user, id: verified.id, version: verified.version };
};

const findOther = async (context: RequestContext, { username, password }: UserSetPassword): Promise<User> => {
  const user = await context.read((op) => findUser(op, username));
  if (await passwordFits(user.password_hash, password)) {
    throw badArgument(`the new password is the one that user ${username} has; choose another`);
  }
  return user;
};

/** A user who changes their own password keeps the current session. */
const endSessions = (op: WriteOp, user: User, isOwn: boolean): Promise<void> => {
  const by = isOwn && op.caller.kind === 'user' ? op.caller.by : undefined;
  return endSessionsOf(op, user, by?.kind === 'session' ? { id: by.id } : {});
};
