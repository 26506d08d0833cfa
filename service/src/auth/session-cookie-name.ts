const plainName = 'corral_session';

/** What the cookie of a session is called: behind TLS a name that only this very host can set. */
export const sessionCookieName = (origin: string): string =>
  origin.startsWith('https:') ? `__Host-${plainName}` : plainName;
