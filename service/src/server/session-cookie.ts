import { sessionCookieName } from '../auth/session-cookie-name.ts';

/** The `Set-Cookie` that gives a session's secret to the browser that asked at this origin (`originOf(request)`). */
export const sessionCookie = (origin: string, session: { secret: string; expiresAt: number }): string => {
  const seconds = Math.max(0, Math.floor((session.expiresAt - Date.now()) / 1000));
  return cookie(origin, session.secret, seconds);
};

/** The `Set-Cookie` that makes the browser forget its session. */
export const clearedSessionCookie = (origin: string): string => cookie(origin, '', 0);

/** Only for our own pages: no script reads it, and no page of another site sends it along. */
const cookie = (origin: string, value: string, seconds: number): string => {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `${sessionCookieName(origin)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
};
