import { pending, statement } from '../db/service-statement.ts';
import { ahead } from './ahead.ts';
import { blocked, projectMismatch } from './corral-error.ts';
import { findProject, type Node, type Project } from './find-objects.ts';
import { passCleaning, type CleaningOfNode } from './cleaning-endings.ts';
import { requireGate } from './gate.ts';
import { enterGate } from './open-cleaning.ts';
import { obmIsEnabled, tiedBy } from './node-blocks.ts';
import { requireTrustedPorts } from './port-trust.ts';
import { type Forced, requireNodeQuota } from './quotas.ts';
import { endRelease, runningReleaseOf } from './releases.ts';
import type { WriteOp } from './request-context.ts';
import { requireSoleRecords } from './switch-identity.ts';
import { recordMove } from './usage-ledger.ts';

/*
 * The only places where a node changes projects, so that what has to be so before, and what has to be recorded, is the
 * same for every call that moves nodes. Who may do it, the calls decide.
 */

/** Gives a free node to a project. Several are given one after the other: each counts for the quota of the next. */
export const reserveNode = async (op: WriteOp, project: Project, node: Node, forced: Forced = {}): Promise<void> => {
  if (node.project_id !== null) throw blocked(`node ${node.label} is not free`);
  await requireGate(op, node, 'cleaning', 'maintenance', 'quarantined');
  const refusal = `node ${node.label} cannot be reserved`;
  const quota = ahead(requireNodeQuota(op, project, node, forced));
  const trust = [ahead(requireSoleRecords(op, node, refusal)), ahead(requireTrustedPorts(op, node, refusal))];
  for (const checked of trust) await checked;
  const exceeded = await quota;
  await moveNode.send(op.tx, { id: node.id, projectId: project.id });
  await recordMove(op, node, project);
  op.record({ type: 'project_connect_node', projects: [project], node: node.label, detail: { ...exceeded } });
};

/**
 * Takes a node out of its project: it becomes free, goes to the maintenance pool, or has to pass its gate first. One that
 * is being released for repair is quarantined, also if somebody else takes it out.
 */
export const giveNodeBack = async (op: WriteOp, project: Project, node: Node): Promise<void> => {
  if (node.project_id !== project.id) throw projectMismatch(`node ${node.label} is not in project ${project.label}`);
  await requireGate(op, node, 'cleaning', 'quarantined');
  const findingRelease = ahead(runningReleaseOf(op, node));
  await requireReleasable(op, node, `node ${node.label} cannot leave project ${project.label}`);

  const pool = op.dependencies.maintenance;
  const next = pool === null || pool.project === project.label ? null : await findProject(op, pool.project);
  const release = await findingRelease;
  const gate = await enterGate(op, { node, from: project, to: next, repair: release?.for_repair ?? null });
  await moveNode.send(op.tx, { id: node.id, projectId: next?.id ?? null });
  await recordMove(op, node, next);
  op.record({
    type: 'project_detach_node',
    projects: [project, next],
    node: node.label,
    detail: next === null ? {} : { moved_to: next.label },
  });
  await endRelease(op, project, node, release);
  // With a gate, the maintenance service hears of a node when the steps before it have passed.
  if (next && gate === null) {
    await op.tx.insertInto('notifications').values({ node: node.label, retry_at: 0 }).execute();
    op.notify('notifications');
  }
};

const moveNode = statement((tx, { id, projectId }: { id: number; projectId: number | null }) =>
  tx.updateTable('nodes').set({ project_id: projectId }).where('id', '=', id),
);

/** A node whose cleaning has passed becomes free, if its ports are still as they were read. */
export const freeCleanedNode = async (op: WriteOp, node: Node, cleaning: CleaningOfNode): Promise<void> => {
  await requireReleasable(op, node, `node ${node.label} cannot be offered to the next project`);
  await passCleaning(op, cleaning);
};

const requireReleasable = async (op: WriteOp, node: Node, refusal: string): Promise<void> => {
  const findingTie = tieOfNode.first(op.tx, { nodeId: node.id });
  const trust = ahead(requireTrustedPorts(op, node, refusal));
  const tie = await findingTie;
  if (tie) throw tiedBy(node, tie);
  await trust;
  if (node.obm_token !== null) throw obmIsEnabled(node);
};

/** A network that a nic of the node is on, or an action that is pending on it; networks come first. */
const tieOfNode = statement((tx, { nodeId }: { nodeId: number }) =>
  tx
    .selectFrom('nics')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('networks', 'networks.id', 'attachments.network_id')
    .leftJoin('actions', (join) => join.onRef('actions.nic_id', '=', 'nics.id').on('actions.status', '=', pending))
    .select(['networks.label as network', 'nics.label as nic'])
    .where('nics.node_id', '=', nodeId)
    .where((where) => where.or([where('attachments.id', 'is not', null), where('actions.id', 'is not', null)]))
    .orderBy((order) => order.case().when('attachments.id', 'is', null).then(1).else(0).end())
    .limit(1),
);
