import type { WriteOp } from './request-context.ts';

/**
 * What is over is kept for so long: if the clock was set forward by mistake, it counts again when that is put right.
 */
const graceMs = 24 * 3_600_000;

/** Deletes sessions and tokens that are over, and people of other backends without any, and without claims. */
export const deleteExpiredCredentials = async ({ tx, dependencies }: WriteOp): Promise<void> => {
  const now = Date.now() - graceMs;
  await tx
    .deleteFrom('sessions')
    .where((where) =>
      where.or([where('expires_at', '<=', now), where('seen_at', '<=', now - dependencies.identity.sessionIdleMs)]),
    )
    .execute();
  await tx.deleteFrom('api_tokens').where('expires_at', '<=', now).execute();
  await tx
    .deleteFrom('identities')
    .where('seen_at', '<=', now - dependencies.identity.vouchedMs)
    .where('id', 'not in', (of) => of.selectFrom('sessions').select('identity_id').where('identity_id', 'is not', null))
    .where('id', 'not in', (of) =>
      of.selectFrom('api_tokens').select('identity_id').where('identity_id', 'is not', null),
    )
    .where('id', 'not in', (of) => of.selectFrom('claims').select('identity_id').where('identity_id', 'is not', null))
    .execute();
};
