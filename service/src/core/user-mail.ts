import { mailAddressIn, mailAddressRule } from '../schema/mail-address.ts';
import { type Caller, isAdmin } from './caller.ts';
import { badArgument, invalid, unauthorized } from './corral-error.ts';
import { findUser, type User } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { audienceOf, subscriptionsOf } from './subscription-records.ts';

interface UserMailView {
  readonly address: string | null;
  /** Does the user want mail? */
  readonly enabled: boolean;
}

/** The mail address of a user, and whether the user wants mail. */
export const showUserMail = async (op: ReadOp, args: { username: string }): Promise<UserMailView> => {
  requireOwnOrAdmin(op.caller, args.username);
  const user = await findUser(op, args.username);
  return { address: user.mail, enabled: user.mail_off === 0 };
};

interface UserSetMail {
  readonly username: string;
  readonly address?: string | null;
  readonly enabled?: boolean;
}

/**
 * Administrators set addresses, so that nobody names the address of a stranger. Everybody can turn off their own mail,
 * and what a user turned off, only that user can turn on.
 */
export const userSetMail = async (op: WriteOp, args: UserSetMail): Promise<void> => {
  const isOwn = requireOwnOrAdmin(op.caller, args.username);
  const address = checkedAddress(op.caller, args);
  if (args.enabled === true && !isOwn) throw unauthorized('only the user can turn their mail on');
  const user = await findUser(op, args.username);
  const after = {
    mail: address === undefined ? user.mail : address,
    mail_off: args.enabled === undefined ? user.mail_off : args.enabled ? (0 as const) : (1 as const),
  };
  await op.tx.updateTable('users').set(after).where('id', '=', user.id).execute();
  if (after.mail_off === 1) await pauseMailTo(op, user, after.mail);
  op.record({
    type: 'user_set_mail',
    user: user.label,
    detail: {
      ...(address === undefined ? {} : { address: address === null ? 'removed' : 'set' }),
      ...(args.enabled === undefined ? {} : { enabled: args.enabled }),
    },
  });
};

const requireOwnOrAdmin = (caller: Caller, username: string): boolean => {
  if (caller.kind === 'user' && caller.account?.kind === 'user' && caller.name === username) return true;
  if (!isAdmin(caller)) throw unauthorized("only administrators may see or change another user's mail");
  return false;
};

/** Undefined: it stays as it is. */
const checkedAddress = (caller: Caller, { address: text, enabled }: UserSetMail): string | null | undefined => {
  if (text === undefined) {
    if (enabled === undefined) throw invalid('give field "address" or field "enabled"');
    return undefined;
  }
  if (!isAdmin(caller)) throw unauthorized('only administrators may set mail addresses');
  if (text === null) return null;
  const address = mailAddressIn(text);
  if (address === null) throw badArgument(`field "address" is not ${mailAddressRule}`);
  return address;
};

/** Also what goes to the address by the choice of an administrator. There are few subscriptions. */
const pauseMailTo = async (op: WriteOp, user: User, address: string | null): Promise<void> => {
  const { vault } = op.dependencies;
  const all = await subscriptionsOf(op, null);
  const paused_because = `user ${user.label} turned mail off`;
  for (const row of all) {
    if (row.kind !== 'mail' || row.state === 'paused') continue;
    const isTheirs = row.user_id === null ? vault.open(row.target) === address : row.user_id === user.id;
    if (!isTheirs) continue;
    await op.tx
      .updateTable('subscriptions')
      .set({ state: 'paused', paused_because })
      .where('id', '=', row.id)
      .execute();
    op.record({
      type: 'subscription_paused',
      projects: audienceOf(row),
      detail: { subscription: row.label, reason: paused_because },
    });
  }
  op.notify('subscriptions');
};
