import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { type LabFault, misbehave } from '../lab-faults.ts';
import { listen } from '../listen-loopback.ts';
import { newOidcKey, type OidcKey } from './oidc-keys.ts';
import { serveLogin } from './lab-oidc-login.ts';
import { type OidcClaims, providerOf, resource } from './oidc-provider.ts';

/** A program that lets people log in with the provider. */
export interface OidcClient {
  readonly id: string;
  /** Absent: a public client. */
  readonly secret?: string;
  readonly redirectUris: readonly string[];
  /** It logs people in with a code that they enter elsewhere. */
  readonly isDevice?: true;
}

/** A real OpenID provider on loopback. */
export interface LabOidc {
  readonly issuer: string;
  /** The key that signs. */
  readonly key: OidcKey;
  /** Everything it was asked, as `GET /jwks`. */
  readonly asked: readonly string[];
  user(name: string, claims?: OidcClaims): void;
  client(client: OidcClient): void;
  /** An access token of this user, as the provider issues them, with the user's claims. */
  accessToken(user: string, options: { readonly audience: string; readonly ttlSeconds?: number }): Promise<string>;
  /** From now on codes of devices are good for so long. */
  deviceCodesLast(seconds: number): void;
  /** A new key signs; old ones stay published, or are gone. */
  rotate(old: 'stay' | 'go', kind?: OidcKey['kty']): void;
  /** From now on it says that it is somebody else. */
  becomeIssuer(issuer: string): void;
  /** Paths that match misbehave, until all behave again. */
  misbehave(on: RegExp, fault: LabFault): void;
  behave(): void;
  /** Nobody takes a call any more. */
  stop(): Promise<void>;
  /** The same again after `stop`, in the same place. */
  restart(): Promise<void>;
}

/** Starts a provider without users and with one client, `script`. */
export const startOidc = async (): Promise<LabOidc> => {
  const { Provider: Kind } = await import('oidc-provider');
  const users = new Map<string, OidcClaims>();
  const clients = new Map<string, OidcClient>([
    ['script', { id: 'script', secret: 'secret of script', redirectUris: [] }],
  ]);
  const asked: string[] = [];
  let keys: readonly [OidcKey, ...OidcKey[]] = [newOidcKey()];
  let faults: readonly { readonly on: RegExp; readonly fault: LabFault }[] = [];
  let device = { codeLasts: 600, interval: 1 };
  let provider: Provider | null = null;
  let server: Server | null = null;
  let issuer = '';

  // Its keys and clients are fixed when it is made, so that a change makes another in its place.
  const current = (): Provider =>
    (provider ??= providerOf({ Kind, issuer, keys, clients: [...clients.values()].map(metadataOf), users, device }));
  const changed = (): void => {
    provider = null;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(`${request.method ?? ''} ${path}`);
    const found = faults.find(({ on }) => on.test(path));
    if (found !== undefined && (await misbehave(found.fault, response))) return;
    if (await serveLogin(current(), users, request, response)) return;
    await current().callback()(request, response);
  };
  const open = async (port: number): Promise<number> => {
    server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    });
    return listen(server, port);
  };
  const port = await open(0);
  const home = `http://127.0.0.1:${port}`;
  issuer = home;

  return {
    issuer: home,
    get key() {
      return keys[0];
    },
    asked,
    user: (name, claims = {}) => void users.set(name, claims),
    client: (client) => {
      clients.set(client.id, client);
      changed();
    },
    accessToken: async (user, { audience, ttlSeconds = 3600 }) => {
      const { AccessToken, Client, ResourceServer } = current();
      const client = await Client.find('script');
      if (client === undefined) throw new Error('the provider lost its client');
      const resourceServer = new ResourceServer(audience, resource(audience, keys[0].alg));
      const issued = { accountId: user, client, resourceServer, expiresIn: ttlSeconds, scope: '' };
      return new AccessToken({ ...issued, grantId: 'none', gty: 'authorization_code' }).save();
    },
    deviceCodesLast: (seconds) => {
      device = { ...device, codeLasts: seconds };
      changed();
    },
    rotate: (old, kind = 'RSA') => {
      keys = [newOidcKey(kind), ...(old === 'stay' ? keys : [])];
      changed();
    },
    becomeIssuer: (name) => {
      issuer = name;
      changed();
    },
    misbehave: (on, fault) => {
      faults = [{ on, fault }, ...faults];
    },
    behave: () => {
      faults = [];
    },
    stop: () =>
      new Promise((resolve) => {
        if (server === null) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
        server = null;
      }),
    restart: async () => {
      await open(port);
    },
  };
};

const metadataOf = ({ id, secret, redirectUris, isDevice }: OidcClient) => ({
  client_id: id,
  redirect_uris: [...redirectUris],
  grant_types: isDevice ? deviceGrants : redirectUris.length > 0 ? ['authorization_code'] : ['client_credentials'],
  response_types: redirectUris.length > 0 ? (['code'] as const).slice() : [],
  ...(secret === undefined ? { token_endpoint_auth_method: 'none' as const } : { client_secret: secret }),
});

const deviceGrants = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'];
