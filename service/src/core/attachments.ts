import { statement } from '../db/service-statement.ts';
import { ahead } from './ahead.ts';
import { mayActFor, requireProject } from './caller.ts';
import { blocked, duplicate, notFound, projectMismatch, unauthorized } from './corral-error.ts';
import {
  audienceOf,
  findNetwork,
  findNic,
  findNode,
  findProject,
  type Network,
  type Nic,
  type Node,
  ownerOf,
} from './find-objects.ts';
import { queueAction, requireNoPendingAction } from './actions.ts';
import { requireGate } from './gate.ts';
import { hasAccess } from './network-access.ts';
import { accessList, channelsOf, mayManage, requireAccess } from './networks.ts';
import { requireNoRelease } from './releases.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { portStateOf } from './port-state.ts';
import { requireSoleRecords } from './switch-identity.ts';
import { driverOf } from './switches.ts';

/** The channel that VLAN drivers choose when the caller names none. */
const defaultChannel = 'vlan/native';

interface NicAndNetwork {
  readonly node: string;
  readonly nic: string;
  readonly network: string;
}

/** What both calls need before anything else: the objects, a node in a project, and access to that project. */
const findControlled = async (op: WriteOp, args: NicAndNetwork) => {
  const [findingNode, findingNetwork] = [findNode(op, args.node), ahead(findNetwork(op, args.network))];
  const node = await findingNode;
  const nic = await findNic(op, node, args.nic);
  const network = await findingNetwork;
  if (node.project_id === null || node.project === null) {
    throw projectMismatch(`node ${node.label} is in no project; reserve it first`);
  }
  requireProject(op.caller, node.project);
  return { node, nic, network, project: { id: node.project_id, label: node.project } };
};

export const nodeConnectNetwork = async (
  op: WriteOp,
  args: NicAndNetwork & { channel?: string },
): Promise<{ status_id: string }> => {
  const { node, nic, network, project } = await findControlled(op, args);
  const released = ahead(requireNoRelease(op, node));
  await requireGate(op, node, 'cleaning');
  const channel = args.channel ?? defaultChannel;
  if (nic.port_id === null) throw notFound(`nic ${nic.label} of node ${node.label} is not connected to a switch port`);
  const change = { kind: 'connect', channel, vlan: network.vlan } as const;
  const [idle, accessible, attachments, sole, consent] = [
    ahead(requireNoPendingAction(op, node, nic)),
    ahead(network.is_public === 0 ? hasAccess(op, network, project) : Promise.resolve(true)),
    ahead(attachmentsOf(op, nic)),
    ahead(requireSoleRecords(op, node, `node ${node.label} cannot be connected`)),
    ahead(requireDriverConsent(op, nic, change)),
  ];
  await released;
  await idle;
  if (!(await accessible)) {
    throw projectMismatch(`project ${project.label} has no access to network ${network.label}`);
  }
  const attached = await attachments;
  const same = attached.find(({ network_id }) => network_id === network.id);
  if (same) throw duplicate(`network ${network.label} is already on nic ${nic.label}, on channel ${same.channel}`);
  const other = attached.find((attachment) => attachment.channel === channel);
  if (other) throw blocked(`channel ${channel} of nic ${nic.label} is in use by network ${other.network}`);
  if (!channelsOf(network).includes(channel)) {
    throw blocked(
      `channel ${channel} is not legal for network ${network.label}; legal are ${channelsOf(network).join(' and ')}`,
    );
  }
  await sole;
  await consent;
  op.record(eventOf('node_connect_network', node, nic, network, channel));
  return queueAction(op, node.project, nic, { kind: 'connect', network, channel });
};

/** A nic of a node that is being cleaned, and a network: who may do it was decided by the operator's settings. */
interface CleanedNic {
  readonly node: Node;
  readonly nic: Nic;
  readonly network: Network;
}

/** Connects a nic of a node that is being cleaned to the cleaning network, without a tag. */
export const connectCleaned = async (op: WriteOp, { node, nic, network }: CleanedNic): Promise<void> => {
  await requireNoPendingAction(op, node, nic);
  await requireSoleRecords(op, node, `node ${node.label} cannot be connected`);
  await requireDriverConsent(op, nic, { kind: 'connect', channel: defaultChannel, vlan: network.vlan });
  op.record(eventOf('node_connect_network', node, nic, network, defaultChannel));
  await queueAction(op, node.project, nic, { kind: 'connect', network, channel: defaultChannel });
};

