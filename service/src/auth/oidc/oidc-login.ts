import * as openid from 'openid-client';
import type { Vault } from '@corral/base/secrets/vault';
import { CorralError } from '../../core/corral-error.ts';
import type { OidcBackend } from '../oidc-backend.ts';
import { attemptLastsMs, openAttempt, sealAttempt } from './login-attempt.ts';
import type { OidcCaller } from './oidc-claims.ts';
import { KnownProvider } from './oidc-discovery.ts';
import { type OidcHttpClient, untrustworthy } from './oidc-http-client.ts';
import { faultOf, LoginFault } from './login-fault.ts';

export interface LoginOptions {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string | null; readonly scopes: string };
  readonly backend: Pick<OidcBackend, 'http' | 'verify' | 'callerFrom'>;
  readonly vault: Vault;
}

/** Lets people log in at the provider: authorization code with PKCE, state and nonce. */
export class OidcLogin {
  readonly #options: LoginOptions;
  readonly #provider: KnownProvider;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#provider = new KnownProvider(options.backend.http, options.issuer);
  }

  /** Where the browser has to go, and what it has to keep until it is back. */
  async begin(redirectUri: string, returnTo: string): Promise<{ url: string; attempt: string }> {
    const { client, vault } = this.#options;
    const configuration = await this.#configuration();
    const [state, nonce, verifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()];
    const url = openid.buildAuthorizationUrl(configuration, {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: client.scopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const expiresAt = Date.now() + attemptLastsMs;
    return {
      url: url.href,
      attempt: sealAttempt(vault, { state, nonce, verifier, redirectUri, returnTo, expiresAt }),
    };
  }

  /** Who came back with this query, and where they wanted to go. `kept` is what `begin` gave to this very browser. */
  async finish(query: URLSearchParams, kept: string | null): Promise<{ caller: OidcCaller; returnTo: string }> {
    const attempt = kept === null ? null : openAttempt(this.#options.vault, kept);
    if (attempt === null) throw new LoginFault('stale', 'the browser sent no valid login state');
    // Before anything else: somebody else's answer is not even shown to the provider.
    if (query.get('state') !== attempt.state) throw new LoginFault('stale', 'the state belongs to another login');
    try {
      const configuration = await this.#configuration();
      const answer = new URL(attempt.redirectUri);
      answer.search = query.toString();
      const tokens = await openid.authorizationCodeGrant(configuration, answer, {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      });
      return { caller: await this.#callerOf(configuration, tokens), returnTo: attempt.returnTo };
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** Claims of the ID token count more than those that the provider tells beside it. */
  async #callerOf(
    configuration: openid.Configuration,
    tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
  ): Promise<OidcCaller> {
    const { backend, client } = this.#options;
    const { claims } = await backend.verify(tokens.id_token ?? '', client.id).catch((error: unknown) => {
      throw error instanceof CorralError && error.type === 'AuthorizationError'
        ? new LoginFault('untrusted', error.message)
        : error;
    });
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = hasMore ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub ?? '') : {};
    return backend.callerFrom({ ...more, ...claims });
  }

  async #configuration(): Promise<openid.Configuration> {
    const { issuer, client, backend } = this.#options;
    const provider = await this.#provider.get();
    if (provider.authorization_endpoint === undefined || provider.token_endpoint === undefined) {
      throw untrustworthy(issuer, 'has no authorization_endpoint or token_endpoint');
    }
    // What a provider takes if it does not say is in its standard: basic.
    const methods = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const prove = methods.includes('client_secret_basic') ? openid.ClientSecretBasic : openid.ClientSecretPost;
    const proof = client.secret === null ? openid.None() : prove(client.secret);
    const configuration = new openid.Configuration({ ...provider }, client.id, {}, proof);
    configuration[openid.customFetch] = fetchBy(backend.http);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for a provider on this machine; the HTTP client sees to it
    if (issuer.startsWith('http:')) openid.allowInsecureRequests(configuration);
    return configuration;
  }
}

const fetchBy =
  (http: OidcHttpClient): openid.CustomFetch =>
  (url, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST') throw new Error(`unexpected method ${method} to the identity provider`);
    return http.ask(url, { method, headers, body: textOf(body) });
  };

const textOf = (body: openid.FetchBody): string | null => {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new Error('the identity provider accepts forms only');
};
