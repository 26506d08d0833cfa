import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Caller } from '../core/caller.ts';
import { unauthorized } from '../core/corral-error.ts';
import type { AuthBackend } from './auth-contract.ts';
import { TokenCache } from './token-cache.ts';
import { callerFrom, type Claims, type ClaimNames } from './oidc/oidc-claims.ts';
import { discover, fetchKeys } from './oidc/oidc-discovery.ts';
import { ProviderKeys } from './oidc/provider-keys.ts';
import { type OpenIdAddress, type OidcHttpClient, oidcHttpClient } from './oidc/oidc-http-client.ts';
import { type Verified, verifierOf } from './oidc/verify-token.ts';

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
  readonly http: OidcHttpClient;
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
  const http = oidcHttpClient(options);
  let tokens = new TokenCache<Caller>(rememberedMs);
  const keys = new ProviderKeys({
    fetch: async () => fetchKeys(http, await discover(http, issuer)),
    keySetOf: createLocalJWKSet,
    // What a key that is gone has signed is not good any more.
    changed: () => {
      tokens = new TokenCache<Caller>(rememberedMs);
    },
    failed: options.failed,
  });
  const verify = verifierOf({ jwtVerify, find: keys.find, issuer, clockSkewMs: options.clockSkewMs });
  const callerOf = (claims: Claims) => callerFrom(claims, issuer, options.claims);

  const interpret = async (token: string): Promise<Caller> => {
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
      return tokens.recall(tokens.nameOf(token)) ?? interpret(token);
    },
    http,
    verify,
    callerFrom: callerOf,
    close: () => http.close(),
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
