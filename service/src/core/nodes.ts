import { isAdmin, requireProject } from './caller.ts';
import { blocked, duplicate, invalid, notFound } from './corral-error.ts';
import { deleteDepartedBmc, recordDepartedBmc, requireNoDepartedBmc, unlessMissing } from './departed-bmcs.ts';
import { findNode, type Node } from './find-objects.ts';
import { isFreeNode } from './free-nodes.ts';
import { insideUri, isInside } from './inside-address.ts';
import { metadataText } from './metadata.ts';
import { classIn, classKey } from './node-classes.ts';
import { indexNode, unindex } from './metadata-index.ts';
import { requireLease } from './leases.ts';
import { forgetCleaningsOf } from './open-cleaning.ts';
import { obmIsEnabled } from './node-blocks.ts';
import { adminOf, callTo } from './obm.ts';
import { obmUri } from './obm-uri.ts';
import type { ReadOp, RequestContext, WriteOp } from './request-context.ts';
import { withLease } from './with-lease.ts';
import type { ObmAdmin } from '../drivers/obm/obm-contract.ts';
import { requireTrustedPorts } from './port-trust.ts';
import { statement } from '../db/service-statement.ts';

const allNodes = statement((tx) => tx.selectFrom('nodes').select('label'));
const freeNodes = statement((tx) => tx.selectFrom('nodes').select('label').where(isFreeNode));

export const listNodes = async (context: RequestContext, args: { is_free: 'all' | 'free' }): Promise<string[]> => {
  const rows = await context.query(args.is_free === 'free' ? freeNodes : allNodes, {});
  return rows.map(({ label }) => label).sort();
};

