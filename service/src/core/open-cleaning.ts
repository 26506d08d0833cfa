import { randomUUID } from 'node:crypto';
import type { Gate } from '../db/service-schema.ts';
import { bounded, type CleaningOfNode, failCleaning, passCleaning, setGate, timeIn } from './cleaning-endings.ts';
import { planSteps, type PlannedStep } from './cleaning-plan.ts';
import type { Node, Project } from './find-objects.ts';
import { openCleaningOf } from './gate.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/** So many cleanings of one node are kept, the newest: enough to see a machine that fails again and again. */
const keptOfNode = 20;

/** A node that leaves a project. */
interface Leaving {
  readonly node: Node;
  readonly from: Project;
  /** The maintenance pool; null: the node would be free. */
  readonly to: Project | null;
  /** What is wrong with it; null: nothing is known to be. */
  readonly repair: string | null;
}

/**
 * What keeps a node that leaves a project from its next one; null: nothing does. In the transaction that moves the node,
 * so that there is no moment in between.
 */
export const enterGate = async (op: WriteOp, { node, from, to, repair }: Leaving): Promise<Gate | null> => {
  const open = node.gate === null ? undefined : await openCleaningOf.first(op.tx, { nodeId: node.id });
  if (open !== undefined) {
    const cleaning = { ...open, node: node.label };
    if (repair !== null) {
      await failCleaning(op, cleaning, forRepair(from, repair));
      return 'quarantined';
    }
    // The maintenance service was the last to have it: `requireGate` lets nobody else past.
    await op.tx
      .updateTable('cleaning_steps')
      .set({ state: 'passed', sentence: `left project ${from.label}`, ended_at: timeIn(op) })
      .where('cleaning_id', '=', open.id)
      .where('kind', '=', 'maintenance')
      .execute();
    await passCleaning(op, cleaning);
    return null;
  }
  if (repair === null && !op.dependencies.cleaning.enabled) return null;
  const made = await openCleaning(op, { node, project: from.label, inPool: to !== null });
  if (repair === null) return 'cleaning';
  await failCleaning(op, made, forRepair(from, repair));
  return 'quarantined';
};

const forRepair = (from: Project, note: string): string => `${forRepairBy(from)}${note}`;
const forRepairBy = ({ label }: Project): string => `project ${label} released it for repair: `;

/** The nodes that a project has released for repair, and that nobody has put back yet. */
export const inRepair = async ({ tx }: ReadOp, project: Project): Promise<readonly Pick<Node, 'id' | 'class'>[]> => {
  const rows = await tx
    .selectFrom('cleanings')
    .innerJoin('nodes', 'nodes.id', 'cleanings.node_id')
    .select(['nodes.id', 'nodes.class', 'cleanings.reason'])
    .where('cleanings.state', '=', 'failed')
    .where('cleanings.project', '=', project.label)
    .execute();
  return rows.filter(({ reason }) => reason?.startsWith(forRepairBy(project)) === true);
};

/** Begins the cleaning of a node that has none. */
export const openCleaning = async (
  op: WriteOp,
  { node, project, inPool }: { readonly node: Node; readonly project: string | null; readonly inPool: boolean },
): Promise<CleaningOfNode> => {
  const label = randomUUID();
  const { id } = await op.tx
    .insertInto('cleanings')
    .values({ label, node_id: node.id, project, state: 'running', created_at: op.now, due_at: 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertSteps(op, id, planSteps(op.dependencies.cleaning, inPool));
  await setGate(op, node.id, 'cleaning');
  await forgetOldest(op, node);
  op.record({ type: 'cleaning_started', node: node.label, detail: { cleaning: label } });
  op.notify('cleanings');
  return { id, label, node_id: node.id, node: node.label };
};

/** Writes down what is to be done. `skipped`: what an operator said of steps that are left out, by name. */
export const insertSteps = async (
  op: WriteOp,
  cleaningId: number,
  steps: readonly PlannedStep[],
  skipped: ReadonlyMap<string, string> = new Map(),
): Promise<void> => {
  await op.tx
    .insertInto('cleaning_steps')
    .values(
      steps.map(({ name, kind }, position) => {
        const sentence = skipped.get(name);
        return {
          cleaning_id: cleaningId,
          position,
          name,
          kind,
          state: sentence === undefined ? ('pending' as const) : ('skipped' as const),
          sentence: sentence === undefined ? null : bounded(sentence),
          attempts: 0,
          token_hashes: '',
        };
      }),
    )
    .execute();
};

const forgetOldest = async ({ tx }: WriteOp, node: Node): Promise<void> => {
  const old = await tx
    .selectFrom('cleanings')
    .select('id')
    .where('node_id', '=', node.id)
    .orderBy('id', 'desc')
    .limit(keptOfNode)
    .offset(keptOfNode)
    .execute();
  await forgetCleanings(
    tx,
    old.map(({ id }) => id),
  );
};

const forgetCleanings = async (tx: WriteOp['tx'], ids: readonly number[]): Promise<void> => {
  if (ids.length === 0) return;
  await tx.deleteFrom('cleaning_steps').where('cleaning_id', 'in', ids).execute();
  await tx.deleteFrom('cleanings').where('id', 'in', ids).execute();
};

/** A node is deleted, and what it went through with it. */
export const forgetCleaningsOf = async ({ tx }: WriteOp, node: Pick<Node, 'id'>): Promise<void> => {
  const rows = await tx.selectFrom('cleanings').select('id').where('node_id', '=', node.id).execute();
  await forgetCleanings(
    tx,
    rows.map(({ id }) => id),
  );
};
