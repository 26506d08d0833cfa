import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Database } from '../db/service-schema.ts';
import { type Account, type Caller, requireAdmin, requireUser } from './caller.ts';
import { notFound, unauthorized } from './corral-error.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { lockHolders } from './current-rights.ts';

/** A caller whose access can be checked again later. */
export type AccountCaller = Extract<Caller, { kind: 'user' }> & { readonly account: Account };

/** Whose a session or token is: a user of this database, or a person of another backend. */
export type Owner =
  { readonly user_id: number; readonly identity_id: null } | { readonly user_id: null; readonly identity_id: number };

const where = expressionBuilder<Database, 'sessions' | 'api_tokens'>();

/** The rows of any of these owners. */
export const ownedBy = (owners: readonly Owner[]): Expression<SqlBool> =>
  where.or([
    where('user_id', 'in', [-1, ...owners.flatMap(({ user_id }) => user_id ?? [])]),
    where('identity_id', 'in', [-1, ...owners.flatMap(({ identity_id }) => identity_id ?? [])]),
  ]);

/** Requires that something can be made for the caller. A caller with a token cannot create others. */
export const requireAccount = (caller: Caller, what: string): AccountCaller => {
  if (caller.kind === 'anonymous') throw unauthorized(`${what} needs credentials: sign in first`);
  if (caller.by?.kind === 'token' || caller.readOnly) {
    throw unauthorized(`${what} cannot be done with a token; sign in, or send the credentials themselves`);
  }
  const { account } = caller;
  if (account === undefined) {
    throw unauthorized(`${what} is not possible for ${caller.name}: their authentication backend provides no account`);
  }
  return { ...caller, account };
};

/** Whose sessions and tokens are meant: the caller's own, or those of everybody of a name, for administrators. */
export const ownersFor = async (op: ReadOp, name: string | undefined): Promise<Owner[]> => {
  requireUnlimitedToken(op.caller);
  if (name !== undefined) {
    requireAdmin(op.caller);
    return findOwnersNamed(op, name);
  }
  const account = op.caller.kind === 'user' ? op.caller.account : undefined;
  const owner = account === undefined ? null : await findOwner(op, account);
  return owner === null ? [] : [owner];
};

/** A token for one project stands for what its owner may do there, and for nothing else of the owner's. */
const requireUnlimitedToken = (caller: Caller): void => {
  requireUser(caller);
  if (caller.kind === 'user' && caller.by?.kind === 'token' && caller.by.isLimited) {
    throw unauthorized('a token for one project may neither see nor end sessions and tokens; sign in for that');
  }
};

/** The owner that a caller is, if anything was ever made for them. */
const findOwner = async ({ tx }: ReadOp, account: Account): Promise<Owner | null> => {
  if (account.kind === 'user') return { user_id: account.id, identity_id: null };
  const known = await tx
    .selectFrom('identities')
    .select('id')
    .where('backend', '=', account.backend)
    .where('subject', '=', account.subject)
    .executeTakeFirst();
  return known === undefined ? null : { user_id: null, identity_id: known.id };
};

/** Everybody of this name: a user, and people of other backends. */
const findOwnersNamed = async ({ tx }: ReadOp, name: string): Promise<Owner[]> => {
  const users = await tx.selectFrom('users').select('id').where('label', '=', name).execute();
  const identities = await tx.selectFrom('identities').select('id').where('name', '=', name).execute();
  if (users.length + identities.length === 0) throw notFound(`user ${name} does not exist, and never signed in`);
  return [
    ...users.map(({ id }) => ({ user_id: id, identity_id: null }) as const),
    ...identities.map(({ id }) => ({ user_id: null, identity_id: id }) as const),
  ];
};

/** What a person may do, as it is stored. */
export const storedRights = ({ admin, projects }: AccountCaller) =>
  ({ is_admin: admin ? 1 : 0, projects: JSON.stringify([...projects].sort()) }) as const;

/**
 * The owner that a caller is. Of a person who showed credentials of another backend it is written down what they may do
 * there, and since when that is so: it counts for all that was made for them. What was said later is not unsaid by
 * older credentials.
 */
export const ensureOwner = async (op: WriteOp, person: AccountCaller): Promise<Owner> => {
  const { account, by } = person;
  if (account.kind === 'user') return { user_id: account.id, identity_id: null };
  const known = await findOwner(op, account);
  if (by !== undefined && known !== null) return known;
  const { backend, subject } = account;
  const now = Date.now();
  const seen_at = Math.min(account.vouchedAt ?? now, now);
  // So that a time that is none is refused as well.
  const isRecent = seen_at > now - op.dependencies.identity.vouchedMs;
  if (!isRecent) {
    throw unauthorized(`${backend} has not confirmed ${person.name} recently; get new credentials there`);
  }
  const seen = { name: person.name, ...storedRights(person), seen_at };
  op.notify('users');
  if (known !== null) {
    const { identity_id } = known;
    await lockHolders(op.tx, known);
    await op.tx
      .updateTable('identities')
      .set(seen)
      .where('id', '=', identity_id)
      .where('seen_at', '<=', seen_at)
      .execute();
    return known;
  }
  const { id } = await op.tx
    .insertInto('identities')
    .values({ backend, subject, ...seen })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { user_id: null, identity_id: id };
};
