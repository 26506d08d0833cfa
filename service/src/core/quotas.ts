import { sql } from 'kysely';
import type { LimitedKind } from '../db/service-schema.ts';
import { type RowOf, statement } from '../db/service-statement.ts';
import { type Caller, requireAdmin, requireProject } from './caller.ts';
import { badArgument, blocked, notFound } from './corral-error.ts';
import { findProject, type Node, type Project } from './find-objects.ts';
import { shownClass } from './node-classes.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/*
 * How much a project may have. A limit is compared with what is counted in the transaction that takes one more, so no
 * number of callers at once gets past it: the transactions are serializable. It is compared only then: a lower limit
 * takes nothing away.
 */

/** What callers say who want more than the quota: only administrators may. */
export interface Forced {
  readonly force?: boolean;
}

/** Refuses callers who may not exceed quotas and ask for it. */
export const requireMayForce = ({ caller }: { readonly caller: Caller }, { force }: Forced): void => {
  if (force === true) requireAdmin(caller);
};

/** What an event says of a quota that was exceeded. */
interface Exceeded {
  readonly exceeded?: string;
}

/** Refuses a node beyond a quota of the project, for all of its nodes or for those of the same class. */
export const requireNodeQuota = async (
  op: WriteOp,
  project: Project,
  node: Pick<Node, 'class'>,
  forced: Forced,
): Promise<Exceeded> => {
  if (isExempt(op, project)) return {};
  const limits = await nodeLimits.all(op.tx, { projectId: project.id, nodeClass: node.class });
  return requireBelow(project, 'nodes', limits, forced);
};

/** Whether quotas let a project have so many more nodes, and one of every class that is limited. */
export const hasRoomFor = async (op: ReadOp, project: Project, count: number): Promise<boolean> => {
  const limits = isExempt(op, project) ? [] : await limitsOfNodes.all(op.tx, { projectId: project.id });
  return limits.every(({ class: name, most, used }) => most === null || used + (name === '' ? count : 1) <= most);
};

/** How many of some nodes quotas let a project have beside its own; the nodes are counted by class, if a class is limited. */
export const roomAmong = async (
  op: ReadOp,
  project: Project,
  byClass: () => Promise<readonly { readonly class: string; readonly count: number }[]>,
): Promise<number> => {
  const limits = isExempt(op, project) ? [] : await limitsOfNodes.all(op.tx, { projectId: project.id });
  const room = new Map(limits.map(({ class: name, most, used }) => [name, Math.max(0, (most ?? Infinity) - used)]));
  const ofAll = room.get('') ?? Infinity;
  if (room.size === (room.has('') ? 1 : 0)) return ofAll;
  const counts = await byClass();
  const ofClasses = counts.map(({ class: name, count }) =>
    Math.min(count, name === '' ? Infinity : (room.get(name) ?? Infinity)),
  );
  return Math.min(
    ofAll,
    ofClasses.reduce((sum, count) => sum + count, 0),
  );
};

/** Refuses to take more nodes out of service than a project may have: then a quota would keep it from no node. */
export const requireRepairQuota = async (
  op: WriteOp,
  project: Project,
  nodes: readonly Pick<Node, 'class'>[],
): Promise<void> => {
  if (isExempt(op, project)) return;
  for (const { class: name, most } of await limitsOfNodes.all(op.tx, { projectId: project.id })) {
    const count = name === '' ? nodes.length : nodes.filter((node) => node.class === name).length;
    if (most === null || count <= most) continue;
    throw blocked(
      `project ${project.label} would have ${count} ${named('nodes', name)} out of service for repair, and may have ${most}; ask an administrator to put one back, or release them without a note`,
    );
  }
};

/** Refuses a network or headnode beyond the quota of the project. */
export const requireQuota = async (
  op: WriteOp,
  project: Project,
  what: Exclude<LimitedKind, 'nodes'>,
  forced: Forced,
): Promise<Exceeded> => {
  if (isExempt(op, project)) return {};
  const limits = await otherLimits[what].all(op.tx, { projectId: project.id });
  return requireBelow(project, what, limits, forced);
};

