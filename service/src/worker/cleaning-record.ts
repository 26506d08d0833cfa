import { type Growth, pauseAfter } from '@corral/base/backoff';
import type { Lease } from '@corral/base/db/lease-table';
import { sql } from 'kysely';
import type { CleaningConfig } from '../config/cleaning-config.ts';
import {
  bounded,
  type CleaningOfNode,
  failCleaning,
  failStep,
  passStep,
  setGate,
  timeIn,
} from '../core/cleaning-endings.ts';
import { undoing } from '../core/cleaning-plan.ts';
import { CorralError } from '../core/corral-error.ts';
import { findNode } from '../core/find-objects.ts';
import { requireLease } from '../core/leases.ts';
import { freeCleanedNode } from '../core/node-moves.ts';
import type { ReadOp, WriteOp } from '../core/request-context.ts';
import type { StepKind } from '../db/service-schema.ts';
import type { RunningStep, Verdict } from './cleaning-attempt.ts';

/** Between attempts at one step. */
const growth: Growth = { firstMs: 500, longestMs: 60_000 };
/** A cleaning that waits for somebody is checked this often anyway. */
export const longestPauseMs = 5 * 60_000;

interface Begun {
  readonly cleaning: CleaningOfNode;
  readonly step: RunningStep;
  readonly leftMs: number;
}

const findRunning = ({ tx }: ReadOp, cleaningId: number) =>
  tx
    .selectFrom('cleanings')
    .innerJoin('nodes', 'nodes.id', 'cleanings.node_id')
    .select(['cleanings.id', 'cleanings.label', 'cleanings.node_id', 'nodes.label as node'])
    .where('cleanings.id', '=', cleaningId)
    .where('cleanings.state', '=', 'running')
    .executeTakeFirst();

/** A step that has failed while the cleaning goes on: what it did is being undone. */
const findFailed = ({ tx }: ReadOp, cleaningId: number) =>
  tx
    .selectFrom('cleaning_steps')
    .select(['name', 'position', 'sentence'])
    .where('cleaning_id', '=', cleaningId)
    .where('state', '=', 'failed')
    .orderBy('position')
    .executeTakeFirst();

type Failed = NonNullable<Awaited<ReturnType<typeof findFailed>>>;

const findStep = ({ tx, now }: ReadOp, cleaningId: number, failed: Failed | undefined) =>
  tx
    .selectFrom('cleaning_steps')
    .select(['id', 'name', 'kind', 'state', 'attempts', 'progress', 'token_hashes'])
    .select(sql<number | null>`deadline_at - ${now}`.as('leftMs'))
    .where('cleaning_id', '=', cleaningId)
    .where('state', 'in', ['pending', 'running'])
    .$if(failed !== undefined, (query) =>
      query
        .where('kind', 'in', undoing)
        .where('position', '>', failed?.position ?? 0)
        // What undoes a later boot has nothing to undo.
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('cleaning_steps as next')
                .select('next.id')
                .where('next.cleaning_id', '=', cleaningId)
                .where('next.kind', '=', 'attach')
                .where('next.position', '>', failed?.position ?? 0)
                .whereRef('next.position', '<', 'cleaning_steps.position'),
            ),
          ),
        ),
    )
    .orderBy('position')
    .executeTakeFirst();

/** Begins the step that is due, or goes on with it; null: there is none, and what was left to do about that is done. */
export const beginStep = async (
  op: WriteOp,
  lease: Lease,
  cleaningId: number,
  rules: CleaningConfig,
): Promise<Begun | null> => {
  await requireLease(op, lease);
  const cleaning = await findRunning(op, cleaningId);
  if (cleaning === undefined) return null;
  const failed = await findFailed(op, cleaningId);
  const step = await findStep(op, cleaningId, failed);
  if (step === undefined) {
    if (failed === undefined) await freeNode(op, cleaning);
    else await failCleaning(op, cleaning, `step ${failed.name}: ${failed.sentence ?? 'it failed'}`);
    return null;
  }
  if (step.kind === 'maintenance') {
    await handToMaintenance(op, cleaning, step.id);
    return null;
  }
  const wholeMs = deadlineOf(step.kind, rules);
  const due = { deadline_at: timeIn(op, wholeMs) };
  if (step.state === 'running') {
    // A deadline that is further off is from before the clock was set back.
    const leftMs = step.leftMs ?? 0;
    if (leftMs > wholeMs) await op.tx.updateTable('cleaning_steps').set(due).where('id', '=', step.id).execute();
    if (leftMs > 0) return { cleaning, step, leftMs: Math.min(leftMs, wholeMs) };
    await failLate(op, cleaning, step);
    return null;
  }
  await op.tx
    .updateTable('cleaning_steps')
    .set({ state: 'running', attempts: 0, started_at: timeIn(op), ...due })
    .where('id', '=', step.id)
    .execute();
  return { cleaning, step, leftMs: wholeMs };
};

