import { hash, verify } from '@node-rs/argon2';
import type { Caller } from './caller.ts';

// argon2id (the package's default) with OWASP's first choice of costs.
const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, costs);

/** Does the password fit the hash? Runs off the event loop. */
export const passwordFits = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password);

/** A user name and password that somebody showed, and from where. */
interface ShownPassword {
  readonly username: string;
  readonly password: string;
  readonly address: string;
}

/** A user as of the version whose password was checked. */
export interface VerifiedUser {
  readonly id: number;
  readonly version: number;
  readonly caller: Caller;
}

/** The one check of user names and passwords: throws AuthorizationError if they are wrong, TooManyRequestsError if too many were. */
export type CheckPassword = (shown: ShownPassword) => Promise<VerifiedUser>;