/** Every node may go to the maintenance pool. */
const isExempt = ({ dependencies }: ReadOp, project: Project): boolean =>
  dependencies.maintenance?.project === project.label;

/** What applies to a project: its own limits, and the defaults that it has no limit of its own for. */
const applying = (projectId: number) => sql<boolean>`(quotas.project_id = ${projectId}
  or (quotas.project_id is null and not exists (select 1 from quotas own
    where own.project_id = ${projectId} and own.what = quotas.what and own.class = quotas.class)))`;

/** One statement: where nothing is limited, nothing is counted. */
const nodeLimits = statement((tx, { projectId, nodeClass }: { projectId: number; nodeClass: string }) =>
  tx
    .selectFrom('quotas')
    .select(['quotas.class', 'quotas.most', usedNodes(projectId)])
    .where('quotas.what', '=', 'nodes')
    .where((where) => where.or([where('quotas.class', '=', ''), where('quotas.class', '=', nodeClass)]))
    .where(applying(projectId)),
);

/** The same for every class that is limited. */
const limitsOfNodes = statement((tx, { projectId }: { projectId: number }) =>
  tx
    .selectFrom('quotas')
    .select(['quotas.class', 'quotas.most', usedNodes(projectId)])
    .where('quotas.what', '=', 'nodes')
    .where(applying(projectId)),
);

const usedNodes = (projectId: number) =>
  sql<number>`case when quotas.class = '' then (select count(*) from nodes where nodes.project_id = ${projectId})
    else (select count(*) from nodes where nodes.project_id = ${projectId} and nodes.class = quotas.class) end`.as(
    'used',
  );

const limitsOf = (what: LimitedKind, column: 'owner_id' | 'project_id') =>
  statement((tx, { projectId }: { projectId: number }) =>
    tx
      .selectFrom('quotas')
      .select([
        'quotas.class',
        'quotas.most',
        sql<number>`(select count(*) from ${sql.table(what)} where ${sql.ref(column)} = ${projectId})`.as('used'),
      ])
      .where('quotas.what', '=', what)
      .where(applying(projectId)),
  );
const otherLimits = { networks: limitsOf('networks', 'owner_id'), headnodes: limitsOf('headnodes', 'project_id') };

const requireBelow = (
  { label }: Project,
  what: LimitedKind,
  limits: readonly RowOf<typeof nodeLimits>[],
  { force }: Forced,
): Exceeded => {
  const reached = limits.flatMap(({ class: name, most, used }) =>
    most !== null && used >= most ? [`${used} of ${most} ${named(what, name)}`] : [],
  );
  if (reached.length === 0) return {};
  const all = reached.sort().join(' and ');
  if (force === true) return { exceeded: all };
  throw blocked(`project ${label} has ${all}; give one back, or ask an administrator for a higher quota`, {
    forAdmins: `project ${label} has ${all}; give one back, raise the quota, or force it`,
  });
};

/** `nodes of class gpu`, `networks`. */
const named = (what: LimitedKind, name: string): string => (name === '' ? what : `${what} of class ${name}`);

interface QuotaName {
  readonly what: LimitedKind;
  readonly project?: string;
  readonly class?: string;
}

/** Of what a limit is: absent project: the default. */
const quotaNamed = async (op: ReadOp, args: QuotaName) => {
  if (args.class !== undefined && args.what !== 'nodes')
    throw badArgument(`field "class" is ${JSON.stringify(args.class)}; only nodes have classes: leave it out`);
  const project = args.project === undefined ? null : await findProject(op, args.project);
  const name = args.class ?? '';
  const quota = op.tx
    .selectFrom('quotas')
    .select(['id', 'most'])
    .where('what', '=', args.what)
    .where('class', '=', name);
  const stored = await (
    project === null ? quota.where('project_id', 'is', null) : quota.where('project_id', '=', project.id)
  ).executeTakeFirst();
  const detail = { what: named(args.what, name), ...(project === null && { default: true }) };
  return { project, name, stored, detail };
};

