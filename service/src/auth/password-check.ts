import { Cache } from '@corral/base/cache';
import { tooMany, unauthorized } from '../core/corral-error.ts';
import { type CheckPassword, hashPassword, passwordFits } from '../core/password-hash.ts';
import type { Db } from '../db/service-database.ts';
import { HashGate } from './hash-gate.ts';
import { type Attempt, Throttle } from './throttle.ts';
import { findUserRecord, type UserRecord } from './user-record.ts';

/** Hears of logins that fail. Never of passwords. */
export interface LoginObserver {
  failed(why: 'wrong' | 'throttled'): void;
  /** Called once a minute at most for a user from an address. */
  throttled(login: { readonly user: string; readonly address: string; readonly seconds: number }): void;
}

/** Checks user names and passwords, and says when what was checked before is not to be trusted any more. */
export interface PasswordCheck {
  readonly check: CheckPassword;
  /** `listener` is called for users whose passwords are being guessed, and from where, at great speed. */
  onManyFailures(listener: (username: string, from: string) => void): void;
}

const tellEveryMs = 60_000;
const mostTold = 10_000;
const longestName = 255;
/** Somebody who sets the clock back must not lengthen pauses. */
const monotonic = (): number => performance.now();

/** One answer for an unknown user, a wrong password and a header that makes no sense. */
export const wrongPassword = () => unauthorized('wrong user name or password');

/** The one place where a user name and a password are checked: slowed down when they are wrong, never many at once. */
export const passwordCheck = (db: Db, watch: LoginObserver, processes: number): PasswordCheck => {
  const throttle = new Throttle(processes);
  const gate = new HashGate();
  const listeners: ((username: string, from: string) => void)[] = [];
  const told = new Cache<string, true>({ most: mostTold, lastsMs: tellEveryMs });
  let epoch = 0;
  db.changes.on('users', () => (epoch += 1));
  // An unknown user costs as much time as a known one.
  const nobodysHash = hashPassword('nobody has this password');

  const refuse = (attempt: Attempt, user: string, address: string, ms: number) => {
    const now = monotonic();
    const seconds = Math.ceil(ms / 1000);
    watch.failed('throttled');
    if (throttle.distrust(attempt, now)) for (const listener of listeners) listener(user, attempt.from);
    if (told.get(attempt.pair) === undefined) {
      told.set(attempt.pair, true);
      watch.throttled({ user: user.slice(0, longestName), address, seconds });
    }
    return tooMany(`too many failed logins; try again in ${seconds} s, or use a session or an API token`, seconds);
  };

  const find = async (attempt: Attempt, username: string, password: string, lane: 'known' | 'others') => {
    const user = await findUserRecord(db, username);
    const hash = user?.password_hash ?? (await nobodysHash);
    const fits = await gate.run(attempt.prefix, lane, () => passwordFits(hash, password));
    return fits ? user : null;
  };

  return {
    onManyFailures: (listener) => listeners.push(listener),
    check: async ({ username, password, address }) => {
      const attempt = throttle.attempt(username, password, address);
      const checkedIn = epoch;
      const verdict = throttle.admit(attempt, checkedIn, monotonic());
      if (verdict.kind === 'wait') throw refuse(attempt, username, address, verdict.ms);
      if (verdict.kind === 'known to be wrong') {
        watch.failed('wrong');
        throw wrongPassword();
      }
      let user: UserRecord | null;
      try {
        user = await find(attempt, username, password, verdict.isKnown ? 'known' : 'others');
      } catch (error) {
        if (verdict.isCounted) throttle.abandoned(attempt, monotonic());
        throw error;
      }
      if (user === null) {
        throttle.failed(attempt, verdict, checkedIn, monotonic());
        watch.failed('wrong');
        throw wrongPassword();
      }
      throttle.succeeded(attempt, verdict, monotonic());
      return { id: user.id, version: user.version, caller: user.caller };
    },
  };
};
