import type { Selectable } from 'kysely';
import type { CleaningState, Database } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { nameOf } from './caller.ts';
import { bounded, failCleaning, makeDue, setGate, timeIn } from './cleaning-endings.ts';
import { isFixed, planSteps } from './cleaning-plan.ts';
import { blocked, notFound } from './corral-error.ts';
import { timeOf } from './drift.ts';
import { findNode } from './find-objects.ts';
import { gateSentence, openCleaningOf } from './gate.ts';
import { obmIsEnabled } from './node-blocks.ts';
import { insertSteps, openCleaning } from './open-cleaning.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/*
 * What operators see and decide of nodes between two projects. The steps themselves are the worker's.
 */

interface CleaningArgs {
  readonly cleaning: string;
}

/** A cleaning, without its steps. */
export interface CleaningView {
  readonly cleaning: string;
  readonly node: string;
  /** The project that the node left; null: it was free. */
  readonly project: string | null;
  readonly state: CleaningState;
  /** Why the node is quarantined. */
  readonly reason: string | null;
  /** The step that it is at, or that failed. */
  readonly step: string | null;
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** Which cleanings, and which part of them. */
export interface CleaningQuery {
  readonly state?: CleaningState;
  readonly node?: string;
  /** The cleaning after which the page begins. */
  readonly after?: string;
  readonly limit: number;
}

/** A page of cleanings, the newest first. */
export const listCleanings = async (
  op: ReadOp,
  { state, node, after, limit }: CleaningQuery,
): Promise<{
  readonly cleanings: readonly CleaningView[];
  readonly next: string | null;
  readonly enabled: boolean;
}> => {
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : (await findCleaning(op, after)).id;
  const page = withNode(op)
    .where('cleanings.id', '<', before)
    .orderBy('cleanings.id', 'desc')
    .limit(limit + 1);
  const inState = state === undefined ? page : page.where('cleanings.state', '=', state);
  const rows = await (
    node === undefined ? inState : inState.where('cleanings.node_id', '=', (await findNode(op, node)).id)
  ).execute();
  const shown = rows.slice(0, limit);
  const steps = shown.length === 0 ? [] : await currentSteps(op, shown);
  const at = new Map(steps.map(({ cleaning_id, name }) => [cleaning_id, name]));
  return {
    cleanings: shown.map((row) => viewOf(row, at.get(row.id) ?? null)),
    next: rows.length > limit ? (shown.at(-1)?.label ?? null) : null,
    enabled: op.dependencies.cleaning.enabled,
  };
};

type Cleaning = Selectable<Database['cleanings']> & { readonly node: string };

const withNode = ({ tx }: ReadOp) =>
  tx
    .selectFrom('cleanings')
    .innerJoin('nodes', 'nodes.id', 'cleanings.node_id')
    .selectAll('cleanings')
    .select('nodes.label as node');

const currentSteps = ({ tx }: ReadOp, cleanings: readonly Cleaning[]) =>
  tx
    .selectFrom('cleaning_steps')
    .select(['cleaning_id', 'name'])
    .where(
      'cleaning_id',
      'in',
      cleanings.map(({ id }) => id),
    )
    .where('state', 'in', ['running', 'failed'])
    .execute();

const viewOf = (
  { label, node, project, state, reason, created_at, ended_at }: Cleaning,
  step: string | null,
): CleaningView => ({
  cleaning: label,
  node,
  project,
  state,
  reason,
  step,
  created_at: new Date(created_at).toISOString(),
  ended_at: timeOf(ended_at),
});

const findCleaning = async (op: ReadOp, label: string): Promise<Cleaning> => {
  const found = await withNode(op).where('cleanings.label', '=', label).executeTakeFirst();
  if (found === undefined) throw notFound(`cleaning ${label} does not exist`);
  return found;
};

export const showCleaning = async (op: ReadOp, args: CleaningArgs) => {
  const found = await findCleaning(op, args.cleaning);
  const steps = await stepsOf.all(op.tx, { cleaningId: found.id });
  const current = steps.find(({ state }) => state === 'running' || state === 'failed');
  return {
    ...viewOf(found, current?.name ?? null),
    steps: steps.map(({ name, kind, state, attempts, sentence, evidence, started_at, deadline_at, ended_at }) => ({
      name,
      kind,
      state,
      attempts,
      sentence,
      evidence: evidence === '' ? null : evidence,
      started_at: timeOf(started_at),
      deadline_at: timeOf(deadline_at),
      ended_at: timeOf(ended_at),
    })),
  };
};

/** The steps of a cleaning, in order. */
const stepsOf = statement((tx, { cleaningId }: { cleaningId: number }) =>
  tx.selectFrom('cleaning_steps').selectAll().where('cleaning_id', '=', cleaningId).orderBy('position'),
);

/**
 * Cleans a quarantined node again, from the first step on: somebody may have been at the machine since. The steps are
 * those of the current settings; what was skipped stays so.
 */
export const cleaningRetry = async (op: WriteOp, args: CleaningArgs): Promise<void> => {
  const cleaning = await findCleaning(op, args.cleaning);
  if (cleaning.state !== 'failed') throw notFailed(cleaning);
  const node = await findNode(op, cleaning.node);
  if (node.obm_token !== null) throw obmIsEnabled(node);
  const steps = await stepsOf.all(op.tx, { cleaningId: cleaning.id });
  const skipped = new Map(
    steps.flatMap(({ name, state, sentence }) => (state === 'skipped' ? [[name, sentence ?? '']] : [])),
  );
  await op.tx.deleteFrom('cleaning_steps').where('cleaning_id', '=', cleaning.id).execute();
  await insertSteps(op, cleaning.id, planSteps(op.dependencies.cleaning, node.project_id !== null), skipped);
  await op.tx
    .updateTable('cleanings')
    .set({ state: 'running', reason: null, ended_at: null, due_at: 0 })
    .where('id', '=', cleaning.id)
    .execute();
  await setGate(op, node.id, 'cleaning');
  op.record({ type: 'cleaning_retry', node: node.label, detail: { cleaning: cleaning.label } });
  op.notify('cleanings');
};

const notFailed = ({ label, node, state }: Cleaning) =>
  blocked(
    state === 'passed'
      ? `cleaning ${label} of node ${node} has passed; there is nothing to retry`
      : `cleaning ${label} of node ${node} is in progress; quarantine the node first, or wait`,
  );

/** Leaves out a step of a cleaning that is not over, because an operator says so. */
export const cleaningSkip = async (
  op: WriteOp,
  args: CleaningArgs & { readonly step: string; readonly reason: string },
): Promise<void> => {
  const cleaning = await findCleaning(op, args.cleaning);
  if (cleaning.state === 'passed') throw blocked(`cleaning ${cleaning.label} of node ${cleaning.node} has passed`);
  const steps = await stepsOf.all(op.tx, { cleaningId: cleaning.id });
  const step = steps.find(({ name }) => name === args.step);
  if (step === undefined) throw notFound(`step ${args.step} of cleaning ${cleaning.label} does not exist`);
  if (step.kind === 'maintenance') {
    throw blocked(
      `step ${step.name} cannot be skipped: detach node ${cleaning.node} from its project once the steps before it have passed`,
    );
  }
  if (isFixed(step.kind)) {
    throw blocked(
      `step ${step.name} cannot be skipped: the next project would share networks with the last; repair the switch, or disconnect the nic from its port`,
    );
  }
  if (step.state === 'passed' || step.state === 'skipped') {
    throw blocked(`step ${step.name} of cleaning ${cleaning.label} is over (${step.state})`);
  }
  await op.tx
    .updateTable('cleaning_steps')
    .set({
      state: 'skipped',
      sentence: bounded(`skipped by ${nameOf(op.caller)}: ${args.reason}`),
      ended_at: timeIn(op),
      progress: null,
    })
    .where('id', '=', step.id)
    .execute();
  op.record({
    type: 'cleaning_skip',
    node: cleaning.node,
    detail: { cleaning: cleaning.label, step: step.name, reason: bounded(args.reason) },
  });
  await makeDue(op, cleaning);
};

/** Takes a node that is in no project out of service, or one out of its cleaning. A retry of its cleaning puts it back. */
export const nodeQuarantine = async (
  op: WriteOp,
  args: { readonly node: string; readonly reason: string },
): Promise<{ readonly cleaning: string }> => {
  const node = await findNode(op, args.node);
  const open = await openCleaningOf.first(op.tx, { nodeId: node.id });
  if (node.gate === 'quarantined') throw gateSentence(node, node.gate, open);
  if (node.gate === null && node.project !== null) {
    throw blocked(`node ${node.label} is in project ${node.project}; it can be quarantined when it has left`);
  }
  const cleaning =
    open === undefined ? await openCleaning(op, { node, project: null, inPool: false }) : { ...open, node: node.label };
  await op.tx
    .updateTable('cleaning_steps')
    .set({ state: 'failed', sentence: `quarantined by ${nameOf(op.caller)}`, ended_at: timeIn(op), progress: null })
    .where('cleaning_id', '=', cleaning.id)
    .where('state', '=', 'running')
    .execute();
  await failCleaning(op, cleaning, args.reason);
  return { cleaning: cleaning.label };
};
