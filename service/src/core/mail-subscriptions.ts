import { mailAddressIn, mailAddressRule } from '../schema/mail-address.ts';
import { type Caller, isAdmin, nameOf, requireAdmin, requireProject } from './caller.ts';
import { badArgument, blocked, invalid, unauthorized } from './corral-error.ts';
import { findProject, findUser, type Project, type User } from './find-objects.ts';
import type { WriteOp } from './request-context.ts';
import { checkedFilter, insertSubscription, requireMailWanted } from './subscription-making.ts';
import { isUser, type SubscriptionFilter } from './subscription-records.ts';

interface SubscriptionCreateMail {
  readonly subscription: string;
  readonly project?: string;
  readonly user?: string;
  readonly address?: string;
  readonly filter?: SubscriptionFilter;
}

/**
 * Makes a subscription that mails what happens from now on. Nobody can have the site send mail to strangers: members
 * subscribe themselves, at the address that an administrator set for them; only administrators name others.
 */
export const subscriptionCreateMail = async (op: WriteOp, args: SubscriptionCreateMail): Promise<void> => {
  // First, or a refusal would say whether a project or a user exists.
  requireProject(op.caller, args.project ?? null);
  if (args.address !== undefined) requireAdmin(op.caller);
  if (args.user !== undefined) requireSelf(op.caller, args.user);
  if (!op.dependencies.hasMail) throw blocked('no mail is sent here: the operator has not set mail.host');
  const project = args.project === undefined ? null : await findProject(op, args.project);
  const filter = checkedFilter(args.filter ?? {}, args.subscription, project?.label ?? null);
  const target = await checkedRecipient(op, args, project);
  await insertSubscription(op, args.subscription, project, { kind: 'mail', secret: '', filter, ...target });
};

const requireSelf = (caller: Caller, user: string): void => {
  const isOwn = caller.kind === 'user' && caller.account?.kind === 'user' && caller.name === user;
  if (!isOwn && !isAdmin(caller)) {
    throw unauthorized(`${nameOf(caller)} can subscribe nobody else to mail; only administrators can`);
  }
};

const checkedRecipient = async (
  op: WriteOp,
  { user: label, address: text }: SubscriptionCreateMail,
  project: Project | null,
): Promise<{ user_id: number | null; target: string; origin: string }> => {
  if (label === undefined) {
    if (text === undefined) throw invalid('give field "user" or field "address"');
    const address = mailAddressIn(text);
    if (address === null) throw badArgument(`field "address" is not ${mailAddressRule}`);
    await requireMailWanted(op, address);
    return { user_id: null, target: address, origin: `an address at ${address.slice(address.lastIndexOf('@') + 1)}` };
  }
  const user = await findUser(op, label);
  if (text !== undefined) throw invalid('field "user" and field "address" exclude each other; give one of them');
  await requireReader(op, user, project);
  if (user.mail === null) throw blocked(`user ${label} has no mail address; an administrator can set one`);
  if (user.mail_off === 1) {
    throw blocked(`user ${label} turned mail off${isUser(op.caller, user.id) ? '; turn it on first' : ''}`);
  }
  return { user_id: user.id, target: '', origin: `the mail of ${label}` };
};

/** Nobody is mailed what they may not see. */
const requireReader = async ({ tx }: WriteOp, user: User, project: Project | null): Promise<void> => {
  if (user.is_admin === 1) return;
  if (project === null) throw blocked(`user ${user.label} is not an administrator; give a project of theirs`);
  const member = await tx
    .selectFrom('user_projects')
    .select('user_id')
    .where('user_id', '=', user.id)
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  if (member === undefined) throw blocked(`user ${user.label} is not in project ${project.label}`);
};
