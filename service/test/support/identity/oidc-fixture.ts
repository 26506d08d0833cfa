import { rm } from 'node:fs/promises';
import { type LabOidc, type OidcKey, startOidc } from '@corral/lab';
import { base64url, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll } from 'vitest';
import type { EngineName } from '../services/engines.ts';
import { type Client, clientOf } from '../http/http-client.ts';
import { type Service, startService } from '../services/service.ts';

export const audience = 'https://corral.example.org/api';

/** Settings of a service that takes tokens of this provider. */
export const oidcEnv = (oidc: LabOidc): Record<string, string> => ({
  CORRAL_AUTH: 'database,oidc',
  CORRAL_OIDC_ISSUER: oidc.issuer,
  CORRAL_OIDC_AUDIENCE: audience,
  CORRAL_OIDC_ADMIN_CLAIM: 'roles',
  CORRAL_OIDC_ADMIN_VALUE: 'corral-admin',
  CORRAL_OIDC_TIMEOUT: '5',
});

/** A provider, and a service that trusts it. */
export interface OidcFixture {
  readonly oidc: LabOidc;
  readonly service: Service;
  /** Calls with a bearer token. */
  readonly as: (token: string) => Client;
  /** Calls with a token that the provider issued to this user. */
  readonly user: (name: string) => Promise<Client>;
}

export const startOidcFixture = async (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
): Promise<OidcFixture & { close(): Promise<void> }> => {
  const oidc = await startOidc();
  const service = await startService(engine, { ...oidcEnv(oidc), ...env });
  const as = (token: string) => clientOf(service.url, `Bearer ${token}`);
  return {
    oidc,
    service,
    as,
    user: async (name) => as(await oidc.accessToken(name, { audience })),
    close: async () => {
      await service.stop();
      await oidc.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    },
  };
};

/** One for a whole suite; its tests use users and labels of their own. */
export const sharedOidcFixture = (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
): (() => OidcFixture) => {
  let installation: Awaited<ReturnType<typeof startOidcFixture>> | null = null;
  beforeAll(async () => {
    installation = await startOidcFixture(engine, env);
  });
  afterAll(() => installation?.close());
  return () => {
    if (installation === null) throw new Error('the site is started before the first test');
    return installation;
  };
};

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** What the provider says of a user who may do everything, for as long as a test lasts. */
export const claimsOf = (oidc: LabOidc): JWTPayload => ({
  iss: oidc.issuer,
  aud: audience,
  sub: 'forger',
  exp: inSeconds(600),
  iat: inSeconds(0),
  roles: ['corral-admin'],
});

/** Signs claims with the provider's own key, or another; what is undefined is left out. */
export const signed = async (
  oidc: LabOidc,
  changes: {
    readonly claims?: Record<string, unknown>;
    readonly header?: Record<string, unknown>;
    readonly key?: OidcKey;
  },
): Promise<string> => {
  const key = changes.key ?? oidc.key;
  const header = { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...changes.header } as JWTHeaderParameters;
  return new SignJWT(defined({ ...claimsOf(oidc), ...changes.claims }))
    .setProtectedHeader(defined(header) as JWTHeaderParameters)
    .sign(await importJWK({ ...key }, key.alg));
};

/** A token put together from parts, whatever they are. */
export const assembled = (header: unknown, claims: unknown, signature: Uint8Array | string = ''): string =>
  `${[header, claims].map((part) => base64url.encode(JSON.stringify(part))).join('.')}.${base64url.encode(signature)}`;

const defined = (object: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
