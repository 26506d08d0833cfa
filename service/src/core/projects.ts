import { ahead } from './ahead.ts';
import { requireProject } from './caller.ts';
import { deleteClaimsOf } from './claims.ts';
import { blocked, duplicate } from './corral-error.ts';
import { findNode, findProject } from './find-objects.ts';
import { giveNodeBack, reserveNode } from './node-moves.ts';
import { type Forced, requireMayForce } from './quotas.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { deleteSubscriptionsOf } from './subscriptions.ts';
import { revokeTokensFor } from './tokens.ts';

export const listProjects = async ({ tx }: ReadOp): Promise<string[]> => {
  const rows = await tx.selectFrom('projects').select('label').execute();
  return rows.map(({ label }) => label).sort();
};

export const projectCreate = async (op: WriteOp, { project }: { project: string }): Promise<void> => {
  const taken = await op.tx.selectFrom('projects').select('id').where('label', '=', project).executeTakeFirst();
  if (taken) throw duplicate(`project ${project} already exists`);
  const { id } = await op.tx
    .insertInto('projects')
    .values({ label: project })
    .returning('id')
    .executeTakeFirstOrThrow();
  op.record({ type: 'project_create', projects: [{ id, label: project }] });
};

export const projectDelete = async (op: WriteOp, { project: label }: { project: string }): Promise<void> => {
  const project = await findProject(op, label);
  await requireUnused(op, project);
  await op.tx.deleteFrom('user_projects').where('project_id', '=', project.id).execute();
  await op.tx.deleteFrom('quotas').where('project_id', '=', project.id).execute();
  await revokeTokensFor(op, project);
  await deleteClaimsOf(op, project);
  await deleteSubscriptionsOf(op, project);
  await op.tx.deleteFrom('projects').where('id', '=', project.id).execute();
  op.record({ type: 'project_delete', projects: [project] });
  op.notify('users');
};

const requireUnused = async ({ tx, dependencies }: WriteOp, project: { id: number; label: string }): Promise<void> => {
  if (dependencies.maintenance?.project === project.label) {
    throw blocked(`project ${project.label} is the maintenance pool: nodes that leave other projects go there`);
  }
  const node = await tx.selectFrom('nodes').select('label').where('project_id', '=', project.id).executeTakeFirst();
  if (node) throw blocked(`project ${project.label} still has node ${node.label}; detach it first`);
  const owned = await tx.selectFrom('networks').select('label').where('owner_id', '=', project.id).executeTakeFirst();
  if (owned) throw blocked(`project ${project.label} still owns network ${owned.label}; delete it first`);
  const headnode = await tx
    .selectFrom('headnodes')
    .select('label')
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  if (headnode) throw blocked(`project ${project.label} still has headnode ${headnode.label}; delete it first`);
  const granted = await tx
    .selectFrom('network_access')
    .innerJoin('networks', 'networks.id', 'network_access.network_id')
    .select('networks.label')
    .where('network_access.project_id', '=', project.id)
    .executeTakeFirst();
  if (granted) throw blocked(`project ${project.label} still has access to network ${granted.label}; revoke it first`);
};

interface NodeOfProject {
  readonly project: string;
  readonly node: string;
}

export const projectConnectNode = async (op: WriteOp, args: NodeOfProject & Forced): Promise<void> => {
  const [findingProject, findingNode] = [findProject(op, args.project), ahead(findNode(op, args.node))];
  const project = await findingProject;
  requireProject(op.caller, project.label);
  requireMayForce(op, args);
  await reserveNode(op, project, await findingNode, args);
};

export const projectDetachNode = async (op: WriteOp, args: NodeOfProject): Promise<void> => {
  const [findingProject, findingNode] = [findProject(op, args.project), ahead(findNode(op, args.node))];
  const project = await findingProject;
  requireProject(op.caller, project.label);
  await giveNodeBack(op, project, await findingNode);
};

export const listProjectNodes = async (op: ReadOp, args: { project: string }): Promise<string[]> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const rows = await op.tx.selectFrom('nodes').select('label').where('project_id', '=', project.id).execute();
  return rows.map(({ label }) => label).sort();
};

/** The networks that a project may attach its nodes to by name: those whose access list holds it. */
export const listProjectNetworks = async (op: ReadOp, args: { project: string }): Promise<string[]> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const rows = await op.tx
    .selectFrom('networks')
    .leftJoin('network_access', (join) =>
      join.onRef('network_access.network_id', '=', 'networks.id').on('network_access.project_id', '=', project.id),
    )
    .select('networks.label')
    .where((where) =>
      where.or([where('network_access.project_id', 'is not', null), where('networks.owner_id', '=', project.id)]),
    )
    .execute();
  return rows.map(({ label }) => label).sort();
};

export const listProjectHeadnodes = async (op: ReadOp, args: { project: string }): Promise<string[]> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const rows = await op.tx.selectFrom('headnodes').select('label').where('project_id', '=', project.id).execute();
  return rows.map(({ label }) => label).sort();
};
