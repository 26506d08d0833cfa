import type { HeldLease } from '@corral/base/db/held-lease';
import type { StepKind } from '../db/service-schema.ts';
import type { CleaningOfNode } from '../core/cleaning-endings.ts';
import { findNode, type Node } from '../core/find-objects.ts';
import type { ReadOp, RequestContext } from '../core/request-context.ts';
import type { CleaningConfig } from '../config/cleaning-config.ts';
import type { CleaningMoment } from './cleaning-moments.ts';

/** A step that is under way. */
export interface RunningStep {
  readonly id: number;
  readonly name: string;
  readonly kind: StepKind;
  readonly attempts: number;
  readonly progress: string | null;
  readonly token_hashes: string;
}

/** One attempt at a step, under the lease of the cleaning. */
export interface Attempt {
  readonly context: RequestContext;
  readonly rules: CleaningConfig;
  readonly cleaning: CleaningOfNode;
  readonly step: RunningStep;
  readonly held: HeldLease;
  /** Aborts when the service stops, the lease is lost, or the step is no longer wanted. */
  readonly signal: AbortSignal;
  /** Until its deadline. */
  readonly leftMs: number;
  readonly moment: (moment: CleaningMoment) => void;
}

/** What became of an attempt. */
export type Verdict =
  | { readonly kind: 'passed' | 'failed'; readonly sentence: string; readonly evidence?: string }
  /** It is tried again after a pause, until the deadline. */
  | {
      readonly kind: 'later';
      readonly sentence: string;
      readonly evidence?: string;
      readonly progress?: string | null;
    }
  /** Somebody else reports the result, until the deadline. */
  | { readonly kind: 'waiting'; readonly sentence: string };

/** The step is no longer to be done: it was skipped, or the node quarantined or deleted. Nothing is recorded. */
export class StepOver extends Error {
  constructor() {
    super('the step is no longer to be done');
  }
}

/** The node as it is now, if the step is still to be done. */
export const findCleaned = async (op: ReadOp, { cleaning, step }: Attempt): Promise<Node> => {
  const found = await op.tx
    .selectFrom('cleaning_steps')
    .innerJoin('cleanings', 'cleanings.id', 'cleaning_steps.cleaning_id')
    .select('cleanings.node_id')
    .where('cleaning_steps.id', '=', step.id)
    .where('cleaning_steps.state', '=', 'running')
    .where('cleanings.state', '=', 'running')
    .executeTakeFirst();
  if (found === undefined) throw new StepOver();
  const node = await findNode(op, cleaning.node);
  if (node.id !== found.node_id || node.gate !== 'cleaning') throw new StepOver();
  return node;
};
