import { isAdmin, mayActFor, nameOf, projectLabels, requireProject } from './caller.ts';
import { badArgument, blocked, unauthorized } from './corral-error.ts';
import { findProject, type Project } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import {
  audienceOf,
  filterOf,
  findSubscription,
  isUser,
  mailTargetOf,
  requireOwnMail,
  type Subscription,
  type SubscriptionFilter,
  subscriptionsOf,
} from './subscription-records.ts';
import { checkedFilter, insertSubscription, newestEvent, requireMailWanted } from './subscription-making.ts';
import { newWebhookSecret } from './webhook-message.ts';

/** How long a secret that was replaced signs too. */
const oldSecretMs = 86_400_000;

interface SubscriptionCreate {
  readonly subscription: string;
  readonly project?: string;
  readonly url: string;
  readonly filter?: SubscriptionFilter;
}

/** Makes a subscription to what happens from now on. Its secret is returned only once. */
export const subscriptionCreate = async (op: WriteOp, args: SubscriptionCreate): Promise<{ secret: string }> => {
  // First, or a refusal would say whether a project exists.
  requireProject(op.caller, args.project ?? null);
  const project = args.project === undefined ? null : await findProject(op, args.project);
  const { url, origin } = checkedTarget(op, args.url, project);
  const filter = checkedFilter(args.filter ?? {}, args.subscription, project?.label ?? null);
  const secret = newWebhookSecret();
  await insertSubscription(op, args.subscription, project, {
    kind: 'webhook',
    user_id: null,
    target: url,
    origin,
    secret,
    filter,
  });
  return { secret };
};

/** Names are looked up, and judged, at every connection; an address can be judged now. */
const checkedTarget = (
  { dependencies }: WriteOp,
  text: string,
  project: Pick<Project, 'label'> | null,
): { url: string; origin: string } => {
  const places = project === null ? dependencies.outbound : dependencies.projectTargets;
  if (places === null) {
    throw blocked('projects cannot have subscriptions here: the operator has not set webhooks.project_targets');
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw badArgument('field "url" is not an http or https address');
  }
  if (url.username !== '' || url.password !== '') {
    throw badArgument('field "url" contains a user name or a password; messages are signed instead');
  }
  const refusal = places.refusalOf(url.hostname);
  if (refusal !== null) {
    throw badArgument('field "url" is an address where webhooks may not go', { forAdmins: refusal.message });
  }
  url.hash = '';
  return { url: url.href, origin: url.origin };
};

