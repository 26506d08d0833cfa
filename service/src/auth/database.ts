import type { Caller } from '../core/caller.ts';
import { unauthorized } from '../core/errors.ts';
import { hashPassword, passwordFits } from '../core/passwords.ts';
import type { Db } from '../db/db.ts';
import type { AuthBackend } from './contract.ts';
import { RememberedCredentials } from './remembered.ts';

interface UserRecord {
  readonly id: number;
  readonly password_hash: string;
  readonly version: number;
  readonly caller: Caller;
}

/** One answer for an unknown user, a wrong password and a header that makes no sense. */
const wrong = () => unauthorized('wrong user name or password');

/** HTTP Basic against the users of the database. */
export const databaseBackend = (db: Db): AuthBackend => {
  const remembered = new RememberedCredentials();
  db.changes.on('users', () => remembered.forgetLookups());
  // An unknown user costs as much time as a known one.
  const nobodysHash = hashPassword('nobody has this password');
  const underWay = new Map<string, Promise<Caller>>();

  const verify = async (name: string, username: string, password: string): Promise<Caller> => {
    const { epoch } = remembered;
    const user = await findUser(db, username);
    const known = remembered.stale(name, Date.now());
    const isVerified = known !== null && user !== null && known.userId === user.id && known.version === user.version;
    if (!isVerified) {
      remembered.forget(name);
      const fits = await passwordFits(user?.password_hash ?? (await nobodysHash), password);
      if (user === null || !fits) throw wrong();
    }
    remembered.remember(name, { userId: user.id, version: user.version, caller: user.caller }, epoch, Date.now());
    return user.caller;
  };

  return {
    name: 'database',
    challenge: 'Basic realm="corral", charset="UTF-8"',
    authenticate: (credentials) => {
      const header = credentials.header('authorization');
      if (header === undefined || !/^basic\b/i.test(header)) return null;
      const name = remembered.nameOf(header);
      const caller = remembered.fresh(name, Date.now());
      if (caller) return caller;
      // Whoever comes after a change to users does not join a check that began before it.
      const key = `${remembered.epoch} ${name}`;
      const waiting = underWay.get(key);
      if (waiting) return waiting;
      const { username, password } = parseBasic(header);
      const verdict = verify(name, username, password).finally(() => underWay.delete(key));
      underWay.set(key, verdict);
      return verdict;
    },
  };
};

const parseBasic = (header: string): { username: string; password: string } => {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1];
  if (encoded === undefined) throw wrong();
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw wrong();
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
};

const findUser = (db: Db, username: string): Promise<UserRecord | null> => {
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
    return { ...user, caller: callerOf(user, projects) };
  });
};

const callerOf = (user: { id: number; label: string; is_admin: 0 | 1 }, projects: ReadonlySet<string>): Caller => ({
  kind: 'user',
  name: user.label,
  admin: user.is_admin === 1,
  projects,
  account: { kind: 'user', id: user.id },
});