/** Limits something. Set to what it is already, it changes nothing. */
export const quotaSet = async (op: WriteOp, args: QuotaName & { readonly limit: number | null }): Promise<void> => {
  const { project, name, stored, detail } = await quotaNamed(op, args);
  if (project === null && args.limit === null)
    throw badArgument('field "limit" is null without a project; delete the default quota instead');
  if (project !== null && isExempt(op, project))
    throw blocked(`project ${project.label} is the maintenance pool, which has no quota`);
  if (stored === undefined) {
    const project_id = project?.id ?? null;
    await op.tx.insertInto('quotas').values({ project_id, what: args.what, class: name, most: args.limit }).execute();
  } else {
    if (stored.most === args.limit) return;
    await op.tx.updateTable('quotas').set({ most: args.limit }).where('id', '=', stored.id).execute();
  }
  op.record({ type: 'quota_set', projects: [project], detail: { ...detail, limit: args.limit } });
};

export const quotaDelete = async (op: WriteOp, args: QuotaName): Promise<void> => {
  const { project, stored, detail } = await quotaNamed(op, args);
  const { label } = project ?? { label: null };
  if (stored === undefined) {
    throw notFound(
      label === null
        ? `there is no default quota of ${detail.what}`
        : `project ${label} has no quota of ${detail.what}`,
    );
  }
  await op.tx.deleteFrom('quotas').where('id', '=', stored.id).execute();
  op.record({ type: 'quota_delete', projects: [project], detail });
};

interface QuotaView {
  readonly what: LimitedKind;
  readonly class: string | null;
  readonly limit: number | null;
}

/** Every limit: the defaults first. */
export const listQuotas = async ({ tx }: ReadOp): Promise<(QuotaView & { readonly project: string | null })[]> => {
  const rows = await tx
    .selectFrom('quotas')
    .leftJoin('projects', 'projects.id', 'quotas.project_id')
    .select(['projects.label as project', 'quotas.what', 'quotas.class', 'quotas.most'])
    .execute();
  return rows
    .map(({ project, what, class: name, most }) => ({ project, what, class: shownClass(name), limit: most }))
    .sort((one, other) => textOrder(one.project, other.project) || inOrder(one, other));
};

/** What applies to a project, and how much of it is used: nodes, networks and headnodes, then classes of nodes. */
export const listProjectQuotas = async (
  op: ReadOp,
  args: { readonly project: string },
): Promise<(QuotaView & { readonly used: number })[]> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const limits = isExempt(op, project) ? [] : await limitsOfProject.all(op.tx, { projectId: project.id });
  const unlimited = { class: '', most: null };
  const found = new Map(limits.map((limit) => [`${limit.what} ${limit.class}`, limit]));
  for (const what of kinds) if (!found.has(`${what} `)) found.set(`${what} `, { what, ...unlimited });
  const views = [];
  for (const { what, class: name, most } of found.values()) {
    const used = await usedBy(op, project, what, name);
    views.push({ what, class: shownClass(name), limit: most, used });
  }
  return views.sort(inOrder);
};

const kinds: readonly LimitedKind[] = ['nodes', 'networks', 'headnodes'];

const limitsOfProject = statement((tx, { projectId }: { projectId: number }) =>
  tx.selectFrom('quotas').select(['quotas.what', 'quotas.class', 'quotas.most']).where(applying(projectId)),
);

const usedBy = async ({ tx }: ReadOp, { id }: Project, what: LimitedKind, name: string): Promise<number> => {
  const column = sql.ref(what === 'networks' ? 'owner_id' : 'project_id');
  const ofClass = name === '' ? sql`` : sql` and class = ${name}`;
  const { rows } = await sql<{ used: number }>`select count(*) as used from ${sql.table(what)}
    where ${column} = ${id}${ofClass}`.execute(tx);
  return rows[0]?.used ?? 0;
};

/** Nothing comes before every text. */
const textOrder = (one: string | null, other: string | null): number =>
  one === other ? 0 : one === null || (other !== null && one < other) ? -1 : 1;

const inOrder = (one: QuotaView, other: QuotaView): number =>
  textOrder(one.class, other.class) || kinds.indexOf(one.what) - kinds.indexOf(other.what);