export interface SubscriptionView {
  readonly subscription: string;
  readonly project: string | null;
  readonly url: string;
  readonly user: string | null;
  readonly filter: SubscriptionFilter;
  readonly state: 'active' | 'failing' | 'paused';
  readonly paused_because: string | null;
  readonly made_by: string;
  readonly made_at: string;
  readonly old_secret_until: string | null;
  readonly position: number;
  readonly attempts: number;
  readonly retry_at: string | null;
  readonly delivered: number;
  readonly given_up: number;
  readonly lost_up_to: number | null;
  readonly last_at: string | null;
  readonly last_result: string | null;
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The address of a user is for administrators and that user. */
const urlOf = ({ caller, dependencies: { vault } }: ReadOp, row: Subscription): string => {
  if (row.kind === 'webhook') return vault.open(row.target);
  if (row.user_id === null) return `mailto:${vault.open(row.target)}`;
  return `mailto:${isAdmin(caller) || isUser(caller, row.user_id) ? (row.mail ?? '') : ''}`;
};

const viewOf = (op: ReadOp, row: Subscription): SubscriptionView => ({
  subscription: row.label,
  project: row.project,
  url: urlOf(op, row),
  user: row.user,
  filter: filterOf(row),
  state: row.state === 'active' && row.attempts > 0 ? 'failing' : row.state,
  paused_because: row.paused_because,
  made_by: row.made_by,
  made_at: new Date(row.made_at).toISOString(),
  old_secret_until: row.old_until !== null && row.old_until > Date.now() ? timeOf(row.old_until) : null,
  position: row.position,
  attempts: row.attempts,
  retry_at: row.attempts > 0 && row.state === 'active' ? timeOf(row.retry_at) : null,
  delivered: row.delivered,
  given_up: row.given_up,
  lost_up_to: row.lost_up_to,
  last_at: timeOf(row.last_at),
  last_result: row.last_result,
});

/** Subscriptions of the caller's projects, or of one of them; for administrators all. */
export const listSubscriptions = async (op: ReadOp, args: { project?: string }): Promise<SubscriptionView[]> => {
  if (args.project !== undefined && !mayActFor(op.caller, args.project)) {
    throw unauthorized(`${nameOf(op.caller)} has no access to project ${args.project}`);
  }
  const rows = await subscriptionsOf(op, await shownProjects(op, args.project));
  return rows.map((row) => viewOf(op, row));
};

/** The ids of the projects whose subscriptions are shown; null: all, and those of the site. */
const shownProjects = async (op: ReadOp, project: string | undefined): Promise<number[] | null> => {
  if (project !== undefined) return [(await findProject(op, project)).id];
  if (isAdmin(op.caller)) return null;
  const labels = projectLabels(op.caller);
  const rows = await op.tx.selectFrom('projects').select('id').where('label', 'in', labels).execute();
  return rows.map(({ id }) => id);
};

export const showSubscription = async (op: ReadOp, args: { subscription: string }): Promise<SubscriptionView> =>
  viewOf(op, await findSubscription(op, args.subscription));

interface SubscriptionUpdate {
  readonly subscription: string;
  readonly url?: string;
  readonly filter?: SubscriptionFilter;
  readonly paused?: boolean;
  readonly from_now?: boolean;
}

/** Changes a subscription. What waits for its next attempt is tried at once. */
export const subscriptionUpdate = async (op: WriteOp, args: SubscriptionUpdate): Promise<void> => {
  const row = await findSubscription(op, args.subscription);
  if (!isOnlyPause(args)) await requireChangeable(op, row, args);
  const owner = row.project === null ? null : { label: row.project };
  const target = args.url === undefined ? null : checkedTarget(op, args.url, owner);
  const filter = args.filter === undefined ? null : checkedFilter(args.filter, row.label, row.project);
  await op.tx
    .updateTable('subscriptions')
    .set({
      attempts: 0,
      retry_at: 0,
      digest_from: null,
      digest_to: null,
      ...(target === null ? {} : { target: op.dependencies.vault.seal(target.url), origin: target.origin }),
      ...(filter === null ? {} : { filter: JSON.stringify(filter) }),
      ...(args.paused === undefined ? {} : stateFor(args.paused, nameOf(op.caller))),
      ...(args.from_now === true ? { position: await newestEvent(op) } : {}),
    })
    .where('id', '=', row.id)
    .execute();
  op.record({
    type: 'subscription_update',
    projects: audienceOf(row),
    detail: {
      subscription: row.label,
      ...(target === null ? {} : { origin: target.origin }),
      ...(filter === null ? {} : { filter }),
      ...(args.paused === undefined ? {} : { paused: args.paused }),
      ...(args.from_now === true ? { from_now: true } : {}),
    },
  });
  op.notify('subscriptions');
};

/** Members may end what goes out of their project, wherever it goes to. */
const isOnlyPause = ({ url, filter, paused, from_now }: SubscriptionUpdate): boolean =>
  paused === true && url === undefined && filter === undefined && from_now !== true;

const requireChangeable = async (op: WriteOp, row: Subscription, args: SubscriptionUpdate): Promise<void> => {
  requireOwnMail(op.caller, row);
  if (row.kind === 'webhook') return;
  if (args.url !== undefined) {
    throw badArgument(`subscription ${row.label} sends mail, not webhooks; delete it and make another`);
  }
  if (args.paused !== false) return;
  const { address, because } = mailTargetOf(row, op.dependencies.vault);
  if (address === null) throw blocked(`subscription ${row.label} cannot be resumed: ${because}`);
  await requireMailWanted(op, address);
};

const stateFor = (isPaused: boolean, by: string) =>
  isPaused
    ? ({ state: 'paused', paused_because: `${by} paused it` } as const)
    : ({ state: 'active', paused_because: null } as const);

/** Deletes a subscription with its dead letters. */
export const subscriptionDelete = async (op: WriteOp, args: { subscription: string }): Promise<void> => {
  const row = await findSubscription(op, args.subscription);
  await deleteRows(op, [row.id]);
  op.record({ type: 'subscription_delete', projects: audienceOf(row), detail: { subscription: row.label } });
  op.notify('subscriptions');
};

const deleteRows = async ({ tx }: WriteOp, ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.deleteFrom('dead_letters').where('subscription_id', 'in', ids).execute();
  await tx.deleteFrom('subscriptions').where('id', 'in', ids).execute();
};

/** Deletes all subscriptions of a project. */
export const deleteSubscriptionsOf = async (op: WriteOp, project: { id: number }): Promise<void> => {
  const rows = await op.tx.selectFrom('subscriptions').select('id').where('project_id', '=', project.id).execute();
  await deleteRows(
    op,
    rows.map(({ id }) => id),
  );
  op.notify('subscriptions');
};

/** Deletes all mail subscriptions to a user. */
export const deleteSubscriptionsTo = async (op: WriteOp, user: { id: number }): Promise<void> => {
  const rows = await op.tx.selectFrom('subscriptions').select('id').where('user_id', '=', user.id).execute();
  await deleteRows(
    op,
    rows.map(({ id }) => id),
  );
  op.notify('subscriptions');
};

/** Gives it a new secret, which is returned only once. For a day, messages are signed with the old one too. */
export const subscriptionRotateSecret = async (
  op: WriteOp,
  args: { subscription: string },
): Promise<{ secret: string; old_secret_until: string }> => {
  const row = await findSubscription(op, args.subscription);
  if (row.kind === 'mail') throw badArgument(`subscription ${row.label} sends mail, which is not signed`);
  const { vault } = op.dependencies;
  const secret = newWebhookSecret();
  const old_until = Date.now() + oldSecretMs;
  await op.tx
    .updateTable('subscriptions')
    // Sealed anew: a rotation of the vault's key may be under way.
    .set({ secret: vault.seal(secret), old_secret: vault.seal(vault.open(row.secret)), old_until })
    .where('id', '=', row.id)
    .execute();
  op.record({ type: 'subscription_rotate_secret', projects: audienceOf(row), detail: { subscription: row.label } });
  return { secret, old_secret_until: new Date(old_until).toISOString() };
};
