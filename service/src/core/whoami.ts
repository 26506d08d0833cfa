import type { Caller } from './caller.ts';
import type { ReadOp } from './op.ts';

interface CallerView {
  readonly name: string;
  readonly admin: boolean;
  readonly projects: readonly string[];
  /** What the caller came with. */
  readonly by: 'credentials' | 'session' | 'token';
  readonly read_only: boolean;
  readonly expires_at: string | null;
}

/** Who the caller is here, what they may do, and until when. */
export const whoami = async (op: ReadOp): Promise<CallerView> => {
  const { caller } = op;
  if (caller.kind === 'anonymous') throw new Error('nobody asks who nobody is');
  return viewOf(caller, await expiryOf(op, caller.by));
};

/** The same for someone who has just signed in. */
export const viewOf = (caller: Extract<Caller, { kind: 'user' }>, expiresAt: number | null): CallerView => ({
  name: caller.name,
  admin: caller.admin,
  projects: [...caller.projects].sort(),
  by: caller.by?.kind ?? 'credentials',
  read_only: caller.readOnly ?? false,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
});

const expiryOf = async ({ tx }: ReadOp, by: Extract<Caller, { kind: 'user' }>['by']): Promise<number | null> => {
  if (by === undefined) return null;
  const table = by.kind === 'session' ? 'sessions' : 'api_tokens';
  const row = await tx.selectFrom(table).select('expires_at').where('id', '=', by.id).executeTakeFirst();
  return row?.expires_at ?? null;
};
