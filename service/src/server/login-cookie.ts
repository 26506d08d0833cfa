import { attemptLastsMs } from '../auth/oidc/login-attempt.ts';

const plainName = 'corral_login';
const isSecure = (origin: string): boolean => origin.startsWith('https:');
/** Behind TLS a name that only this very host can set. */
const nameFor = (origin: string): string => (isSecure(origin) ? `__Host-${plainName}` : plainName);

/** The `Set-Cookie` by which a browser keeps an attempt to log in. Lax: it has to go along on the way back. */
export const attemptCookie = (origin: string, attempt: string): string =>
  cookie(origin, attempt, attemptLastsMs / 1000);

export const clearedAttemptCookie = (origin: string): string => cookie(origin, '', 0);

const cookie = (origin: string, value: string, seconds: number): string =>
  `${nameFor(origin)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(origin) ? '; Secure' : ''}`;

/** The attempt among a browser's cookies. Two of them: somebody planted one, and neither counts. */
export const attemptIn = (origin: string, cookies: string): string | null => {
  const start = `${nameFor(origin)}=`;
  const found = cookies
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.length === 1 ? (found[0]?.slice(start.length) ?? null) : null;
};
