import type { ClientMetadata, Configuration, Provider } from 'oidc-provider';
import { interactionPath } from './lab-oidc-login.ts';
import type { OidcKey } from './oidc-keys.ts';

/** What the provider knows of a person, beside the name. */
export type OidcClaims = Readonly<Record<string, unknown>>;

/** What a provider is made of. */
export interface ProviderParts {
  /** The class of `oidc-provider`, which is loaded only where it is used. */
  readonly Kind: typeof Provider;
  readonly issuer: string;
  /** The first one signs. */
  readonly keys: readonly [OidcKey, ...OidcKey[]];
  readonly clients: readonly ClientMetadata[];
  readonly users: ReadonlyMap<string, OidcClaims>;
  readonly device: DeviceRules;
}

/** How logins of devices go: how long a code is good, and how often one may ask. In seconds. */
interface DeviceRules {
  readonly codeLasts: number;
  readonly interval: number;
}

const hour = 3600;
const scope = 'openid profile groups';

/** A service that wants JWTs for access tokens. */
export const resource = (audience: string, alg: OidcKey['alg']) =>
  ({ scope: '', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg } } }) as const;

/** The provider itself, without the server around it. A user who has logged in has agreed to everything. */
export const providerOf = ({ Kind, issuer, keys, clients, users, device }: ProviderParts): Provider => {
  const { alg } = keys[0];
  const configuration: Configuration = {
    clients: [...clients],
    jwks: { keys: [...keys] },
    cookies: { keys: ['the key of a provider in a test'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'name'], groups: ['groups', 'roles'] },
    scopes: ['openid', 'offline_access', 'profile', 'groups'],
    clientDefaults: { id_token_signed_response_alg: alg },
    features: {
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, mask: '****-****' },
      devInteractions: { enabled: false },
      resourceIndicators: {
        getResourceServerInfo: (_context, audience) => resource(audience, alg),
      },
    },
    interactions: { url: (_context, { uid }) => interactionPath(uid) },
    findAccount: (_context, id) => {
      const claims = users.get(id);
      return claims === undefined ? undefined : { accountId: id, claims: () => ({ sub: id, ...claims }) };
    },
    extraTokenClaims: (_context, token) => {
      const name = 'accountId' in token ? token.accountId : '';
      return { preferred_username: name, ...users.get(name) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const accountId = oidc.session?.accountId;
      const clientId = oidc.client?.clientId;
      if (accountId === undefined || clientId === undefined) return undefined;
      const grant = new oidc.provider.Grant({ accountId, clientId });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    ttl: {
      DeviceCode: device.codeLasts,
      RefreshToken: hour,
      AccessToken: hour,
      AuthorizationCode: 60,
      IdToken: hour,
      Interaction: hour,
      Session: hour,
      Grant: hour,
    },
  };
  const provider = new Kind(issuer, configuration);
  provider.use(async (context, next) => {
    await next();
    if (context.path === '/device/auth' && context.status === 200) {
      context.body = { ...(context.body as object), interval: device.interval };
    }
  });
  return provider;
};
