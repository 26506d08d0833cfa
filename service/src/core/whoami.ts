import type { Caller } from './caller.ts';
import type { ReadOp } from './request-context.ts';

interface CallerView {
  readonly name: string;
  readonly admin: boolean;
  readonly projects: readonly string[];
  /** What the caller came with. */
  readonly by: 'credentials' | 'session' | 'token';
  readonly read_only: boolean;
  readonly expires_at: string | null;
}

/** Show who the caller is, what they may do, and until when. */
export const whoami = async (op: ReadOp): Promise<CallerView> => {
  const { caller } = op;
  if (caller.kind === 'anonymous') throw new Error('an anonymous caller has no identity');
  return viewOf(caller, await expiryOf(op, caller));
};

/** The same, also for those who have not signed in. */
export const showSession = async (op: ReadOp): Promise<{ readonly caller: CallerView | null }> => ({
  caller: op.caller.kind === 'anonymous' ? null : await whoami(op),
});

/** The same for someone who has just signed in. */
export const viewOf = (caller: Extract<Caller, { kind: 'user' }>, expiresAt: number | null): CallerView => ({
  name: caller.name,
  admin: caller.admin,
  projects: [...caller.projects].sort(),
  by: caller.by?.kind ?? 'credentials',
  read_only: caller.readOnly ?? false,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
});

/** What was made here for a person of another backend ends with that backend's word, if that is sooner. */
const expiryOf = async (
  { tx, dependencies }: ReadOp,
  { by, until }: Extract<Caller, { kind: 'user' }>,
): Promise<number | null> => {
  if (by === undefined) return until ?? null;
  const table = by.kind === 'session' ? 'sessions' : 'api_tokens';
  const row = await tx
    .selectFrom(table)
    .leftJoin('identities', 'identities.id', `${table}.identity_id`)
    .select([`${table}.expires_at`, 'identities.seen_at'])
    .where(`${table}.id`, '=', by.id)
    .executeTakeFirst();
  if (row === undefined) return null;
  return row.seen_at === null
    ? row.expires_at
    : Math.min(row.expires_at, row.seen_at + dependencies.identity.vouchedMs);
};