/** Takes a nic of a node that is being cleaned off a network. */
export const detachCleaned = async (
  op: WriteOp,
  { node, nic, network, channel }: CleanedNic & { readonly channel: string },
): Promise<void> => {
  await requireNoPendingAction(op, node, nic);
  await requireDriverConsent(op, nic, { kind: 'detach', channel, vlan: network.vlan });
  op.record(eventOf('node_detach_network', node, nic, network, channel));
  await queueAction(op, node.project, nic, { kind: 'detach', network, channel });
};

export const nodeDetachNetwork = async (op: WriteOp, args: NicAndNetwork): Promise<{ status_id: string }> => {
  const { node, nic, network } = await findControlled(op, args);
  const [idle, attachments] = [ahead(requireNoPendingAction(op, node, nic)), ahead(attachmentsOf(op, nic))];
  await idle;
  const attached = await attachments;
  const attachment = attached.find(({ network_id }) => network_id === network.id);
  if (!attachment) throw blocked(`network ${network.label} is not on nic ${nic.label} of node ${node.label}`);
  const { channel } = attachment;
  await requireDriverConsent(op, nic, { kind: 'detach', channel, vlan: network.vlan });
  op.record(eventOf('node_detach_network', node, nic, network, channel));
  return queueAction(op, node.project, nic, { kind: 'detach', network, channel });
};

const eventOf = (type: string, node: Node, nic: Nic, network: Network, channel: string) => ({
  type,
  projects: [audienceOf(node), ownerOf(network)],
  node: node.label,
  nic: nic.label,
  network: network.label,
  detail: { channel },
});

const attachmentsOf = ({ tx }: ReadOp, nic: Nic) => attachmentsOfNic.all(tx, { nicId: nic.id });

const attachmentsOfNic = statement((tx, { nicId }: { nicId: number }) =>
  tx
    .selectFrom('attachments')
    .innerJoin('networks', 'networks.id', 'attachments.network_id')
    .select(['attachments.network_id', 'attachments.channel', 'networks.label as network'])
    .where('attachments.nic_id', '=', nicId),
);

const requireDriverConsent = async (
  op: WriteOp,
  nic: Nic,
  change: { kind: 'connect' | 'detach'; channel: string; vlan: number },
): Promise<void> => {
  if (nic.port_id === null) return;
  const [on, state] = await Promise.all([
    switchOfPort.first(op.tx, { portId: nic.port_id }),
    portStateOf(op.tx, nic.id),
  ]);
  const refusal = driverOf(op.dependencies, on?.type ?? '').refuse?.(state, change);
  if (refusal) throw blocked(refusal.refused);
};

const switchOfPort = statement((tx, { portId }: { portId: number }) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select('switches.type')
    .where('ports.id', '=', portId),
);

interface AttachmentView {
  readonly nic: string;
  readonly channel: string;
  readonly project: string | null;
  readonly attachments: readonly { readonly nic: string; readonly channel: string }[];
}

export const listNetworkAttachments = async (
  op: ReadOp,
  args: { network: string; project?: string },
): Promise<Record<string, AttachmentView>> => {
  const network = await findNetwork(op, args.network);
  if (network.is_public === 0) requireAccess(op, network, await accessList(op, network));
  const seesAll = mayManage(op, network);
  const { project } = args;
  if (project !== undefined) {
    if (!seesAll && !mayActFor(op.caller, project)) throw unauthorized(`you have no access to project ${project}`);
    await findProject(op, project);
  }
  const rows = await op.tx
    .selectFrom('attachments')
    .innerJoin('nics', 'nics.id', 'attachments.nic_id')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .select(['nodes.label as node', 'nics.label as nic', 'attachments.channel', 'projects.label as project'])
    .where('attachments.network_id', '=', network.id)
    .execute();
  const visible = rows
    .filter((row) => project === undefined || row.project === project)
    .filter((row) => seesAll || (row.project !== null && mayActFor(op.caller, row.project)));
  const byNode = new Map<string, typeof visible>();
  for (const row of visible) byNode.set(row.node, [...(byNode.get(row.node) ?? []), row]);
  return Object.fromEntries([...byNode.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(viewOf));
};

/** The documented fields show a node's first nic by label; `attachments` shows them all. */
const viewOf = ([node, rows]: [string, { nic: string; channel: string; project: string | null }[]]): [
  string,
  AttachmentView,
] => {
  const sorted = rows.toSorted((a, b) => (a.nic < b.nic ? -1 : 1));
  const [first] = sorted;
  return [
    node,
    {
      nic: first?.nic ?? '',
      channel: first?.channel ?? '',
      project: first?.project ?? null,
      attachments: sorted.map(({ nic, channel }) => ({ nic, channel })),
    },
  ];
};
