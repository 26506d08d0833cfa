import {
  ensureOwner,
  type Owner,
  ownedBy,
  ownersFor,
  type AccountCaller,
  requireAccount,
  storedRights,
} from './accounts.ts';
import { nameOf, requireProject } from './caller.ts';
import { badArgument, blocked, duplicate, notFound } from './corral-error.ts';
import { findProject } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { hashOfSecret, newSecret, tokenPrefix } from './token-secret.ts';

/** Of a person. */
const mostTokens = 100;

interface TokenCreate {
  readonly token: string;
  /** Seconds. */
  readonly expires_in?: number;
  readonly project?: string;
  readonly read_only?: boolean;
}

/** Creates a token for the caller. It is returned only once; only its hash is stored. */
export const tokenCreate = async (op: WriteOp, args: TokenCreate): Promise<{ token: string; expires_at: string }> => {
  const person = requireAccount(op.caller, 'making a token');
  const { tokenDefaultMs, tokenLongestMs } = op.dependencies.identity;
  const lifetime = args.expires_in === undefined ? tokenDefaultMs : args.expires_in * 1000;
  if (lifetime > tokenLongestMs) throw badArgument(`a token can last at most ${tokenLongestMs / 1000} seconds`);
  const project = args.project === undefined ? null : await findProject(op, args.project);
  if (project !== null) requireProject(person, project.label);
  const owner = await ensureOwner(op, person);
  await makeRoom(op, owner, args.token);
  const secret = newSecret();
  const now = Date.now();
  const expiresAt = now + lifetime;
  await op.tx
    .insertInto('api_tokens')
    .values({
      ...owner,
      ...madeWith(owner, person),
      label: args.token,
      hash: hashOfSecret(secret),
      project_id: project?.id ?? null,
      read_only: args.read_only ? 1 : 0,
      made_at: now,
      expires_at: expiresAt,
    })
    .execute();
  const expires_at = new Date(expiresAt).toISOString();
  op.record({
    type: 'token_create',
    user: person.name,
    detail: { token: args.token, expires_at, project: project?.label ?? null, read_only: args.read_only ?? false },
  });
  return { token: tokenPrefix + secret, expires_at };
};

/** Credentials of one person may differ in what they are for: what was made with few rights gets no more later. */
const madeWith = (owner: Owner, person: AccountCaller) => {
  if (owner.identity_id === null) return { made_admin: null, made_projects: null };
  const { is_admin, projects } = storedRights(person);
  return { made_admin: is_admin, made_projects: projects };
};

/** A token that expired is in nobody's way. */
const makeRoom = async ({ tx }: WriteOp, owner: Owner, label: string): Promise<void> => {
  await tx
    .deleteFrom('api_tokens')
    .where(ownedBy([owner]))
    .where('expires_at', '<=', Date.now())
    .execute();
  const tokens = await tx
    .selectFrom('api_tokens')
    .select('label')
    .where(ownedBy([owner]))
    .execute();
  if (tokens.some((token) => token.label === label)) {
    throw duplicate(`token ${label} already exists; revoke it first, or choose another name`);
  }
  if (tokens.length >= mostTokens) throw blocked(`a user can have at most ${mostTokens} tokens; revoke one first`);
};

interface TokenView {
  readonly token: string;
  readonly user: string;
  readonly project: string | null;
  readonly read_only: boolean;
  readonly made_at: string;
  readonly expires_at: string;
  readonly used_at: string | null;
}

/** Tokens that count, by name: the caller's own, or somebody's. */
export const listTokens = async (op: ReadOp, args: { user?: string }): Promise<TokenView[]> => {
  const rows = await op.tx
    .selectFrom('api_tokens')
    .leftJoin('users', 'users.id', 'api_tokens.user_id')
    .leftJoin('identities', 'identities.id', 'api_tokens.identity_id')
    .leftJoin('projects', 'projects.id', 'api_tokens.project_id')
    .selectAll('api_tokens')
    .select(['users.label as user', 'identities.name as name', 'projects.label as project'])
    .where(ownedBy(await ownersFor(op, args.user)))
    .where('expires_at', '>', Date.now())
    .execute();
  return rows
    .sort((a, b) => (a.label < b.label ? -1 : 1))
    .map((row) => ({
      token: row.label,
      user: row.user ?? row.name ?? '',
      project: row.project,
      read_only: row.read_only === 1,
      made_at: new Date(row.made_at).toISOString(),
      expires_at: new Date(row.expires_at).toISOString(),
      used_at: row.used_at === null ? null : new Date(row.used_at).toISOString(),
    }));
};

/** Revokes a token, the caller's own or somebody's. */
export const tokenRevoke = async (op: WriteOp, args: { token: string; user?: string }): Promise<void> => {
  const owners = await ownersFor(op, args.user);
  const revoked = await op.tx
    .deleteFrom('api_tokens')
    .where(ownedBy(owners))
    .where('label', '=', args.token)
    .returning('id')
    .execute();
  const user = args.user ?? nameOf(op.caller);
  if (revoked.length === 0) throw notFound(`token ${args.token} of ${user} does not exist`);
  op.record({ type: 'token_revoke', user, detail: { token: args.token } });
  op.notify('users');
};

/** Revokes all tokens of a user. */
export const revokeTokensOf = async (op: WriteOp, user: { id: number }): Promise<void> => {
  await op.tx.deleteFrom('api_tokens').where('user_id', '=', user.id).execute();
  op.notify('users');
};

/** Revokes all tokens for a project. */
export const revokeTokensFor = async (op: WriteOp, project: { id: number }): Promise<void> => {
  await op.tx.deleteFrom('api_tokens').where('project_id', '=', project.id).execute();
  op.notify('users');
};
