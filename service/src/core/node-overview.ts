import { pending } from '../db/service-statement.ts';
import { settledEvents } from '../db/event-order.ts';
import { type Caller, isAdmin, mayActFor, projectLabels, requireProject, requireUser } from './caller.ts';
import { notFound } from './corral-error.ts';
import { findProject } from './find-objects.ts';
import { isFreeNode } from './free-nodes.ts';
import { isOpenCleaning } from './gate.ts';
import { grouped } from './grouped.ts';
import { blocksOf, type NodeBlock } from './node-blocks.ts';
import { type NicView, nicsOf, type NodeView } from './nodes.ts';
import { actionColumns, type PendingAction, pendingIn } from './pending-action.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** A nic as `show_node` shows it, with the change that waits. */
interface NicOverview extends NicView {
  /** null also where the caller may not see it. */
  readonly pending: PendingAction | null;
}

/** A node as `show_node` shows it, and what one would have to try out otherwise. */
export interface NodeOverview extends NodeView {
  readonly nics: readonly NicOverview[];
  /** null: the caller may not manage it. */
  readonly obm_enabled: boolean | null;
  /** What keeps it from being reserved, or from leaving its project; null: the caller could do neither. */
  readonly blocked: readonly NodeBlock[] | null;
}

/** Which nodes, and which part of them. */
export interface NodeQuery {
  readonly which: 'all' | 'free' | 'mine';
  readonly project?: string;
  /** The label after which the page begins. */
  readonly after: string;
  readonly limit: number;
}

interface NodesOverview {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  readonly nodes: readonly NodeOverview[];
  /** Labels of those in projects that the caller has no access to. */
  readonly others: readonly string[];
  /** Where to go on; null: there are no more. */
  readonly next: string | null;
}

/**
 * A page of all nodes, with what `show_node` would show of each, by four statements however many there are. Which
 * events are in it is read first: who follows them from there misses nothing.
 */
export const nodesOverview = async (context: RequestContext, query: NodeQuery): Promise<NodesOverview> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const found = await pageOf(op, query);
    const page = found.slice(0, query.limit);
    const shown = page.filter(({ project }) => isShown(op.caller, project));
    const others = page.filter(({ project }) => !isShown(op.caller, project));
    return {
      event,
      nodes: await overviewsOf(op, shown),
      others: others.map(({ label }) => label),
      next: found.length > query.limit ? (page.at(-1)?.label ?? null) : null,
    };
  });
};

/** The same of one node, with the refusals of `show_node`. */
export const nodeOverview = async (
  context: RequestContext,
  args: { readonly node: string },
): Promise<NodeOverview & { readonly event: number }> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const rows = await nodeRows(op).where('nodes.label', '=', args.node).execute();
    for (const { project } of rows) if (project !== null) requireProject(op.caller, project);
    const [overview] = await overviewsOf(op, rows);
    if (overview === undefined) throw notFound(`node ${args.node} does not exist`);
    return { event, ...overview };
  });
};

/** A free node is anybody's to see. */
const isShown = (caller: Caller, project: string | null): boolean => project === null || mayActFor(caller, project);

type NodeRow = Awaited<ReturnType<typeof pageOf>>[number];

const nodeRows = ({ tx }: ReadOp) =>
  tx
    .selectFrom('nodes')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('cleanings', (join) => join.onRef('cleanings.node_id', '=', 'nodes.id').on(isOpenCleaning))
    .select(['nodes.id', 'nodes.label', 'nodes.metadata', 'projects.label as project'])
    .select(['nodes.gate', 'cleanings.label as cleaning', 'cleanings.reason'])
    .select((select) => select.case().when('nodes.obm_token', 'is', null).then(0).else(1).end().as('obmIsEnabled'));

/** One more than the page has: it tells whether there is a next. */
const pageOf = async (op: ReadOp, { which, project, after, limit }: NodeQuery) => {
  const page = nodeRows(op)
    .where('nodes.label', '>', after)
    .orderBy('nodes.label')
    .limit(limit + 1);
  const free = which === 'free' ? page.where(isFreeNode) : page;
  const mine = which === 'mine' ? free.where('projects.label', 'in', projectLabels(op.caller)) : free;
  if (project === undefined) return mine.execute();
  requireUser(op.caller);
  const { id, label } = await findProject(op, project);
  requireProject(op.caller, label);
  return mine.where('nodes.project_id', '=', id).execute();
};

const overviewsOf = async (op: ReadOp, nodes: readonly NodeRow[]): Promise<NodeOverview[]> => {
  const ids = nodes.map(({ id }) => id);
  const nics = grouped(ids.length === 0 ? [] : await nicRows(op, ids), ({ nodeId }) => nodeId);
  const held = grouped(ids.length === 0 ? [] : await heldRows(op, ids), ({ nodeId }) => nodeId);
  return nodes.map((node) => overviewOf(op.caller, node, nics.get(node.id) ?? [], held.get(node.id) ?? []));
};

