import type { JWTPayload, JWTVerifyGetKey, jwtVerify } from 'jose';
import { type CorralError, unauthorized } from '../../core/corral-error.ts';
import { UnknownKey } from './provider-keys.ts';

/** A token that is good: what it says, and when it ends. */
export interface Verified {
  readonly claims: JWTPayload;
  readonly expiresAt: number;
}

export interface VerifyOptions {
  readonly jwtVerify: typeof jwtVerify;
  readonly find: JWTVerifyGetKey;
  readonly issuer: string;
  readonly clockSkewMs: number;
}

/** Signatures that only the provider can make. With the others, the key that verifies one can also make one. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** What the header of an access token may say it is; logout tokens and proofs of possession say something else. */
const types: readonly (string | undefined)[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

/** Checks signature, issuer, audience and time of a token. */
export const verifierOf =
  ({ jwtVerify, find, issuer, clockSkewMs }: VerifyOptions) =>
  async (token: string, audience: string): Promise<Verified> => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, find, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockSkewMs / 1000,
        requiredClaims: ['exp', 'sub'],
      });
      if (!types.includes(protectedHeader.typ?.toLowerCase())) throw unauthorized('the token has the wrong type');
      return { claims: payload, expiresAt: (payload.exp ?? 0) * 1000 };
    } catch (error) {
      throw refusalOf(error, audience) ?? error;
    }
  };

/** What jose throws holds the token's claims: it goes nowhere. null: not about the token. */
const refusalOf = (error: unknown, audience: string): CorralError | null => {
  if (error instanceof UnknownKey) {
    return unauthorized(
      'the token is signed with a key that the identity provider does not publish, or no longer publishes',
    );
  }
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: unknown };
  if (typeof code !== 'string' || !/^ERR_J(?:OSE|WT|WS|WK|WKS)_/.test(code)) return null;
  if (code === 'ERR_JWT_EXPIRED')
    return unauthorized('the token has expired; get a new one from the identity provider');
  switch (claim) {
    case 'aud':
      return unauthorized(
        `the token is not for this service: request one with audience ${audience} from the identity provider`,
      );
    case 'iss':
      return unauthorized('the token is not from the identity provider of this service');
    case 'nbf':
      return unauthorized('the token is not valid yet');
    case 'exp':
      return unauthorized('the token has no expiry time');
    default:
      return unauthorized('the token is malformed, or not signed by the identity provider');
  }
};
