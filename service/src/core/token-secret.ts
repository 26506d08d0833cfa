import { hash, randomBytes } from 'node:crypto';

/** A new secret for a session or a token. Nobody guesses 32 random bytes, so that its hash need not be slow. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** How long the text of a secret is. */
export const secretLength = 43;

/** What is stored of a secret, and looked up. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** What every token begins with, so that one that leaked can be found by those who look for such. */
export const tokenPrefix = 'corral_';
