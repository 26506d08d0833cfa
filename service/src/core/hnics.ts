import { hasAccess } from './network-access.ts';
import { blocked, duplicate, projectMismatch } from './corral-error.ts';
import { audienceOf, findHnic, findNetwork, type Headnode, ownerOf } from './find-objects.ts';
import { findOwnHeadnode, requireNotStarted } from './headnodes.ts';
import type { WriteOp } from './request-context.ts';

interface HnicArgs {
  readonly headnode: string;
  readonly hnic: string;
}

export const headnodeCreateHnic = async (op: WriteOp, args: HnicArgs): Promise<void> => {
  const headnode = await findOwnHeadnode(op, args.headnode);
  const taken = await op.tx
    .selectFrom('hnics')
    .select('id')
    .where('headnode_id', '=', headnode.id)
    .where('label', '=', args.hnic)
    .executeTakeFirst();
  if (taken) throw duplicate(`headnode ${headnode.label} already has an hnic ${args.hnic}`);
  requireNotStarted(headnode);
  await op.tx.insertInto('hnics').values({ headnode_id: headnode.id, label: args.hnic, network_id: null }).execute();
  op.record(eventOf('headnode_create_hnic', headnode, args.hnic));
};

export const headnodeDeleteHnic = async (op: WriteOp, args: HnicArgs): Promise<void> => {
  const headnode = await findOwnHeadnode(op, args.headnode);
  const hnic = await findHnic(op, headnode, args.hnic);
  requireNotStarted(headnode);
  await op.tx.deleteFrom('hnics').where('id', '=', hnic.id).execute();
  op.record(eventOf('headnode_delete_hnic', headnode, hnic.label));
};

export const headnodeConnectNetwork = async (op: WriteOp, args: HnicArgs & { network: string }): Promise<void> => {
  const headnode = await findOwnHeadnode(op, args.headnode);
  const hnic = await findHnic(op, headnode, args.hnic);
  const network = await findNetwork(op, args.network);
  requireNotStarted(headnode);
  if (hnic.network_id !== null) {
    throw blocked(`hnic ${hnic.label} of headnode ${headnode.label} is already on a network; detach it first`);
  }
  if (network.is_public === 0 && !(await hasAccess(op, network, { id: headnode.project_id }))) {
    throw projectMismatch(`project ${headnode.project} has no access to network ${network.label}`);
  }
  if (network.vlan_is_assigned === 1) {
    throw blocked(
      `network ${network.label} has an id that an administrator assigned; headnodes attach only to networks whose id was chosen by the service`,
    );
  }
  await op.tx.updateTable('hnics').set({ network_id: network.id }).where('id', '=', hnic.id).execute();
  op.record({
    ...eventOf('headnode_connect_network', headnode, hnic.label),
    projects: [audienceOf(headnode), ownerOf(network)],
    network: network.label,
  });
};

export const headnodeDetachNetwork = async (op: WriteOp, args: HnicArgs): Promise<void> => {
  const headnode = await findOwnHeadnode(op, args.headnode);
  const hnic = await findHnic(op, headnode, args.hnic);
  requireNotStarted(headnode);
  if (hnic.network_id === null) return;
  await op.tx.updateTable('hnics').set({ network_id: null }).where('id', '=', hnic.id).execute();
  op.record(eventOf('headnode_detach_network', headnode, hnic.label));
};

const eventOf = (type: string, headnode: Headnode, hnic: string) => ({
  type,
  projects: [audienceOf(headnode)],
  headnode: headnode.label,
  hnic,
});