interface NodeRegister {
  readonly node: string;
  /** Absent: the daemon inside this service. */
  readonly obmd?: { readonly uri: string; readonly admin_token: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export const nodeRegister = async (context: RequestContext, args: NodeRegister): Promise<void> => {
  const admin = await obmdFor(context, args);
  return context.write((op) => insertNode(op, args, admin));
};

const obmdFor = async ({ dependencies }: RequestContext, { node, obmd }: NodeRegister): Promise<ObmAdmin> => {
  if (obmd !== undefined) return { uri: await obmUri(obmd.uri, dependencies), adminToken: obmd.admin_token };
  // The processes of the service have a token of their own for the daemon inside.
  if (await dependencies.ownDaemon.isThere()) return { uri: insideUri(node), adminToken: '' };
  throw invalid(
    'field "obmd" is missing: no OBM daemon runs inside this service (CORRAL_OBMD starts one); expected the address and the admin token of the daemon that has the BMC of the node',
  );
};

const insertNode = async (op: WriteOp, args: NodeRegister, { uri, adminToken }: ObmAdmin): Promise<void> => {
  const taken = await op.tx.selectFrom('nodes').select('id').where('label', '=', args.node).executeTakeFirst();
  if (taken) throw duplicate(`node ${args.node} already exists`);
  await requireNoDepartedBmc(op, uri);
  const { id } = await op.tx
    .insertInto('nodes')
    .values({
      label: args.node,
      project_id: null,
      metadata: metadataText(args.metadata ?? {}),
      obm_uri: uri,
      obm_admin_token: op.dependencies.vault.seal(adminToken),
      obm_token: null,
      class: classIn(new Map(Object.entries(args.metadata ?? {})), await classKey(op)),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await indexNode(op.tx, id, args.metadata ?? {});
  op.record({ type: 'node_register', node: args.node });
};

/**
 * Deletes a node, and its BMC where the daemon is the one inside this service: nobody else could delete it there, and it
 * would keep the machine from every other node.
 */
export const nodeDelete = async (context: RequestContext, args: { node: string }): Promise<void> => {
  const found = await context.read((op) => findDeletable(op, args.node));
  if (!isInside(found.obm_uri)) return context.write((op) => deleteNode(op, found));
  await context.devices.change(callTo(found), ({ obm }) =>
    // A registration of its BMC that is under way ends first.
    withLease(context, `obm/${found.id}`, async (held) => {
      // Asked while nothing has changed yet: a daemon that does not answer leaves the node as it was.
      await obm.showBmc(adminOf(context.dependencies, found)).catch(unlessMissing);
      await context.write(async (op) => {
        await requireLease(op, held.lease);
        await deleteNode(op, found);
      });
    }),
  );
  // The node is gone, and what is left to do is recorded: the worker does it if this fails.
  await deleteDepartedBmc(context, found.obm_uri).catch(() => undefined);
};

const findDeletable = async (op: ReadOp, label: string): Promise<Node> => {
  const node = await findNode(op, label);
  if (node.project !== null) throw blocked(`node ${node.label} is in project ${node.project}; detach it first`);
  const nic = await op.tx.selectFrom('nics').select('label').where('node_id', '=', node.id).executeTakeFirst();
  if (nic) throw blocked(`node ${node.label} still has nic ${nic.label}; delete it first`);
  if (node.obm_token !== null) throw obmIsEnabled(node);
  await requireTrustedPorts(op, node, `node ${node.label} cannot be deleted`);
  return node;
};

const deleteNode = async (op: WriteOp, { id, label }: Node): Promise<void> => {
  const node = await findDeletable(op, label);
  if (node.id !== id) throw notFound(`node ${label} does not exist`);
  await op.tx.deleteFrom('held_nodes').where('node_id', '=', node.id).execute();
  await op.tx.deleteFrom('consoles').where('node_id', '=', node.id).execute();
  await unindex(op.tx, node.id, null);
  await forgetCleaningsOf(op, node);
  await op.tx.deleteFrom('nodes').where('id', '=', node.id).execute();
  await recordDepartedBmc(op, node);
  op.record({ type: 'node_delete', node: node.label });
};

export interface NicView {
  readonly label: string;
  readonly macaddr: string;
  readonly networks: Readonly<Record<string, string>>;
  readonly port?: string | null;
  readonly switch?: string | null;
}

export interface NodeView {
  readonly name: string;
  readonly project: string | null;
  readonly nics: readonly NicView[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export const showNode = async (context: RequestContext, args: { node: string }): Promise<NodeView> => {
  const rows = await context.query(nodeWithNics, { label: args.node });
  const [node] = rows;
  if (node === undefined) throw notFound(`node ${args.node} does not exist`);
  if (node.project !== null) requireProject(context.caller, node.project);
  return {
    name: node.label,
    project: node.project,
    nics: nicsOf(rows, isAdmin(context.caller)),
    metadata: JSON.parse(node.metadata) as Record<string, unknown>,
  };
};

/** One of the rows that tell of a nic: there is one for each of its attachments, or one without. */
interface NicRow {
  readonly nic: string | null;
  readonly macaddr: string | null;
  readonly port: string | null;
  readonly switch: string | null;
  readonly channel: string | null;
  readonly network: string | null;
}

/** One row for each attachment, or nic without one, or node without any: one query, because this is the hottest call. */
const nodeWithNics = statement((tx, { label }: { label: string }) =>
  tx
    .selectFrom('nodes')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('nics', 'nics.node_id', 'nodes.id')
    .leftJoin('ports', 'ports.id', 'nics.port_id')
    .leftJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('networks', 'networks.id', 'attachments.network_id')
    .select([
      'nodes.label',
      'nodes.metadata',
      'projects.label as project',
      'nics.label as nic',
      'nics.macaddr',
      'ports.label as port',
      'switches.label as switch',
      'attachments.channel',
      'networks.label as network',
    ])
    .where('nodes.label', '=', label),
);

/** The nics of a node, out of such rows; where they are plugged in is for administrators. */
export const nicsOf = (rows: readonly NicRow[], withPorts: boolean): NicView[] => {
  const nics = new Map<string, { row: NicRow; networks: [string, string][] }>();
  for (const row of rows) {
    if (row.nic === null) continue;
    const nic = nics.get(row.nic) ?? { row, networks: [] };
    if (row.channel !== null && row.network !== null) nic.networks.push([row.channel, row.network]);
    nics.set(row.nic, nic);
  }
  return [...nics.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, { row, networks }]) => {
      const nic = { label, macaddr: row.macaddr ?? '', networks: Object.fromEntries(networks.sort()) };
      return withPorts ? { ...nic, port: row.port, switch: row.switch } : nic;
    });
};
