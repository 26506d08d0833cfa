import { isAdmin, mayActFor, requireAdmin, requireProject, requireUser } from './caller.ts';
import { badArgument, blocked, duplicate, unauthorized } from './corral-error.ts';
import { findNetwork, findProject, type Network, ownerOf, type Project } from './find-objects.ts';
import { type Forced, requireMayForce, requireQuota } from './quotas.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { requireOnNoOtherPort, requireUnseenVlan, unseenVlan } from './vlan-trust.ts';

/** The word for the operator where a network's owner is named. */
export const operatorOwner = 'admin';
const largestVlan = 4094;

interface NetworkCreate extends Forced {
  readonly network: string;
  readonly owner: string;
  readonly access: string;
  readonly net_id: string;
}

/** The permission to create this network depends on the request alone, so it is checked first. */
export const networkCreate = async (op: WriteOp, args: NetworkCreate): Promise<void> => {
  if (args.net_id === '' && args.owner === args.access) requireProject(op.caller, args.owner);
  else requireAdmin(op.caller);
  requireMayForce(op, args);
  if (args.access === operatorOwner) {
    throw badArgument('field "access" is "admin"; expected a project, or an empty string for a public network');
  }
  const assigned = assignedVlan(args.net_id);
  const taken = await op.tx.selectFrom('networks').select('id').where('label', '=', args.network).executeTakeFirst();
  if (taken) throw duplicate(`network ${args.network} already exists`);
  const owner = args.owner === operatorOwner ? null : await findProject(op, args.owner);
  const granted = args.access === '' ? null : await findProject(op, args.access);
  const exceeded = owner === null ? {} : await requireQuota(op, owner, 'networks', args);

  const { id } = await op.tx
    .insertInto('networks')
    .values({
      label: args.network,
      owner_id: owner?.id ?? null,
      is_public: granted === null ? 1 : 0,
      vlan: assigned === null ? await unseenVlan(op) : await freeVlan(op, assigned),
      vlan_is_assigned: assigned === null ? 0 : 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (granted) await grant(op, id, owner === null || owner.id === granted.id ? [granted] : [owner, granted]);
  op.record({
    type: 'network_create',
    projects: [owner, granted],
    network: args.network,
    detail: { ...(granted === null && { public: true }), ...exceeded },
  });
};

const grant = async ({ tx }: WriteOp, network_id: number, projects: readonly Project[]): Promise<void> => {
  await tx
    .insertInto('network_access')
    .values(projects.map(({ id }) => ({ network_id, project_id: id })))
    .execute();
};

const assignedVlan = (netId: string): number | null => {
  if (netId === '') return null;
  const vlan = /^[1-9]\d{0,3}$/.test(netId) ? Number(netId) : Number.NaN;
  if (vlan >= 1 && vlan <= largestVlan) return vlan;
  throw badArgument(
    `field "net_id" is ${JSON.stringify(netId)}; expected a VLAN id from 1 to ${largestVlan} as a string, or an empty string to have one chosen`,
  );
};

const freeVlan = async (op: WriteOp, vlan: number): Promise<number> => {
  const other = await op.tx.selectFrom('networks').select('label').where('vlan', '=', vlan).executeTakeFirst();
  // Whose network it is stays untold: only administrators come here.
  if (other) throw blocked(`VLAN ${vlan} belongs to network ${other.label}; choose another id`);
  await requireUnseenVlan(op, vlan);
  return vlan;
};

export const networkDelete = async (op: WriteOp, args: { network: string }): Promise<void> => {
  const network = await findNetwork(op, args.network);
  requireProject(op.caller, network.owner);
  await requireUnconnected(op, network);
  await op.tx.deleteFrom('network_access').where('network_id', '=', network.id).execute();
  await op.tx.deleteFrom('networks').where('id', '=', network.id).execute();
  op.record({
    type: 'network_delete',
    projects: [ownerOf(network)],
    network: network.label,
    detail: network.is_public === 1 ? { public: true } : {},
  });
};

const requireUnconnected = async (op: WriteOp, network: Network): Promise<void> => {
  const { tx } = op;
  const node = await tx
    .selectFrom('attachments')
    .innerJoin('nics', 'nics.id', 'attachments.nic_id')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .select('nodes.label')
    .where('attachments.network_id', '=', network.id)
    .executeTakeFirst();
  if (node) throw blocked(`network ${network.label} is connected to node ${node.label}; detach it first`);
  const headnode = await tx
    .selectFrom('hnics')
    .innerJoin('headnodes', 'headnodes.id', 'hnics.headnode_id')
    .select(['headnodes.label', 'headnodes.state'])
    .where('hnics.network_id', '=', network.id)
    .executeTakeFirst();
  if (headnode) {
    // One that was started keeps its networks for good.
    const way = headnode.state === 'created' ? 'detach it first' : 'delete that headnode first';
    throw blocked(`network ${network.label} is connected to headnode ${headnode.label}; ${way}`);
  }
  const pending = await tx
    .selectFrom('actions')
    .select('status_id')
    .where('network_id', '=', network.id)
    .executeTakeFirst();
  if (pending)
    throw blocked(`networking action ${pending.status_id} on network ${network.label} is pending; wait for it`);
  await requireOnNoOtherPort(op, network);
};

interface NetworkView {
  readonly name: string;
  readonly channels: readonly string[];
  readonly owner: string;
  readonly access: readonly string[] | null;
  readonly 'connected-nodes': Readonly<Record<string, readonly string[]>>;
}

export const showNetwork = async (op: ReadOp, args: { network: string }): Promise<NetworkView> => {
  const { network, access } = await visibleNetwork(op, args.network);
  const attached = await op.tx
    .selectFrom('attachments')
    .innerJoin('nics', 'nics.id', 'attachments.nic_id')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .select(['nodes.label as node', 'nics.label as nic', 'projects.label as project'])
    .where('attachments.network_id', '=', network.id)
    .orderBy('nodes.label')
    .execute();
  const seesAll = mayManage(op, network);
  const connected = new Map<string, string[]>();
  for (const { node, nic, project } of attached) {
    if (!seesAll && (project === null || !mayActFor(op.caller, project))) continue;
    connected.set(node, [...(connected.get(node) ?? []), nic]);
  }
  for (const nics of connected.values()) nics.sort();
  return {
    name: network.label,
    channels: channelsOf(network),
    owner: network.owner ?? operatorOwner,
    access,
    'connected-nodes': Object.fromEntries(connected),
  };
};

/** The channels a network may be attached by. */
export const channelsOf = (network: Network): readonly string[] => ['vlan/native', `vlan/${network.vlan}`];

/** May the caller see and steer everything on this network: administrators, and its owner. */
export const mayManage = ({ caller }: ReadOp, network: Network): boolean =>
  isAdmin(caller) || (network.owner !== null && mayActFor(caller, network.owner));

/**
 * Finds a network for someone who wants to look at it. Without credentials a private network and a
 * missing one answer alike.
 */
const visibleNetwork = async (
  op: ReadOp,
  label: string,
): Promise<{ network: Network; access: readonly string[] | null }> => {
  const isKnownCaller = op.caller.kind === 'user';
  const network = await findNetwork(op, label).catch((error: unknown) => {
    if (isKnownCaller) throw error;
    return null;
  });
  if (network?.is_public === 1) return { network, access: null };
  requireUser(op.caller);
  if (network === null) throw unauthorized('this call needs credentials');
  const access = await accessList(op, network);
  requireAccess(op, network, access);
  return { network, access };
};

/** Refuses a caller who is on none of the access list's projects. */
export const requireAccess = (op: ReadOp, network: Network, access: readonly string[]): void => {
  if (mayManage(op, network) || access.some((project) => mayActFor(op.caller, project))) return;
  throw unauthorized(`no project of yours has access to network ${network.label}`);
};

/** Labels of the projects that may attach to a network, sorted. */
export const accessList = async ({ tx }: ReadOp, network: Network): Promise<string[]> => {
  const rows = await tx
    .selectFrom('network_access')
    .innerJoin('projects', 'projects.id', 'network_access.project_id')
    .select('projects.label')
    .where('network_access.network_id', '=', network.id)
    .execute();
  return rows.map(({ label }) => label).sort();
};

interface NetworkSummary {
  readonly network_id: string;
  readonly projects: readonly string[] | null;
}

export const listNetworks = async (op: ReadOp): Promise<Record<string, NetworkSummary>> => {
  const all = op.tx
    .selectFrom('networks')
    .leftJoin('network_access', 'network_access.network_id', 'networks.id')
    .leftJoin('projects', 'projects.id', 'network_access.project_id')
    .select(['networks.label', 'networks.vlan', 'networks.is_public', 'projects.label as project'])
    .orderBy('networks.label');
  const rows = await (isAdmin(op.caller) ? all : all.where('networks.is_public', '=', 1)).execute();
  const networks = new Map<string, { network_id: string; projects: string[] | null }>();
  for (const row of rows) {
    const entry = networks.get(row.label) ?? {
      network_id: String(row.vlan),
      projects: row.is_public === 1 ? null : [],
    };
    if (row.project !== null) entry.projects?.push(row.project);
    networks.set(row.label, entry);
  }
  for (const { projects } of networks.values()) projects?.sort();
  return Object.fromEntries(networks);
};