type NicRow = Awaited<ReturnType<typeof nicRows>>[number];
type HeldRow = Awaited<ReturnType<typeof heldRows>>[number];

const overviewOf = (caller: Caller, node: NodeRow, nics: readonly NicRow[], held: readonly HeldRow[]): NodeOverview => {
  const isFree = node.project === null;
  const isObmEnabled = node.obmIsEnabled === 1;
  return {
    name: node.label,
    project: node.project,
    nics: nicOverviews(caller, node, nics),
    metadata: JSON.parse(node.metadata) as Record<string, unknown>,
    obm_enabled: isFree && !isAdmin(caller) ? null : isObmEnabled,
    blocked:
      isFree && !mayReserve(caller)
        ? null
        : blocksOf(
            {
              label: node.label,
              isFree,
              gate: node.gate,
              cleaning: node.cleaning === null ? null : { label: node.cleaning, reason: node.reason },
              isObmEnabled,
              ...tiesAndPorts(nics, held),
            },
            isAdmin(caller),
          ),
  };
};

/** The rule of show_networking_action: an administrator sees every change, a member those of nodes of their projects. */
const nicOverviews = (caller: Caller, node: NodeRow, rows: readonly NicRow[]): NicOverview[] => {
  const isShown = isAdmin(caller) || (node.project !== null && mayActFor(caller, node.project));
  const pendings = new Map(rows.map((row) => [row.nic, isShown ? pendingIn(row) : null]));
  return nicsOf(rows, isAdmin(caller)).map((nic) => ({ ...nic, pending: pendings.get(nic.label) ?? null }));
};

/** Has the caller a project to reserve a node for? */
const mayReserve = (caller: Caller): boolean => caller.kind === 'user' && (caller.admin || caller.projects.size > 0);

const tiesAndPorts = (nics: readonly NicRow[], held: readonly HeldRow[]) => {
  const inOrder = [...nics].sort((a, b) => (a.nic < b.nic ? -1 : 1));
  // A nic with several networks has several rows, and one port.
  const [...each] = new Map(inOrder.map((row) => [row.nic, row])).values();
  return {
    ties: [
      ...inOrder.flatMap(({ nic, network }) => (network === null ? [] : [{ nic, network }])),
      ...each.flatMap(({ nic, statusId }) => (statusId === null ? [] : [{ nic, network: null }])),
    ],
    ports: [
      ...each.flatMap(({ port, switch: on, suspect, drift_since, reading, unread, late_until, nic }) =>
        port === null || on === null || unread === null
          ? []
          : [{ port, switch: on, suspect, drift_since, reading, unread, late_until, nic }],
      ),
      ...held,
    ],
    secondRecords: each.flatMap(({ nic, switch: on, other }) =>
      on === null || other === null ? [] : [{ nic, switch: on, other }],
    ),
  };
};

/** One row for each attachment, or nic without one. */
const nicRows = ({ tx }: ReadOp, nodeIds: readonly number[]) =>
  tx
    .selectFrom('nics')
    .leftJoin('ports', 'ports.id', 'nics.port_id')
    .leftJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('switches as others', 'others.id', 'switches.duplicate_of')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('networks', 'networks.id', 'attachments.network_id')
    .leftJoin('actions', (join) => join.onRef('actions.nic_id', '=', 'nics.id').on('actions.status', '=', pending))
    .select(['nics.node_id as nodeId', 'nics.label as nic', 'nics.macaddr'])
    .select(['ports.label as port', 'switches.label as switch', 'others.label as other'])
    .select(['ports.suspect', 'ports.drift_since', 'ports.reading', 'ports.unread', 'ports.late_until'])
    .select(['attachments.channel', 'networks.label as network'])
    .select(actionColumns)
    .where('nics.node_id', 'in', nodeIds)
    .execute();

/** Ports that nodes were on, and that hold them until they can be trusted. */
const heldRows = ({ tx }: ReadOp, nodeIds: readonly number[]) =>
  tx
    .selectFrom('held_nodes')
    .innerJoin('ports', 'ports.id', 'held_nodes.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    // Its nic may be back on it.
    .leftJoin('nics', (join) =>
      join.onRef('nics.port_id', '=', 'ports.id').onRef('nics.node_id', '=', 'held_nodes.node_id'),
    )
    .select(['held_nodes.node_id as nodeId', 'ports.label as port', 'switches.label as switch', 'nics.label as nic'])
    .select(['ports.suspect', 'ports.drift_since', 'ports.reading', 'ports.unread', 'ports.late_until'])
    .where('held_nodes.node_id', 'in', nodeIds)
    .where('nics.id', 'is', null)
    .execute();
