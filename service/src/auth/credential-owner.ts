import type { Caller } from '../core/caller.ts';
import { unauthorized } from '../core/corral-error.ts';

/** What counts for everything that was made here. */
export interface HolderRules {
  /** Names of the authentication backends in use. */
  readonly backends: readonly string[];
  readonly vouchedMs: number;
}

/** A session or token joined with whose it is; one row for each project of a user. */
export interface OwnedRow {
  readonly user_id: number | null;
  readonly user: string | null;
  readonly user_is_admin: 0 | 1 | null;
  readonly project: string | null;
  readonly backend: string | null;
  readonly subject: string | null;
  readonly name: string | null;
  readonly identity_is_admin: 0 | 1 | null;
  readonly identity_projects: string | null;
  readonly identity_seen_at: number | null;
}

/** An authenticated caller. */
export type KnownCaller = Extract<Caller, { kind: 'user' }>;

/** Whose something is and what they may do now; throws AuthorizationError if their backend no longer confirms them. */
export const ownerOf = (
  rows: readonly [OwnedRow, ...OwnedRow[]],
  { backends, vouchedMs }: HolderRules,
): { readonly caller: KnownCaller; readonly until: number } => {
  const [row] = rows;
  const backend = row.user_id === null ? (row.backend ?? '') : 'database';
  if (!backends.includes(backend)) throw unauthorized(`authentication backend ${backend} is no longer configured`);
  if (row.user_id !== null) {
    const projects = new Set(rows.flatMap(({ project }) => (project === null ? [] : [project])));
    const account = { kind: 'user', id: row.user_id } as const;
    const caller = { kind: 'user', name: row.user ?? '', admin: row.user_is_admin === 1, projects, account } as const;
    return { caller, until: Number.POSITIVE_INFINITY };
  }
  const now = Date.now();
  const until = (row.identity_seen_at ?? 0) + vouchedMs;
  // A time far in the future comes from a clock that has been set back since.
  if (now >= until || until - now > 2 * vouchedMs) {
    throw unauthorized(`${backend} has not confirmed ${row.name ?? ''} recently; sign in again`);
  }
  const labels = JSON.parse(row.identity_projects ?? '[]') as string[];
  const account = { kind: 'identity', backend, subject: row.subject ?? '' } as const;
  return {
    caller: {
      kind: 'user',
      name: row.name ?? '',
      admin: row.identity_is_admin === 1,
      projects: new Set(labels),
      account,
    },
    until,
  };
};
