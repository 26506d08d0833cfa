import { unauthorized } from '../core/corral-error.ts';
import { secretLength } from '../core/token-secret.ts';
import type { Db, Tx } from '../db/service-database.ts';
import { type RowOf, statement } from '../db/service-statement.ts';
import type { AuthBackend } from './auth-contract.ts';
import { type HolderRules, ownerOf } from './credential-owner.ts';
import { locksRows } from '@corral/base/db/bound-kysely';
import { endOfSession } from './session-activity.ts';
import { type Holder, CredentialLookups } from './credential-lookups.ts';
import { requireSameOrigin } from './same-origin-check.ts';
import { sessionCookieName } from './session-cookie-name.ts';

type SessionRules = HolderRules & Parameters<typeof endOfSession>[1];

const over = () => unauthorized('the session has ended; sign in again');

/** The cookie of a browser that signed in. Credentials in a header come before it. */
export const sessionBackend = (db: Db, rules: SessionRules): AuthBackend => {
  const lookups = new CredentialLookups(db, {
    find: async (hash) => holderIn(await db.query(sessionByHash, { hash }), rules),
    used: (id) => rules.lastUses.note(id),
    use: (id, now) => db.write((tx) => useSession.run(tx, { id, now })),
  });
  return {
    name: 'session',
    challenge: '',
    authenticate: (credentials) => {
      const cookies = credentials.header('cookie');
      if (cookies === undefined) return null;
      if (credentials.header('authorization') !== undefined || credentials.header('x-auth-token') !== undefined) {
        return null;
      }
      const secrets = valuesIn(cookies, sessionCookieName(credentials.origin));
      const [secret] = secrets;
      if (secret === undefined) return null;
      requireSameOrigin(credentials);
      // Another host of the site can set a second cookie of the name; its origin cannot be determined.
      if (secrets.length > 1 || secret.length !== secretLength) throw over();
      return lookups.callerOf(secret, credentials.isAskedAgain ? 'look' : 'use');
    },
  };
};

const valuesIn = (cookies: string, name: string): string[] =>
  cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`) && cookie.length > name.length + 1)
    .map((cookie) => cookie.slice(name.length + 1));

const holderIn = ([row, ...others]: readonly RowOf<typeof sessionByHash>[], rules: SessionRules): Holder => {
  if (row === undefined) throw over();
  const ends = endOfSession(row, rules);
  if (ends === null) throw over();
  const { caller, until } = ownerOf([row, ...others], rules);
  return {
    id: row.id,
    caller: {
      ...caller,
      by: { kind: 'session', id: row.id },
      recheck: async (tx, use) =>
        holderIn(await (use === 'lock' ? sessionHeld : sessionById).all(tx, { id: row.id }), rules).caller,
    },
    until: Math.min(ends, until),
    usedAt: row.seen_at,
  };
};

const sessionsWithOwners = (tx: Tx) =>
  tx
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('user_projects', 'user_projects.user_id', 'users.id')
    .leftJoin('projects', 'projects.id', 'user_projects.project_id')
    .leftJoin('identities', 'identities.id', 'sessions.identity_id')
    .select(['sessions.id', 'sessions.seen_at', 'sessions.expires_at', 'sessions.user_id'])
    .select(['users.label as user', 'users.is_admin as user_is_admin', 'projects.label as project'])
    .select(['identities.backend', 'identities.subject', 'identities.name'])
    .select(['identities.is_admin as identity_is_admin', 'identities.projects as identity_projects'])
    .select('identities.seen_at as identity_seen_at');

const sessionByHash = statement((tx, { hash }: { hash: string }) =>
  sessionsWithOwners(tx).where('sessions.hash', '=', hash),
);
const sessionById = statement((tx, { id }: { id: number }) => sessionsWithOwners(tx).where('sessions.id', '=', id));
const sessionHeld = statement((tx, { id }: { id: number }) =>
  sessionsWithOwners(tx)
    .where('sessions.id', '=', id)
    .$if(locksRows(tx), (query) => query.forShare('sessions')),
);

const useSession = statement((tx, { id, now }: { id: number; now: number }) =>
  tx.updateTable('sessions').set({ seen_at: now }).where('id', '=', id).where('seen_at', '!=', now),
);
