import { requireOwnFilters } from './audit.ts';
import { nameOf } from './caller.ts';
import { blocked, duplicate, unauthorized } from './corral-error.ts';
import type { Project } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { eventFilterOf, ownerOf, type SubscriptionFilter } from './subscription-records.ts';
import { newSubscriptionUid } from './webhook-message.ts';

/** So many, because each of them looks at what happened. */
const mostOfProject = 10;
const mostOfAll = 500;

/** What is said of a subscription when it is made. */
interface NewSubscription {
  readonly kind: 'webhook' | 'mail';
  readonly user_id: number | null;
  readonly target: string;
  /** What may be shown and logged of the target. */
  readonly origin: string;
  readonly secret: string;
  readonly filter: SubscriptionFilter;
}

/** Makes a subscription to what happens from now on. */
export const insertSubscription = async (
  op: WriteOp,
  label: string,
  project: Project | null,
  { kind, user_id, target, origin, secret, filter }: NewSubscription,
): Promise<void> => {
  await makeRoom(op, label, project);
  const { vault } = op.dependencies;
  await op.tx
    .insertInto('subscriptions')
    .values({
      label,
      uid: newSubscriptionUid(),
      project_id: project?.id ?? null,
      made_by: nameOf(op.caller),
      made_at: Date.now(),
      kind,
      target: vault.seal(target),
      origin,
      user_id,
      filter: JSON.stringify(filter),
      secret: vault.seal(secret),
      state: 'active',
      position: await newestEvent(op),
    })
    .execute();
  op.record({ type: 'subscription_create', projects: [project], detail: { subscription: label, origin, filter } });
  op.notify('subscriptions');
};

/** Where a subscription begins that is for what happens from now on. */
export const newestEvent = async ({ tx }: ReadOp): Promise<number> => {
  const newest = await tx.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return newest?.id ?? 0;
};

const makeRoom = async ({ tx }: WriteOp, label: string, project: Project | null): Promise<void> => {
  const all = await tx.selectFrom('subscriptions').select(['label', 'project_id']).execute();
  if (all.some((one) => one.label === label)) throw duplicate(`subscription ${label} already exists`);
  if (all.length >= mostOfAll) throw blocked(`there can be at most ${mostOfAll} subscriptions; delete one first`);
  if (project !== null && all.filter(({ project_id }) => project_id === project.id).length >= mostOfProject) {
    throw blocked(`project ${project.label} can have at most ${mostOfProject} subscriptions; delete one first`);
  }
};

/** Refuses what the owner could never see. */
export const checkedFilter = (
  filter: SubscriptionFilter,
  label: string,
  project: string | null,
): SubscriptionFilter => {
  requireOwnFilters(ownerOf({ label, project }), eventFilterOf(filter));
  if (project !== null && filter.project !== undefined && filter.project !== project) {
    throw unauthorized(`a subscription of project ${project} is sent events of this project only`);
  }
  return filter;
};

/** Refuses an address whose user wants no mail. */
export const requireMailWanted = async ({ tx }: ReadOp, address: string): Promise<void> => {
  const found = await tx
    .selectFrom('users')
    .select('id')
    .where('mail', '=', address)
    .where('mail_off', '=', 1)
    .executeTakeFirst();
  if (found !== undefined) throw blocked('the user of this mail address turned mail off');
};
