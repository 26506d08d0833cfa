import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Caller } from '../core/caller.ts';
import { unauthorized } from '../core/errors.ts';
import type { AuthBackend } from './contract.ts';
import { RememberedTokens } from './remembered-tokens.ts';
import { callerFrom, type Claims, type ClaimNames } from './oidc/claims.ts';
import { discover, fetchKeys } from './oidc/discovery.ts';
import { ProviderKeys } from './oidc/keys.ts';
import { type OpenIdAddress, type OpenIdLine, openIdLine } from './oidc/line.ts';
import { type Verified, verifierOf } from './oidc/verify.ts';

export interface OidcOptions extends OpenIdAddress {
  readonly audience: string;
  readonly client: { readonly id: string } | null;
  readonly device: { readonly id: string } | null;
  readonly claims: ClaimNames;
  readonly clockSkewMs: number;
  /** The JWKS cannot be fetched; the known keys stay valid. */
  readonly failed: (error: unknown) => void;
}

/** The backend, and what logins need of it. */
export interface OidcBackend extends AuthBackend {
  readonly line: OpenIdLine;
  /** Checks a token of the provider that is meant for this audience. */
  readonly verify: (token: string, audience: string) => Promise<Verified>;
  readonly callerFrom: (claims: Claims) => ReturnType<typeof callerFrom>;
  close(): Promise<void>;
}

const rememberedMs = 60_000;
const bearer = /^bearer +([\w-]+\.[\w-]+\.[\w-]*) *$/i;

/** Bearer tokens (JWTs) of one OpenID provider. */
export const oidcBackend = (options: OidcOptions): OidcBackend => {
  const { issuer, audience } = options;
  const line = openIdLine(options);
  let tokens = new RememberedTokens<Caller>(rememberedMs);
  const keys = new ProviderKeys({
    fetch: async () => fetchKeys(line, await discover(line, issuer)),
    keySetOf: createLocalJWKSet,
    // What a key that is gone has signed is not good any more.
    changed: () => {
      tokens = new RememberedTokens<Caller>(rememberedMs);
    },
    failed: options.failed,
  });
  const verify = verifierOf({ jwtVerify, find: keys.find, issuer, clockSkewMs: options.clockSkewMs });
  const callerOf = (claims: Claims) => callerFrom(claims, issuer, options.claims);

  const judge = async (token: string): Promise<Caller> => {
    const askedAt = performance.now();
    const known = tokens;
    const { claims, expiresAt } = await verify(token, audience);
    requireAccessToken(claims, [options.client?.id, options.device?.id].includes(audience));
    const caller = { ...callerOf(claims), until: expiresAt };
    // If the keys changed in between, nobody knows which of them it was checked with.
    if (known !== tokens) return caller;
    // Nor is it good for longer than the keys are without another look at them.
    const endsAt = Math.min(expiresAt, Date.now() + keys.freshForMs);
    tokens.remember(tokens.nameOf(token), caller, askedAt, endsAt);
    return caller;
  };

  return {
    name: 'oidc',
    challenge: 'Bearer realm="corral"',
    authenticate: (credentials) => {
      const token = bearer.exec(credentials.header('authorization') ?? '')?.[1];
      if (token === undefined) return null;
      return tokens.recall(tokens.nameOf(token)) ?? judge(token);
    },
    line,
    verify,
    callerFrom: callerOf,
    close: () => line.close(),
  };
};

/**
 * An ID token says who somebody is to the client that asked, and nothing about calls here; where the audience is one
 * of our own clients, the operator wants it to. A token that is bound to a key is worth nothing without proof of that key.
 */
const requireAccessToken = (claims: Claims, isIdTokenGood: boolean): void => {
  const isIdToken = claims['typ'] === 'ID' || claims['nonce'] !== undefined || claims['at_hash'] !== undefined;
  if (isIdToken && !isIdTokenGood) throw unauthorized('this is an ID token; send an access token');
  if (claims['cnf'] !== undefined)
    throw unauthorized('the token is bound to a key, and proof of possession is not supported');
};
