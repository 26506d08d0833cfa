import { type RawBuilder, sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { Database, Gate, StepKind, StepState } from '../db/service-schema.ts';
import { isUndone, undoing } from './cleaning-plan.ts';
import type { WriteOp } from './request-context.ts';

type Cleaning = Pick<Selectable<Database['cleanings']>, 'id' | 'label' | 'node_id'>;

/** A cleaning and its node, as events name them. */
export interface CleaningOfNode extends Cleaning {
  readonly node: string;
}

interface StepOfCleaning {
  readonly id: number;
  readonly name: string;
}

const mostText = 4_000;

/** What is stored of a text that somebody else chose: no more than a page, and nothing that a terminal acts on. */
export const bounded = (text: string): string => {
  const plain = text.replaceAll(/(?!\n)\p{Cc}/gu, ' ');
  return plain.length <= mostText ? plain : `${plain.slice(0, mostText)}…`;
};

/** Sets what keeps a node from its next project. */
export const setGate = async ({ tx }: WriteOp, nodeId: number, gate: Gate | null): Promise<void> => {
  await tx.updateTable('nodes').set({ gate }).where('id', '=', nodeId).execute();
};

/** The time by the database's clock, to be stored. */
export const timeIn = ({ now }: WriteOp, afterMs = 0): RawBuilder<number> =>
  afterMs === 0 ? now : sql<number>`${now} + ${Math.round(afterMs)}`;

const endStep = async (
  op: WriteOp,
  step: StepOfCleaning,
  end: { readonly state: StepState; readonly sentence: string; readonly evidence: string },
): Promise<void> => {
  const { state, sentence, evidence } = end;
  await op.tx
    .updateTable('cleaning_steps')
    .set({ state, sentence: bounded(sentence), evidence: bounded(evidence), ended_at: timeIn(op), progress: null })
    .where('id', '=', step.id)
    .execute();
};

/** A step has passed: the next one is due. */
export const passStep = async (
  op: WriteOp,
  cleaning: CleaningOfNode,
  step: StepOfCleaning,
  told: { readonly sentence: string; readonly evidence?: string },
): Promise<void> => {
  await endStep(op, step, { state: 'passed', sentence: told.sentence, evidence: told.evidence ?? '' });
  await makeDue(op, cleaning);
  op.record({
    type: 'cleaning_step',
    node: cleaning.node,
    detail: { cleaning: cleaning.label, step: step.name, outcome: 'passed' },
  });
};

/** A step has failed: the node is quarantined, once what has to be undone is. */
export const failStep = async (
  op: WriteOp,
  cleaning: CleaningOfNode,
  step: StepOfCleaning & { readonly kind: StepKind },
  told: { readonly sentence: string; readonly evidence?: string },
): Promise<void> => {
  await endStep(op, step, { state: 'failed', sentence: told.sentence, evidence: told.evidence ?? '' });
  op.record({
    type: 'cleaning_step',
    node: cleaning.node,
    detail: { cleaning: cleaning.label, step: step.name, outcome: 'failed' },
  });
  if (isUndone(step.kind) || (await undoes(op, cleaning, step))) await makeDue(op, cleaning);
  else await failCleaning(op, cleaning, `step ${step.name}: ${told.sentence}`);
};

/** Is it one of the steps that undo a boot? The others of them are done all the same, or the node stays on the network. */
const undoes = async (
  { tx }: WriteOp,
  { id }: Cleaning,
  step: StepOfCleaning & { readonly kind: StepKind },
): Promise<boolean> => {
  if (!undoing.some((kind) => kind === step.kind)) return false;
  const attach = await tx
    .selectFrom('cleaning_steps')
    .select('id')
    .where('cleaning_id', '=', id)
    .where('kind', '=', 'attach')
    .where('position', '<', (of) => of.selectFrom('cleaning_steps').select('position').where('id', '=', step.id))
    .executeTakeFirst();
  return attach !== undefined;
};

/** The node stays where it is until an operator has looked at it. */
export const failCleaning = async (op: WriteOp, cleaning: CleaningOfNode, reason: string): Promise<void> => {
  await op.tx
    .updateTable('cleanings')
    .set({ state: 'failed', reason: bounded(reason), ended_at: timeIn(op) })
    .where('id', '=', cleaning.id)
    .execute();
  await setGate(op, cleaning.node_id, 'quarantined');
  op.record({
    type: 'node_quarantined',
    node: cleaning.node,
    detail: { cleaning: cleaning.label, reason: bounded(reason) },
  });
  op.notify('cleanings');
};

/** The node has passed its gate; the caller moves it, if it has to be moved. */
export const passCleaning = async (op: WriteOp, cleaning: CleaningOfNode): Promise<void> => {
  await op.tx
    .updateTable('cleanings')
    .set({ state: 'passed', reason: null, ended_at: timeIn(op) })
    .where('id', '=', cleaning.id)
    .execute();
  await setGate(op, cleaning.node_id, null);
  op.record({ type: 'cleaning_passed', node: cleaning.node, detail: { cleaning: cleaning.label } });
};

/** Has a worker look at a cleaning at once. */
export const makeDue = async (op: WriteOp, { id }: Pick<Cleaning, 'id'>): Promise<void> => {
  await op.tx.updateTable('cleanings').set({ due_at: 0 }).where('id', '=', id).execute();
  op.notify('cleanings');
};
