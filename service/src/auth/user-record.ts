import type { Caller } from '../core/caller.ts';
import type { VerifiedUser } from '../core/passwords.ts';
import type { Db } from '../db/db.ts';

/** A user as the database has it now. */
export interface UserRecord extends VerifiedUser {
  readonly password_hash: string;
}

export const findUserRecord = (db: Db, username: string): Promise<UserRecord | null> => {
  // PostgreSQL has no NUL in text, and neither has any user name.
  if (username.includes('\0')) return Promise.resolve(null);
  return db.read(async (tx) => {
    const rows = await tx
      .selectFrom('users')
      .leftJoin('user_projects', 'user_projects.user_id', 'users.id')
      .leftJoin('projects', 'projects.id', 'user_projects.project_id')
      .select(['users.id', 'users.label', 'users.password_hash', 'users.is_admin', 'users.version'])
      .select('projects.label as project')
      .where('users.label', '=', username)
      .execute();
    const [user] = rows;
    if (user === undefined) return null;
    const projects = new Set(rows.flatMap(({ project }) => (project === null ? [] : [project])));
    return {
      id: user.id,
      version: user.version,
      password_hash: user.password_hash,
      caller: callerOf(user, projects),
    };
  });
};

const callerOf = (
  user: { id: number; label: string; is_admin: 0 | 1; version: number },
  projects: ReadonlySet<string>,
): Caller => ({
  kind: 'user',
  name: user.label,
  admin: user.is_admin === 1,
  projects,
  account: { kind: 'user', id: user.id, version: user.version },
});
