import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Database, ReleaseState, ReleaseStep } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { isAdmin, nameOf, requireProject } from './caller.ts';
import { blocked, notFound, projectMismatch } from './corral-error.ts';
import { timeOf } from './drift.ts';
import { findProject, type Node, type Project } from './find-objects.ts';
import { inRepair } from './open-cleaning.ts';
import { requireRepairQuota } from './quotas.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/*
 * A release gives a node back by one call: it detaches its networks, disables OBM and takes the node out of its project.
 * This file begins, shows and ends releases; `release-steps.ts` does what one consists of. While one is running nobody
 * can add to the node, so there is less to do after every step and none of them has to be repeated.
 */

/** Part of the text of a statement, not one of its values: only then the indexes of running releases are used. */
export const running = sql.lit('running' as const);

/** Most releases that are shown of a project: so many that are running, and so many that have ended. */
const mostShown = 500;
/** How long a release that has ended is shown. */
const keepMs = 7 * 86_400_000;
/** How many of them are deleted at once. */
const batch = 1_000;

/** A detachment that a release queued. */
export interface Detachment {
  readonly nic: string;
  readonly network: string;
  readonly status_id: string;
}

export interface ReleaseView {
  readonly release: string;
  readonly node: string;
  readonly project: string;
  readonly caller: string;
  readonly state: ReleaseState;
  /** What it does, or did last. */
  readonly step: ReleaseStep;
  readonly detaches: readonly Detachment[];
  /** What went wrong last; while it is running, it is tried again. */
  readonly problem: string | null;
  /** Failed attempts at the step. */
  readonly attempts: number;
  /** What is wrong with the node, which is quarantined when it has left; null: nothing. */
  readonly for_repair: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
}

interface ReleaseNodes {
  readonly project: string;
  readonly nodes: readonly string[];
  /** What is wrong with them: they are quarantined when they have left. */
  readonly for_repair?: string;
}

/**
 * Begins the release of all of these nodes, or of none. A node that is being released already stays so; what is said to
 * be wrong with it counts from now on.
 */
export const projectReleaseNodes = async (
  op: WriteOp,
  args: ReleaseNodes,
): Promise<{ releases: { node: string; release: string }[] }> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const labels = [...new Set(args.nodes)];
  const nodes = await op.tx
    .selectFrom('nodes')
    .select(['id', 'label', 'project_id', 'class'])
    .where('label', 'in', labels)
    .execute();
  const missing = labels.filter((label) => nodes.every((node) => node.label !== label));
  if (missing.length > 0) throw notFound(about(missing, 'does not exist', 'do not exist'));
  const foreign = nodes.filter(({ project_id }) => project_id !== project.id).map(({ label }) => label);
  if (foreign.length > 0) {
    throw projectMismatch(about(foreign, `is not in project ${project.label}`, `are not in project ${project.label}`));
  }
  if (args.for_repair !== undefined && !isAdmin(op.caller)) await requireRepairs(op, project, nodes);
  const releases: { node: string; release: string }[] = [];
  for (const label of labels) {
    const node = nodes.find((one) => one.label === label);
    if (node === undefined) continue;
    const release = await begin(op, project, node);
    if (args.for_repair !== undefined) await noteRepair(op, project, node, release, args.for_repair);
    releases.push({ node: label, release });
  }
  op.notify('releases');
  return { releases };
};

/** What is being released for repair counts, too. */
const requireRepairs = async (
  op: WriteOp,
  project: Project,
  nodes: readonly Pick<Node, 'id' | 'class'>[],
): Promise<void> => {
  const leaving = await op.tx
    .selectFrom('releases')
    .innerJoin('nodes', 'nodes.id', 'releases.node_id')
    .select(['nodes.id', 'nodes.class'])
    .where('releases.project_id', '=', project.id)
    .where('releases.ended_at', 'is', null)
    .where('releases.for_repair', 'is not', null)
    .execute();
  const all = new Map([...(await inRepair(op, project)), ...leaving, ...nodes].map((node) => [node.id, node]));
  await requireRepairQuota(op, project, [...all.values()]);
};

const about = (nodes: readonly string[], one: string, several: string): string =>
  nodes.length === 1 ? `node ${nodes.join('')} ${one}` : `nodes ${nodes.join(', ')} ${several}`;

/** The label of the release: a new one, or the one that is running. */
const begin = async (
  op: WriteOp,
  project: { readonly id: number; readonly label: string },
  node: { readonly id: number; readonly label: string },
): Promise<string> => {
  const found = await runningOfNode.first(op.tx, { nodeId: node.id });
  if (found) return found.label;
  const label = randomUUID();
  await op.tx
    .insertInto('releases')
    .values({
      label,
      node_id: node.id,
      node: node.label,
      project_id: project.id,
      project: project.label,
      caller: nameOf(op.caller),
      state: 'running',
      step: 'networks',
      detaches: '[]',
      problem: null,
      operator_problem: null,
      started_at: Date.now(),
      ended_at: null,
    })
    .execute();
  op.record({ type: 'node_release_started', projects: [project], node: node.label, detail: { release: label } });
  return label;
};

