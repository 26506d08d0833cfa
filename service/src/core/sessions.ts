import { randomUUID } from 'node:crypto';
import { ensureOwner, type Owner, ownedBy, ownersFor, type AccountCaller, requireAccount } from './accounts.ts';
import { type Caller, isAdmin, nameOf } from './caller.ts';
import { illegalState, notFound, unauthorized } from './corral-error.ts';
import type { RequestContext, ReadOp, WriteOp } from './request-context.ts';
import { hashOfSecret, newSecret } from './token-secret.ts';

/** Of a person; the oldest ends when there would be more. */
const mostSessions = 50;
const longestAgent = 200;

interface SessionOpen {
  readonly caller: AccountCaller;
  readonly address: string;
  /** What the browser says it is. */
  readonly agent: string;
}

/** Opens a browser session for a caller that just authenticated otherwise. Its secret is always a new one. */
export const sessionOpen = (
  context: RequestContext,
  args: SessionOpen,
): Promise<{ secret: string; expiresAt: number }> => {
  const person = requireAccount(args.caller, 'opening a session');
  return context.as(person).write(async (op) => {
    const owner = await ensureOwner(op, person);
    await makeRoom(op, owner, person.name);
    const secret = newSecret();
    const label = randomUUID();
    const now = Date.now();
    const expiresAt = now + op.dependencies.identity.sessionLifetimeMs;
    await op.tx
      .insertInto('sessions')
      .values({
        ...owner,
        label,
        hash: hashOfSecret(secret),
        made_at: now,
        seen_at: now,
        expires_at: expiresAt,
        address: args.address,
        agent: agentOf(args.agent),
      })
      .execute();
    op.record({ type: 'session_open', user: person.name, detail: { session: label, address: args.address } });
    return { secret, expiresAt };
  });
};

/** Cut, and without what PostgreSQL cannot store. */
const agentOf = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').slice(0, longestAgent);

const makeRoom = async (op: WriteOp, owner: Owner, user: string): Promise<void> => {
  const rows = await op.tx
    .selectFrom('sessions')
    .select(['id', 'label'])
    .where(ownedBy([owner]))
    .orderBy('id', 'desc')
    .execute();
  for (const session of rows.slice(mostSessions - 1)) await end(op, session, user);
};

const end = async (op: WriteOp, session: { id: number; label: string }, user: string): Promise<void> => {
  await op.tx.deleteFrom('sessions').where('id', '=', session.id).execute();
  op.record({ type: 'session_end', user, detail: { session: session.label } });
  op.notify('users');
};

interface SessionView {
  readonly session: string;
  readonly user: string;
  readonly made_at: string;
  readonly seen_at: string;
  readonly expires_at: string;
  readonly address: string;
  readonly agent: string;
  /** It is the one that asks. */
  readonly current: boolean;
}

/** Sessions that have not ended, newest first: the caller's own, or somebody's. */
export const listSessions = async (op: ReadOp, args: { user?: string }): Promise<SessionView[]> => {
  const owners = await ownersFor(op, args.user);
  const now = Date.now();
  const rows = await named(op)
    .where(ownedBy(owners))
    .where('expires_at', '>', now)
    .where('sessions.seen_at', '>', now - op.dependencies.identity.sessionIdleMs)
    .orderBy('sessions.id', 'desc')
    .execute();
  const current = currentOf(op.caller);
  return rows.map((row) => ({
    session: row.label,
    user: row.user ?? row.name ?? '',
    made_at: new Date(row.made_at).toISOString(),
    seen_at: new Date(row.seen_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
    address: row.address,
    agent: row.agent,
    current: row.id === current,
  }));
};

const named = ({ tx }: ReadOp) =>
  tx
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('identities', 'identities.id', 'sessions.identity_id')
    .selectAll('sessions')
    .select(['users.label as user', 'identities.name as name']);

const currentOf = (caller: Caller): number | null =>
  caller.kind === 'user' && caller.by?.kind === 'session' ? caller.by.id : null;

/** Ends one session, the caller's own or, for an administrator, anybody's. */
export const sessionEnd = async (op: WriteOp, args: { session: string }): Promise<void> => {
  const owners = await ownersFor(op, undefined);
  const row = await named(op).where('sessions.label', '=', args.session).executeTakeFirst();
  if (row === undefined) throw notFound(`session ${args.session} does not exist`);
  const isMine = owners.some(({ user_id, identity_id }) => row.user_id === user_id && row.identity_id === identity_id);
  if (!isMine && !isAdmin(op.caller)) {
    throw unauthorized(
      `session ${args.session} belongs to another user, and ${nameOf(op.caller)} is not an administrator`,
    );
  }
  await end(op, row, row.user ?? row.name ?? '');
};

/** Ends the session that the caller came with. */
export const sessionClose = async (op: WriteOp): Promise<void> => {
  const current = currentOf(op.caller);
  if (current === null) throw illegalState('the request has no session to end');
  const row = await named(op).where('sessions.id', '=', current).executeTakeFirst();
  // Somebody else may have ended it a moment ago.
  if (row !== undefined) await end(op, row, row.user ?? row.name ?? '');
};

/** Ends all sessions of a user, but for one that is to stay. */
export const endSessionsOf = async (op: WriteOp, user: { id: number }, except: { id?: number } = {}): Promise<void> => {
  await op.tx
    .deleteFrom('sessions')
    .where('user_id', '=', user.id)
    .where('id', '!=', except.id ?? -1)
    .execute();
  op.notify('users');
};
