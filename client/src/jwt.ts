/**
 * Of the access token and the ID token, the JWT that is meant for this audience: one for somebody else would be theirs to
 * use who it is sent to. Where no audience is known, the first that is a JWT at all.
 */
export const bearerOf = (tokens: readonly unknown[], audience: string | undefined): string | null => {
  const readable = tokens.filter((token): token is string => typeof token === 'string' && claimsIn(token) !== null);
  const meant = readable.find((token) => {
    const aud = claimsIn(token)?.['aud'];
    return audience === undefined || (Array.isArray(aud) ? aud.includes(audience) : aud === audience);
  });
  return meant ?? null;
};

/** The claims of a JWT, unverified: the receiver verifies it. */
const claimsIn = (token: string): Readonly<Record<string, unknown>> | null => {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1];
  if (payload === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    return typeof claims === 'object' && claims !== null ? { ...claims } : null;
  } catch {
    return null;
  }
};