/** A node with this note is quarantined by the transaction that takes it out of its project (`enterGate`). */
const noteRepair = async (
  op: WriteOp,
  project: { readonly id: number; readonly label: string },
  node: { readonly label: string },
  release: string,
  note: string,
): Promise<void> => {
  await op.tx.updateTable('releases').set({ for_repair: note }).where('label', '=', release).execute();
  op.record({
    type: 'node_release_for_repair',
    projects: [project],
    node: node.label,
    detail: { release, for_repair: note },
  });
};

const runningOfNode = statement((tx, { nodeId }: { nodeId: number }) =>
  tx
    .selectFrom('releases')
    .select(['id', 'label', 'for_repair'])
    .where('node_id', '=', nodeId)
    .where('state', '=', running),
);

/** Refuses what would add to a node that is being released. */
export const requireNoRelease = async ({ tx }: ReadOp, node: Pick<Node, 'id' | 'label'>): Promise<void> => {
  const found = await runningOfNode.first(tx, { nodeId: node.id });
  if (found) throw blocked(`node ${node.label} is being released (release ${found.label}); wait until that has ended`);
};

/** The release of a node that is running. */
export interface RunningRelease {
  readonly id: number;
  readonly label: string;
  /** What is wrong with the node; null: nothing is known to be. */
  readonly for_repair: string | null;
}

/** The release of a node, if one is running. */
export const runningReleaseOf = ({ tx }: ReadOp, node: Pick<Node, 'id'>): Promise<RunningRelease | undefined> =>
  runningOfNode.first(tx, { nodeId: node.id });

/** A node leaves its project: its release is done, also if somebody else took it out. */
export const endRelease = async (
  op: WriteOp,
  project: { id: number; label: string },
  node: Node,
  found: RunningRelease | undefined,
): Promise<void> => {
  if (found === undefined) return;
  await op.tx
    .updateTable('releases')
    .set({ state: 'done', step: 'project', problem: null, operator_problem: null, ended_at: Date.now() })
    .where('id', '=', found.id)
    .execute();
  op.record({ type: 'node_released', projects: [project], node: node.label, detail: { release: found.label } });
};

type Row = Selectable<Database['releases']>;

export const showRelease = async (op: ReadOp, args: { release: string }): Promise<ReleaseView> => {
  const found = await releaseByLabel.first(op.tx, { label: args.release });
  if (!found) {
    throw notFound(
      `release ${args.release} does not exist; it is deleted ${keepMs / 86_400_000} days after it has ended`,
    );
  }
  requireProject(op.caller, found.now_project);
  return viewOf(op, found);
};

/** `now_project` is null after the project was deleted: another of that label sees nothing of it. */
const releaseByLabel = statement((tx, { label }: { label: string }) =>
  tx
    .selectFrom('releases')
    .leftJoin('projects', 'projects.id', 'releases.project_id')
    .selectAll('releases')
    .select('projects.label as now_project')
    .where('releases.label', '=', label),
);

/** Those that are running, and those that ended lately; the newest first. */
export const listProjectReleases = async (op: ReadOp, args: { project: string }): Promise<ReleaseView[]> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const of = op.tx.selectFrom('releases').selectAll().where('project_id', '=', project.id);
  const begun = await of.where('ended_at', 'is', null).orderBy('id', 'desc').limit(mostShown).execute();
  const ended = await of.where('ended_at', 'is not', null).orderBy('ended_at', 'desc').limit(mostShown).execute();
  return [...begun, ...ended].map((row) => viewOf(op, row));
};

const viewOf = ({ caller }: ReadOp, row: Row): ReleaseView => ({
  release: row.label,
  node: row.node,
  project: row.project,
  caller: row.caller,
  state: row.state,
  step: row.step,
  detaches: detachesIn(row),
  // Where a node is plugged in is the operator's business.
  problem: isAdmin(caller) ? (row.operator_problem ?? row.problem) : row.problem,
  attempts: row.attempts,
  for_repair: row.for_repair,
  started_at: timeOf(row.started_at) ?? '',
  ended_at: timeOf(row.ended_at),
});

export const detachesIn = ({ detaches }: Pick<Row, 'detaches'>): readonly Detachment[] =>
  JSON.parse(detaches) as Detachment[];

/** Deletes some of the releases that ended long ago. Answers whether there may be more. */
export const deleteEndedReleases = async ({ tx }: WriteOp): Promise<boolean> => {
  const deleted = await tx
    .deleteFrom('releases')
    .where('id', 'in', (of) =>
      of
        .selectFrom('releases')
        .select('id')
        .where('ended_at', 'is not', null)
        .where('ended_at', '<', Date.now() - keepMs)
        .orderBy('ended_at')
        .limit(batch),
    )
    .returning('id')
    .execute();
  return deleted.length === batch;
};
