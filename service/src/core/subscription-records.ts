import type { Selectable } from 'kysely';
import type { Vault } from '@corral/base/secrets/vault';
import type { Database } from '../db/service-schema.ts';
import type { EventFilter } from './audit.ts';
import { type Caller, requireProject } from './caller.ts';
import { notFound } from './corral-error.ts';
import type { EventObject } from './events.ts';
import type { ReadOp } from './request-context.ts';
import type { WebhookTarget } from './webhook-sender.ts';

/** Which events a subscription is for; all that its owner may see, if nothing is said. */
export type SubscriptionFilter = Readonly<Partial<Record<EventObject, string>>> & {
  readonly types?: readonly string[];
  readonly project?: string;
  readonly caller?: string;
};

/** A subscription with the label of its project; null: it is the site's. */
export type Subscription = Selectable<Database['subscriptions']> & { readonly project: string | null };

const withProject = ({ tx }: Pick<ReadOp, 'tx'>) =>
  tx
    .selectFrom('subscriptions')
    .leftJoin('projects', 'projects.id', 'subscriptions.project_id')
    .selectAll('subscriptions')
    .select('projects.label as project');

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

/** As an event names the project. */
export const audienceOf = ({ project_id, project }: Subscription) =>
  project_id === null || project === null ? [] : [{ id: project_id, label: project }];
