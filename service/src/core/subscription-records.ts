import type { Selectable } from 'kysely';
import type { Vault } from '@corral/base/secrets/vault';
import type { Database } from '../db/service-schema.ts';
import type { EventFilter } from './audit.ts';
import { type Caller, isAdmin, requireProject } from './caller.ts';
import { notFound, unauthorized } from './corral-error.ts';
import type { EventObject } from './events.ts';
import type { ReadOp } from './request-context.ts';
import type { WebhookTarget } from './webhook-sender.ts';

/** Which events a subscription is for; all that its owner may see, if nothing is said. */
export type SubscriptionFilter = Readonly<Partial<Record<EventObject, string>>> & {
  readonly types?: readonly string[];
  readonly project?: string;
  readonly caller?: string;
};

/** A subscription with the label of its project; null: it is the site's. Of mail to a user, with who that is. */
export type Subscription = Selectable<Database['subscriptions']> & {
  readonly project: string | null;
  readonly user: string | null;
  readonly mail: string | null;
  readonly mail_off: number | null;
  readonly is_admin: number | null;
  /** null: the user is not a member of the project. */
  readonly member_id: number | null;
};

const withProject = ({ tx }: Pick<ReadOp, 'tx'>) =>
  tx
    .selectFrom('subscriptions')
    .leftJoin('projects', 'projects.id', 'subscriptions.project_id')
    .leftJoin('users', 'users.id', 'subscriptions.user_id')
    .leftJoin('user_projects', (join) =>
      join
        .onRef('user_projects.user_id', '=', 'subscriptions.user_id')
        .onRef('user_projects.project_id', '=', 'subscriptions.project_id'),
    )
    .selectAll('subscriptions')
    .select([
      'projects.label as project',
      'users.label as user',
      'users.mail',
      'users.mail_off',
      'users.is_admin',
      'user_projects.user_id as member_id',
    ]);

/** Finds a subscription that the caller may use: one of their projects', or for administrators any. */
export const findSubscription = async (op: ReadOp, label: string): Promise<Subscription> => {
  const found = await withProject(op).where('subscriptions.label', '=', label).executeTakeFirst();
  if (found === undefined) throw notFound(`subscription ${label} does not exist`);
  requireProject(op.caller, found.project);
  return found;
};

export const subscriptionById = (op: Pick<ReadOp, 'tx'>, id: number): Promise<Subscription | undefined> =>
  withProject(op).where('subscriptions.id', '=', id).executeTakeFirst();

/** Those of a project, or of all. */
export const subscriptionsOf = (
  op: Pick<ReadOp, 'tx'>,
  projectIds: readonly number[] | null,
): Promise<Subscription[]> => {
  if (projectIds === null) return withProject(op).orderBy('subscriptions.label').execute();
  if (projectIds.length === 0) return Promise.resolve([]);
  return withProject(op).where('subscriptions.project_id', 'in', projectIds).orderBy('subscriptions.label').execute();
};

/** Sees what the owner of a subscription may see, and nothing else: of a project, its own events. */
export const ownerOf = ({ label, project }: Pick<Subscription, 'label' | 'project'>): Caller => ({
  kind: 'user',
  name: `subscription ${label}`,
  admin: project === null,
  projects: new Set(project === null ? [] : [project]),
});

export const filterOf = ({ filter }: Pick<Subscription, 'filter'>): SubscriptionFilter =>
  JSON.parse(filter) as SubscriptionFilter;

/** The same as a filter of the list of events; several types are left to be compared. */
export const eventFilterOf = ({ types = [], ...filter }: SubscriptionFilter): EventFilter => {
  const [type] = types;
  return type !== undefined && types.length === 1 ? { ...filter, type } : filter;
};

/** Where its messages go. While a secret is being replaced, the old one signs too. */
export const targetOf = (
  { target, secret, old_secret, old_until, project_id }: Subscription,
  vault: Vault,
): WebhookTarget => ({
  url: vault.open(target),
  secrets: [
    vault.open(secret),
    ...(old_secret === null || old_until === null || old_until <= Date.now() ? [] : [vault.open(old_secret)]),
  ],
  owner: project_id === null ? 'site' : 'project',
});

type MailTarget =
  | { readonly address: string; readonly because: null }
  /** Why no mail is to be sent there any more. */
  | { readonly address: null; readonly because: string };

/** Where its mail goes. What a user may see, and wants, is judged each time. */
export const mailTargetOf = (subscription: Subscription, vault: Vault): MailTarget => {
  const { target, user_id, user, project, mail, mail_off, is_admin, member_id } = subscription;
  if (user_id === null) return { address: vault.open(target), because: null };
  const none = (because: string): MailTarget => ({ address: null, because: `user ${user ?? ''} ${because}` });
  if (mail_off === 1) return none('turned mail off');
  if (mail === null) return none('has no mail address');
  if (is_admin === 1 || (project !== null && member_id !== null)) return { address: mail, because: null };
  return none(project === null ? 'is not an administrator' : `is not a member of project ${project}`);
};

/** Is the caller this very user, and not somebody of another backend with the same name? */
export const isUser = (caller: Caller, userId: number | null): boolean =>
  caller.kind === 'user' && caller.account?.kind === 'user' && caller.account.id === userId;

/** More mail for somebody is for them to ask for, or for an administrator. */
export const requireOwnMail = (caller: Caller, { kind, user, user_id, label }: Subscription): void => {
  if (kind === 'webhook' || isAdmin(caller) || (user_id !== null && isUser(caller, user_id))) return;
  const who = user === null ? 'an administrator' : `user ${user} or an administrator`;
  throw unauthorized(`subscription ${label} sends mail to others: only ${who} can do this; pause or delete it instead`);
};

/** As an event names the project. */
export const audienceOf = ({ project_id, project }: Subscription) =>
  project_id === null || project === null ? [] : [{ id: project_id, label: project }];