const deadlineOf = (kind: StepKind, { deadlineMs, stepDeadlineMs }: CleaningConfig): number =>
  kind === 'command' || kind === 'webhook' || kind === 'boot' ? stepDeadlineMs : deadlineMs;

/** The last look: whatever was read before, the ports are trusted now, or the node is not offered. */
const freeNode = async (op: WriteOp, cleaning: CleaningOfNode): Promise<void> => {
  try {
    await freeCleanedNode(op, await findNode(op, cleaning.node), cleaning);
  } catch (error) {
    if (!(error instanceof CorralError)) throw error;
    await failCleaning(op, cleaning, error.forAdmins);
  }
};

/** All that the service does itself has passed. It is over when the node leaves the maintenance project. */
const handToMaintenance = async (op: WriteOp, cleaning: CleaningOfNode, stepId: number): Promise<void> => {
  await op.tx
    .updateTable('cleaning_steps')
    .set({ state: 'running', started_at: timeIn(op), sentence: 'the maintenance service has the node' })
    .where('id', '=', stepId)
    .execute();
  await op.tx.updateTable('cleanings').set({ state: 'maintenance' }).where('id', '=', cleaning.id).execute();
  await setGate(op, cleaning.node_id, 'maintenance');
  await op.tx.insertInto('notifications').values({ node: cleaning.node, retry_at: 0 }).execute();
  op.record({ type: 'cleaning_maintenance', node: cleaning.node, detail: { cleaning: cleaning.label } });
  op.notify('notifications');
};

const failLate = async (
  op: WriteOp,
  cleaning: CleaningOfNode,
  step: { readonly id: number; readonly name: string; readonly kind: StepKind },
  evidence = '',
): Promise<void> => {
  const last = await op.tx
    .selectFrom('cleaning_steps')
    .select(['sentence', 'evidence'])
    .where('id', '=', step.id)
    .executeTakeFirst();
  const sentence = `not done at its deadline: ${last?.sentence ?? 'it was not tried'}`;
  await failStep(op, cleaning, step, { sentence, evidence: evidence === '' ? (last?.evidence ?? '') : evidence });
};

/** Writes down what became of an attempt, unless the step is over meanwhile. Tells whether more is due at once. */
export const settleStep = async (op: WriteOp, lease: Lease, begun: Begun, verdict: Verdict): Promise<boolean> => {
  await requireLease(op, lease);
  const cleaning = await findRunning(op, begun.cleaning.id);
  const step = cleaning && (await findStep(op, cleaning.id, await findFailed(op, cleaning.id)));
  if (cleaning === undefined || step?.id !== begun.step.id || step.state !== 'running') return cleaning !== undefined;
  if (verdict.kind === 'passed') {
    await passStep(op, cleaning, step, verdict);
    return true;
  }
  if (verdict.kind === 'failed') {
    await failStep(op, cleaning, step, verdict);
    return false;
  }
  const evidence = verdict.kind === 'later' ? (verdict.evidence ?? '') : '';
  await op.tx
    .updateTable('cleaning_steps')
    .set({
      sentence: bounded(verdict.sentence),
      evidence: bounded(evidence),
      attempts: step.attempts + (verdict.kind === 'later' ? 1 : 0),
      ...(verdict.kind === 'later' && verdict.progress !== undefined ? { progress: verdict.progress } : {}),
    })
    .where('id', '=', step.id)
    .execute();
  const leftMs = step.leftMs ?? 0;
  if (leftMs <= 0) {
    await failLate(op, cleaning, step, evidence);
    return false;
  }
  const pauseMs = verdict.kind === 'waiting' ? longestPauseMs : pauseAfter(step.attempts, growth);
  await op.tx
    .updateTable('cleanings')
    .set({ due_at: timeIn(op, Math.min(pauseMs, leftMs)) })
    .where('id', '=', cleaning.id)
    .execute();
  return false;
};
