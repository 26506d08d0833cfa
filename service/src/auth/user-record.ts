import type { Caller, Recheck } from '../core/caller.ts';
import type { VerifiedUser } from '../core/password-hash.ts';
import { credentialsGone } from '../core/current-rights.ts';
import type { Db, Tx } from '../db/service-database.ts';
import { statement } from '../db/service-statement.ts';
import { locksRows } from '@corral/base/db/bound-kysely';

/** A user as the database has it now. */
export interface UserRecord extends VerifiedUser {
  readonly password_hash: string;
}

export const findUserRecord = (db: Db, username: string): Promise<UserRecord | null> => {
  // PostgreSQL has no NUL in text, and neither has any user name.
  if (username.includes('\0')) return Promise.resolve(null);
  return db.read(async (tx) => {
    const [user, ...others] = await usersWithProjects(tx)
      .select('users.password_hash')
      .where('users.label', '=', username)
      .execute();
    if (user === undefined) return null;
    const { id, version, password_hash } = user;
    return { id, version, password_hash, caller: callerOf([user, ...others]) };
  });
};

const usersWithProjects = (tx: Tx) =>
  tx
    .selectFrom('users')
    .leftJoin('user_projects', 'user_projects.user_id', 'users.id')
    .leftJoin('projects', 'projects.id', 'user_projects.project_id')
    .select(['users.id', 'users.label', 'users.is_admin', 'users.version', 'projects.label as project']);

interface UserRow {
  readonly id: number;
  readonly label: string;
  readonly is_admin: 0 | 1;
  readonly version: number;
  readonly project: string | null;
}

const callerOf = (rows: readonly [UserRow, ...UserRow[]]): Caller => {
  const [{ id, label, is_admin, version }] = rows;
  return {
    kind: 'user',
    name: label,
    admin: is_admin === 1,
    projects: new Set(rows.flatMap(({ project }) => (project === null ? [] : [project]))),
    account: { kind: 'user', id },
    recheck: recheckOf(id, version),
  };
};

/** The password that was checked is that of this version. */
const recheckOf =
  (id: number, version: number): Recheck =>
  async (tx, use) => {
    const [user, ...others] = await (use === 'lock' ? userHeld : userById).all(tx, { id });
    if (user?.version !== version) throw credentialsGone();
    return callerOf([user, ...others]);
  };

const userById = statement((tx, { id }: { id: number }) => usersWithProjects(tx).where('users.id', '=', id));
const userHeld = statement((tx, { id }: { id: number }) =>
  usersWithProjects(tx)
    .where('users.id', '=', id)
    .$if(locksRows(tx), (query) => query.forShare('users')),
);
