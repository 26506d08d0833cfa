import { hash, verify } from '@node-rs/argon2';

// argon2id (the package's default) with OWASP's first choice of costs.
const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, costs);

/** Does the password fit the hash? Runs off the event loop. */
export const passwordFits = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password);
