import { type AccountCaller, ensureOwner, type Owner } from './accounts.ts';
import { type Caller, systemCaller } from './caller.ts';
import type { StoredClaim } from './claim-line.ts';
import { unauthorized } from './corral-error.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/*
 * A claim that waits is served for the person who made it, with the rights that they have then: not with those of the
 * session or token that they came with, which may have ended meanwhile.
 */

/** Whose rights count when a claim is served; neither: to the backend `null` everybody is the operator. */
export type Maker = Owner | { readonly user_id: null; readonly identity_id: null };

/** The maker that a caller is. Refuses one whose rights nobody could look up later. */
export const makerOf = async (op: WriteOp): Promise<Maker> => {
  const { caller } = op;
  if (caller === systemCaller) return { user_id: null, identity_id: null };
  if (caller.kind === 'anonymous' || caller.account === undefined) {
    throw unauthorized(
      'a claim cannot wait for you: your authentication backend provides no account, so that your rights could not be read again; send the claim without "wait"',
    );
  }
  return ensureOwner(op, caller as AccountCaller);
};

/** The maker of a claim with the rights that they have in this transaction, or why it cannot be served any more. */
export const currentMaker = async (op: ReadOp, claim: StoredClaim): Promise<Caller | { readonly lost: string }> => {
  const { maker, project } = claim;
  const may = (admin: boolean): Caller => ({ kind: 'user', name: maker, admin, projects: new Set([project]) });
  const lost = { lost: `${maker} has no access to the project any more` };
  if (claim.user_id !== null) {
    const user = await op.tx
      .selectFrom('users')
      .leftJoin('user_projects', (join) =>
        join.onRef('user_projects.user_id', '=', 'users.id').on('user_projects.project_id', '=', claim.project_id),
      )
      .select(['users.is_admin', 'user_projects.project_id'])
      .where('users.id', '=', claim.user_id)
      .executeTakeFirst();
    if (user === undefined) return lost;
    return user.is_admin === 1 || user.project_id !== null ? may(user.is_admin === 1) : lost;
  }
  if (claim.identity_id === null) return maker === systemCallerName ? may(true) : lost;
  const person = await op.tx
    .selectFrom('identities')
    .select(['backend', 'is_admin', 'projects', 'seen_at'])
    .where('id', '=', claim.identity_id)
    .executeTakeFirst();
  if (person === undefined) return lost;
  const { vouchedMs } = op.dependencies.identity;
  const until = person.seen_at + vouchedMs;
  // A time far in the future comes from a clock that has been set back since.
  if (Date.now() >= until || until - Date.now() > 2 * vouchedMs) {
    return { lost: `${person.backend} has not confirmed ${maker} recently` };
  }
  const projects = JSON.parse(person.projects) as readonly string[];
  return person.is_admin === 1 || projects.includes(project) ? may(person.is_admin === 1) : lost;
};

const systemCallerName = systemCaller.kind === 'user' ? systemCaller.name : '';
