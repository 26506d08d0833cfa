import type { WriteOp } from '../core/request-context.ts';

/** Processes that start together, or one that ends and starts again and again, read a switch no more often. */
const restMs = 10_000;

/** Asks for a sweep of every switch: nobody looked at them while the service was down. */
export const sweepAtStart = async ({ tx }: WriteOp): Promise<void> => {
  const now = Date.now();
  await tx
    .updateTable('switches')
    .set(({ eb }) => ({ sweep_wanted: eb('sweep_wanted', '+', 1) }))
    .where((where) => where('sweep_answered', '>=', where.ref('sweep_wanted')))
    .where('duplicate_of', 'is', null)
    .where((where) =>
      where.or([where('swept_at', 'is', null), where('swept_at', '<', now - restMs), where('swept_at', '>', now)]),
    )
    .execute();
};
