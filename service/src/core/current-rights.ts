import { locksRows } from '@corral/base/db/bound-kysely';
import type { Tx } from '../db/service-database.ts';
import { type Caller, mayActFor, nameOf } from './caller.ts';
import { unauthorized } from './corral-error.ts';

/*
 * A caller is identified before the body of the request is read, and a device or a queue may have to be waited for after
 * that. Rights that were taken away meanwhile must not count, so each transaction of a change asks for them again.
 */

/** The credentials of a request were changed or revoked between their check and the change that they were shown for. */
export const credentialsGone = () =>
  unauthorized('the credentials have just been changed or revoked; sign in again, or send the current ones');

/**
 * The caller with the rights of this transaction. Throws AuthorizationError if the credentials do not count any more, or
 * if rights were taken away since the request came: something may have been decided by them.
 */
export const currentCaller = async (tx: Tx, caller: Caller, use: 'lock' | 'read'): Promise<Caller> => {
  if (caller.kind === 'anonymous') return caller;
  if (caller.until !== undefined && Date.now() >= caller.until) {
    throw unauthorized('the credentials expired while the request was in progress; get new ones');
  }
  if (caller.recheck === undefined) return caller;
  const current = await caller.recheck(tx, use);
  const isLess =
    current.kind === 'anonymous' ||
    (caller.admin && !current.admin) ||
    (current.readOnly === true && caller.readOnly !== true) ||
    [...caller.projects].some((project) => !mayActFor(current, project));
  if (isLess) throw unauthorized(`rights of ${nameOf(caller)} have just been revoked; send the request again`);
  return current;
};

/**
 * Called by whatever takes rights away without deleting the credentials. A change that holds them (`for share`) makes
 * this wait until it has committed; one that began before this commits is refused by the database, and reads them again.
 * SQLite has one writer at a time.
 */
export const lockHolders = async (
  tx: Tx,
  owner: { readonly user_id: number | null; readonly identity_id: number | null },
): Promise<void> => {
  if (!locksRows(tx)) return;
  // A row that is written with what it has already is a new version of it all the same.
  const { user_id, identity_id } = owner;
  if (user_id !== null) {
    await tx
      .updateTable('users')
      .set('version', (set) => set.ref('version'))
      .where('id', '=', user_id)
      .execute();
  }
  const column = user_id === null ? 'identity_id' : 'user_id';
  const id = user_id ?? identity_id;
  await tx
    .updateTable('sessions')
    .set('seen_at', (set) => set.ref('seen_at'))
    .where(column, '=', id)
    .execute();
  await tx
    .updateTable('api_tokens')
    .set('used_at', (set) => set.ref('used_at'))
    .where(column, '=', id)
    .execute();
};
