import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const tokenBytes = 16;

/** A token that nobody can guess, in hexadecimal digits. */
export const newToken = (): string => randomBytes(tokenBytes).toString('hex');

/** What is stored instead of a token. One round is enough: it has 128 bits of its own. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Does this token have this hash? How long it takes tells nothing. */
export const matches = (token: string, hash: string): boolean =>
  timingSafeEqual(createHash('sha256').update(token).digest(), Buffer.from(hash, 'hex'));
