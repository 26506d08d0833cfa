import { addressKey } from '@corral/base/http/address-key';
import type { Caller } from '../core/caller.ts';
import type { Db } from '../db/service-database.ts';
import type { AuthBackend } from './auth-contract.ts';
import { type PasswordCheck, wrongPassword } from './password-check.ts';
import { CredentialCache } from './credential-cache.ts';
import { findUserRecord } from './user-record.ts';

/** HTTP Basic against the users of the database. */
export const databaseBackend = (db: Db, passwords: PasswordCheck): AuthBackend => {
  const cache = new CredentialCache();
  db.changes.on('users', () => cache.forgetLookups());
  passwords.onManyFailures((username, from) => cache.forgetThose(username, from));
  const underWay = new Map<string, Promise<Caller>>();

  const verify = async (name: string, header: string, address: string): Promise<Caller> => {
    const { epoch } = cache;
    const { username, password } = parseBasic(header);
    const user = (await lookUpAgain(name, username)) ?? (await passwords.check({ username, password, address }));
    const { id, version, caller } = user;
    cache.remember(name, { userId: id, version, caller, from: addressKey(address) }, epoch, performance.now());
    return caller;
  };

  /** The user of a verified credential, if nothing about the user has changed since. */
  const lookUpAgain = async (name: string, username: string) => {
    const known = cache.stale(name, performance.now());
    if (known === null) return null;
    const user = await findUserRecord(db, username);
    if (user !== null && known.userId === user.id && known.version === user.version) return user;
    cache.forget(name);
    return null;
  };

  return {
    name: 'database',
    challenge: 'Basic realm="corral", charset="UTF-8"',
    authenticate: (credentials) => {
      const header = credentials.header('authorization');
      if (header === undefined || !/^basic\b/i.test(header)) return null;
      const { address } = credentials;
      // What was right from one address must not let another guess past the throttle.
      const name = cache.nameOf(`${addressKey(address)} ${header}`);
      const caller = cache.fresh(name, performance.now());
      if (caller) return caller;
      // A request after a change to users does not join a check that began before it.
      const key = `${cache.epoch} ${name}`;
      const waiting = underWay.get(key);
      if (waiting) return waiting;
      const verdict = verify(name, header, address).finally(() => underWay.delete(key));
      underWay.set(key, verdict);
      return verdict;
    },
  };
};

const parseBasic = (header: string): { username: string; password: string } => {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header)?.[1];
  if (encoded === undefined) throw wrongPassword();
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw wrongPassword();
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
};
