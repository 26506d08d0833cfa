import { unauthorized } from '../core/corral-error.ts';
import { mayActFor } from '../core/caller.ts';
import { secretLength, tokenPrefix } from '../core/token-secret.ts';
import type { Db, Tx } from '../db/service-database.ts';
import { type RowOf, statement } from '../db/service-statement.ts';
import type { AuthBackend } from './auth-contract.ts';
import { locksRows } from '@corral/base/db/bound-kysely';
import { type HolderRules, type KnownCaller, ownerOf } from './credential-owner.ts';
import { type Holder, CredentialLookups } from './credential-lookups.ts';

/** One answer for a token that never was, one that expired and one that was revoked. */
const wrong = () => unauthorized('the token is invalid, expired or revoked; create a new one');

/** Tokens that people made for their scripts, as `Authorization: Bearer corral_…`. */
export const tokenBackend = (db: Db, rules: TokenRules): AuthBackend => {
  const lookups = new CredentialLookups(db, {
    find: async (hash) => holderIn(await db.query(tokenByHash, { hash, now: Date.now() }), rules),
    use: (id, now) => db.write((tx) => useToken.run(tx, { id, now })),
  });
  return {
    name: 'token',
    challenge: '',
    authenticate: (credentials) => {
      const header = credentials.header('authorization');
      const text = bearer.exec(header ?? '')?.[1];
      if (!text?.startsWith(tokenPrefix)) return null;
      const secret = text.slice(tokenPrefix.length);
      if (secret.length !== secretLength) throw wrong();
      return lookups.callerOf(secret, credentials.isAskedAgain ? 'look' : 'use');
    },
  };
};

type TokenRules = HolderRules & { readonly tokenLongestMs: number };

const bearer = /^bearer +(\S+) *$/i;

const holderIn = ([row, ...others]: readonly RowOf<typeof tokenByHash>[], rules: TokenRules): Holder => {
  // One that is to end further in the future than any can was made by a clock that has been set back since.
  if (row === undefined || row.expires_at - Date.now() > 2 * rules.tokenLongestMs) throw wrong();
  const { caller: owner, until } = ownerOf([row, ...others], rules);
  const caller = within(owner, row);
  const { limit } = row;
  if (limit !== null && !mayActFor(caller, limit)) {
    throw unauthorized(`the token is limited to a project that ${caller.name} no longer has access to`);
  }
  return {
    id: row.id,
    caller: {
      ...caller,
      ...(limit === null ? {} : { admin: false, projects: new Set([limit]) }),
      ...(row.read_only === 1 ? { readOnly: true } : {}),
      by: { kind: 'token', id: row.id, ...(limit === null ? {} : { isLimited: true }) },
      recheck: async (tx, use) =>
        holderIn(await (use === 'lock' ? tokenHeld : tokenById).all(tx, { id: row.id, now: Date.now() }), rules).caller,
    },
    until: Math.min(row.expires_at, until),
    usedAt: row.used_at ?? 0,
  };
};

/** An owner with no more rights than the token was made with. */
const within = (owner: KnownCaller, row: { made_admin: 0 | 1 | null; made_projects: string | null }): KnownCaller => {
  if (row.made_admin === null) return owner;
  const labels = JSON.parse(row.made_projects ?? '[]') as string[];
  const maker = { ...owner, admin: row.made_admin === 1, projects: new Set(labels) };
  const projects = [...owner.projects, ...labels].filter((label) => mayActFor(owner, label) && mayActFor(maker, label));
  return { ...owner, admin: owner.admin && maker.admin, projects: new Set(projects) };
};

/** One that expired is not fetched: that would take longer than to find nothing. */
const tokensWithOwners = (tx: Tx, now: number) =>
  tx
    .selectFrom('api_tokens')
    .leftJoin('users', 'users.id', 'api_tokens.user_id')
    .leftJoin('user_projects', 'user_projects.user_id', 'users.id')
    .leftJoin('projects', 'projects.id', 'user_projects.project_id')
    .leftJoin('identities', 'identities.id', 'api_tokens.identity_id')
    .leftJoin('projects as limits', 'limits.id', 'api_tokens.project_id')
    .select(['api_tokens.id', 'api_tokens.used_at', 'api_tokens.expires_at', 'api_tokens.user_id'])
    .select(['api_tokens.read_only', 'api_tokens.made_admin', 'api_tokens.made_projects', 'limits.label as limit'])
    .select(['users.label as user', 'users.is_admin as user_is_admin', 'projects.label as project'])
    .select(['identities.backend', 'identities.subject', 'identities.name'])
    .select(['identities.is_admin as identity_is_admin', 'identities.projects as identity_projects'])
    .select('identities.seen_at as identity_seen_at')
    .where('api_tokens.expires_at', '>', now);

const tokenByHash = statement((tx, { hash, now }: { hash: string; now: number }) =>
  tokensWithOwners(tx, now).where('api_tokens.hash', '=', hash),
);
const tokenById = statement((tx, { id, now }: { id: number; now: number }) =>
  tokensWithOwners(tx, now).where('api_tokens.id', '=', id),
);
const tokenHeld = statement((tx, { id, now }: { id: number; now: number }) =>
  tokensWithOwners(tx, now)
    .where('api_tokens.id', '=', id)
    .$if(locksRows(tx), (query) => query.forShare('api_tokens')),
);

const useToken = statement((tx, { id, now }: { id: number; now: number }) =>
  tx
    .updateTable('api_tokens')
    .set({ used_at: now })
    .where('id', '=', id)
    .where((where) => where.or([where('used_at', 'is', null), where('used_at', '!=', now)])),
);
