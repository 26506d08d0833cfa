import { sql } from 'kysely';
import { failStep, passStep } from './cleaning-endings.ts';
import { blocked, unauthorized } from './corral-error.ts';
import type { WriteOp } from './request-context.ts';
import { hashOfSecret } from './token-secret.ts';

/** What the service that was asked to clean a node found. */
export interface CleaningResult {
  readonly cleaning: string;
  readonly step: string;
  readonly token: string;
  readonly outcome: 'clean' | 'failed';
  readonly evidence?: string;
}

/** How many tokens of one step count: each attempt to reach the service has a new one, and an older may have arrived. */
const keptTokens = 8;

/** The hashes of the tokens of a step, with those of one more. */
export const withToken = (hashes: string, token: string): string =>
  [...hashes.split(' ').filter((hash) => hash !== ''), hashOfSecret(token)].slice(-keptTokens).join(' ');

/**
 * Takes the result of one step of one cleaning, once. The token decides, and nothing else: whether there is such a
 * cleaning or step is nobody's business who has none.
 */
export const cleaningResult = async (op: WriteOp, args: CleaningResult): Promise<void> => {
  const found = await op.tx
    .selectFrom('cleaning_steps')
    .innerJoin('cleanings', 'cleanings.id', 'cleaning_steps.cleaning_id')
    .innerJoin('nodes', 'nodes.id', 'cleanings.node_id')
    .select(['cleanings.id', 'cleanings.label', 'cleanings.node_id', 'nodes.label as node'])
    .select(['cleanings.state as cleaningState', 'cleaning_steps.id as stepId', 'cleaning_steps.name'])
    .select(['cleaning_steps.state', 'cleaning_steps.kind', 'cleaning_steps.token_hashes'])
    .select(sql<number | null>`cleaning_steps.deadline_at - ${op.now}`.as('leftMs'))
    .where('cleanings.label', '=', args.cleaning)
    .where('cleaning_steps.name', '=', args.step)
    .executeTakeFirst();
  if (!found?.token_hashes.split(' ').includes(hashOfSecret(args.token))) {
    throw unauthorized('the token is not valid for this step of this cleaning');
  }
  const { cleaningState, stepId, name, kind, state, leftMs } = found;
  if (cleaningState !== 'running' || state !== 'running') {
    throw blocked(`step ${name} of this cleaning is over; the result changes nothing`);
  }
  if (leftMs === null || leftMs <= 0) {
    throw blocked(`the deadline of step ${name} has passed; the result changes nothing`);
  }
  const evidence = args.evidence ?? '';
  if (args.outcome === 'clean') {
    await passStep(op, found, { id: stepId, name }, { sentence: 'reported as clean', evidence });
  } else await failStep(op, found, { id: stepId, name, kind }, { sentence: 'reported as failed', evidence });
};
