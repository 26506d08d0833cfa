import { blocked, duplicate } from './corral-error.ts';
import { audienceOf, findNic, findNode } from './find-objects.ts';
import type { WriteOp } from './request-context.ts';

interface NicArgs {
  readonly node: string;
  readonly nic: string;
}

export const nodeRegisterNic = async (op: WriteOp, args: NicArgs & { macaddr: string }): Promise<void> => {
  const node = await findNode(op, args.node);
  const taken = await op.tx
    .selectFrom('nics')
    .select('id')
    .where('node_id', '=', node.id)
    .where('label', '=', args.nic)
    .executeTakeFirst();
  if (taken) throw duplicate(`node ${node.label} already has a nic ${args.nic}`);
  await op.tx
    .insertInto('nics')
    .values({ node_id: node.id, label: args.nic, macaddr: args.macaddr, port_id: null })
    .execute();
  op.record({ type: 'node_register_nic', projects: [audienceOf(node)], node: node.label, nic: args.nic });
};

export const nodeDeleteNic = async (op: WriteOp, args: NicArgs): Promise<void> => {
  const node = await findNode(op, args.node);
  const nic = await findNic(op, node, args.nic);
  if (node.project !== null) throw blocked(`node ${node.label} is in project ${node.project}; detach it first`);
  if (nic.port_id !== null) {
    throw blocked(`nic ${nic.label} of node ${node.label} is on a switch port; detach the port from it first`);
  }
  await op.tx.deleteFrom('actions').where('nic_id', '=', nic.id).execute();
  await op.tx.deleteFrom('nics').where('id', '=', nic.id).execute();
  op.record({ type: 'node_delete_nic', node: node.label, nic: nic.label });
};
