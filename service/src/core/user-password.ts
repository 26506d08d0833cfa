import { type Caller, isAdmin } from './caller.ts';
import { badArgument, blocked, invalid, unauthorized } from './errors.ts';
import { findUser, type User } from './find.ts';
import type { Desk, WriteOp } from './op.ts';
import { hashPassword, passwordFits } from './passwords.ts';
import { endSessionsOf } from './sessions.ts';
import { revokeTokensOf } from './tokens.ts';

interface UserSetPassword {
  readonly username: string;
  readonly password: string;
  readonly current: string | undefined;
  /** Where the request comes from: a wrong `current` is a failed login from there. */
  readonly address: string;
}

/**
 * Users change their own password and show the present one for it; administrators set those of others, which ends all
 * that was opened with the old one.
 */
export const userSetPassword = async (desk: Desk, args: UserSetPassword): Promise<void> => {
  const isOwn = requireOwnOrAdmin(desk.caller, args.username);
  requireFit(args, isOwn);
  const before = isOwn ? await verifyOwn(desk, args) : await findOther(desk, args);
  const password_hash = await hashPassword(args.password);
  await desk.write(async (op) => {
    const user = await findUser(op, args.username);
    if (user.id !== before.id || user.version !== before.version) {
      throw blocked(`user ${args.username} was changed at the same time; try again`);
    }
    await op.tx
      .updateTable('users')
      .set({ password_hash, version: user.version + 1 })
      .where('id', '=', user.id)
      .execute();
    await endAccess(op, user, isOwn);
    op.record({ type: 'user_set_password', user: user.label, detail: { reset: !isOwn } });
    op.ring('users');
  });
  await desk.site.firstPassword.forget((text) => passwordFits(before.password_hash, text));
};

/** Is it the caller's own? A token is for scripts: whoever finds one must not become its owner. */
const requireOwnOrAdmin = (caller: Caller, username: string): boolean => {
  if (caller.kind === 'user' && caller.by?.kind === 'token') {
    throw unauthorized('an API token may not change passwords; sign in, or send user name and password');
  }
  if (caller.kind === 'user' && caller.account?.kind === 'user' && caller.name === username) return true;
  if (!isAdmin(caller)) throw unauthorized("only administrators may set another user's password");
  return false;
};

const requireFit = ({ username, password, current }: UserSetPassword, isOwn: boolean): void => {
  if (isOwn && current === undefined) {
    throw invalid('field "current" is missing; expected your present password, to change your own');
  }
  if (!isOwn && current !== undefined) {
    throw invalid('field "current" is only for changing your own password; leave it out to set that of another user');
  }
  if (password === username) throw badArgument('the new password is the user name; choose another');
  if (password === current) throw badArgument('the new password is the present one; choose another');
};

const verifyOwn = async (desk: Desk, { username, current = '', address }: UserSetPassword): Promise<User> => {
  const verified = await desk.site.checkPassword({ username, password: current, address });
  const user = await desk.read((op) => findUser(op, username));
  return { ...user, id: verified.id, version: verified.version };
};

const findOther = async (desk: Desk, { username, password }: UserSetPassword): Promise<User> => {
  const user = await desk.read((op) => findUser(op, username));
  if (await passwordFits(user.password_hash, password)) {
    throw badArgument(`the new password is the one that user ${username} has; choose another`);
  }
  return user;
};

/** Whoever changes the password keeps the present session and the tokens; a reset leaves nothing of the old access. */
const endAccess = async (op: WriteOp, user: User, isOwn: boolean): Promise<void> => {
  if (!isOwn) {
    await revokeTokensOf(op, user);
    return endSessionsOf(op, user);
  }
  const by = op.caller.kind === 'user' ? op.caller.by : undefined;
  await endSessionsOf(op, user, by?.kind === 'session' ? { id: by.id } : {});
};
