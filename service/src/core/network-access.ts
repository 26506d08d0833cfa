import { statement } from '../db/service-statement.ts';
import { mayActFor, nameOf } from './caller.ts';
import { blocked, duplicate, notFound, unauthorized } from './corral-error.ts';
import { findNetwork, findProject, type Network, ownerOf, type Project } from './find-objects.ts';
import { mayManage } from './networks.ts';
import type { WriteOp } from './request-context.ts';
import { requireOnNoOtherPort } from './vlan-trust.ts';

interface AccessArgs {
  readonly network: string;
  readonly project: string;
}

export const networkGrantProjectAccess = async (op: WriteOp, args: AccessArgs): Promise<void> => {
  const network = await findNetwork(op, args.network);
  const project = await findProject(op, args.project);
  if (!mayManage(op, network)) throw notOwner(op, network);
  requirePrivate(network);
  if (await hasAccess(op, network, project)) {
    throw duplicate(`project ${project.label} already has access to network ${network.label}`);
  }
  await op.tx.insertInto('network_access').values({ network_id: network.id, project_id: project.id }).execute();
  op.record({
    type: 'network_grant_project_access',
    projects: [project, ownerOf(network)],
    network: network.label,
    detail: { project: project.label },
  });
};

export const networkRevokeProjectAccess = async (op: WriteOp, args: AccessArgs): Promise<void> => {
  const network = await findNetwork(op, args.network);
  const project = await findProject(op, args.project);
  if (!mayManage(op, network) && !mayActFor(op.caller, project.label)) throw notOwner(op, network);
  requirePrivate(network);
  if (network.owner_id === project.id) {
    throw blocked(`project ${project.label} owns network ${network.label}; an owner always has access`);
  }
  if (!(await hasAccess(op, network, project))) {
    throw notFound(`project ${project.label} has no access to network ${network.label}`);
  }
  await requireUnused(op, network, project);
  await op.tx
    .deleteFrom('network_access')
    .where('network_id', '=', network.id)
    .where('project_id', '=', project.id)
    .execute();
  op.record({
    type: 'network_revoke_project_access',
    projects: [project, ownerOf(network)],
    network: network.label,
    detail: { project: project.label },
  });
};

const notOwner = ({ caller }: WriteOp, network: Network) =>
  unauthorized(`${nameOf(caller)} neither administers nor owns network ${network.label}`);

const requirePrivate = (network: Network): void => {
  if (network.is_public === 1) throw blocked(`network ${network.label} is public: it has no access list to change`);
};

/** Is the project in the network's access list? */
export const hasAccess = async ({ tx }: WriteOp, network: Network, project: { id: number }): Promise<boolean> => {
  const row = await accessOf.first(tx, { networkId: network.id, projectId: project.id });
  return row !== undefined;
};

const accessOf = statement((tx, { networkId, projectId }: { networkId: number; projectId: number }) =>
  tx
    .selectFrom('network_access')
    .select('project_id')
    .where('network_id', '=', networkId)
    .where('project_id', '=', projectId),
);

const requireUnused = async (op: WriteOp, network: Network, project: Project): Promise<void> => {
  const { tx } = op;
  const node = await tx
    .selectFrom('nodes')
    .innerJoin('nics', 'nics.node_id', 'nodes.id')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('actions', 'actions.nic_id', 'nics.id')
    .select('nodes.label')
    .where('nodes.project_id', '=', project.id)
    .where((where) =>
      where.or([where('attachments.network_id', '=', network.id), where('actions.network_id', '=', network.id)]),
    )
    .executeTakeFirst();
  if (node)
    throw blocked(`node ${node.label} of project ${project.label} is on network ${network.label}; detach it first`);
  const headnode = await tx
    .selectFrom('headnodes')
    .innerJoin('hnics', 'hnics.headnode_id', 'headnodes.id')
    .select('headnodes.label')
    .where('headnodes.project_id', '=', project.id)
    .where('hnics.network_id', '=', network.id)
    .executeTakeFirst();
  if (headnode) {
    throw blocked(
      `headnode ${headnode.label} of project ${project.label} is on network ${network.label}; detach it first`,
    );
  }
  await requireOnNoOtherPort(op, network, project);
};
