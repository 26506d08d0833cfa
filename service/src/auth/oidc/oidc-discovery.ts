import type { JSONWebKeySet } from 'jose';
import { isSafeAddress, type OidcHttpClient, untrustworthy } from './oidc-http-client.ts';

/** What the provider says about itself, as far as it is used here. */
export interface Discovered {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly userinfo_endpoint?: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly id_token_signing_alg_values_supported?: string[];
  readonly token_endpoint_auth_methods_supported?: string[];
}

const json = { accept: 'application/json' };

/** Asks the provider what it is. One that says it is another, or points to where nobody is safe, is not believed. */
export const discover = async (http: OidcHttpClient, issuer: string): Promise<Discovered> => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const said = await objectFrom(http, issuer, url);
  const address = (name: string): string | undefined => {
    const value = said[name];
    if (value === undefined) return undefined;
    if (typeof value === 'string' && isSafeAddress(value)) return value;
    throw untrustworthy(issuer, `has no https address as ${name}`);
  };
  const words = (name: string): string[] | undefined => {
    const value = said[name];
    return Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : undefined;
  };
  if (said['issuer'] !== issuer) throw untrustworthy(issuer, `identifies itself as ${JSON.stringify(said['issuer'])}`);
  const jwks_uri = address('jwks_uri');
  if (jwks_uri === undefined) throw untrustworthy(issuer, 'has no jwks_uri');
  return {
    issuer,
    jwks_uri,
    ...given('authorization_endpoint', address('authorization_endpoint')),
    ...given('token_endpoint', address('token_endpoint')),
    ...given('userinfo_endpoint', address('userinfo_endpoint')),
    ...given('id_token_signing_alg_values_supported', words('id_token_signing_alg_values_supported')),
    ...given('token_endpoint_auth_methods_supported', words('token_endpoint_auth_methods_supported')),
    authorization_response_iss_parameter_supported: said['authorization_response_iss_parameter_supported'] === true,
  };
};

const knownForMs = 60_000;

/** What the provider is, asked once a minute at most. Those who want to know at the same time share one question. */
export class KnownProvider {
  readonly #ask: () => Promise<Discovered>;
  #known: { readonly provider: Discovered; readonly until: number } | null = null;
  #underWay: Promise<Discovered> | null = null;

  constructor(http: OidcHttpClient, issuer: string) {
    this.#ask = () => discover(http, issuer);
  }

  get(): Promise<Discovered> {
    if (this.#known !== null && performance.now() < this.#known.until) return Promise.resolve(this.#known.provider);
    this.#underWay ??= this.#renew().finally(() => (this.#underWay = null));
    return this.#underWay;
  }

  async #renew(): Promise<Discovered> {
    const until = performance.now() + knownForMs;
    const provider = await this.#ask();
    this.#known = { provider, until };
    return provider;
  }
}

/** The keys that the provider signs with now. */
export const fetchKeys = async (http: OidcHttpClient, { issuer, jwks_uri }: Discovered): Promise<JSONWebKeySet> => {
  const { keys } = await objectFrom(http, issuer, jwks_uri);
  if (!Array.isArray(keys)) throw untrustworthy(issuer, 'has no JWKS at its jwks_uri');
  // Keys of kinds that nobody here knows may be among them; each says what it is.
  return { keys: keys.filter(isKey) };
};

const isKey = (key: unknown): key is JSONWebKeySet['keys'][number] =>
  typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string';

const given = <Name extends string, T>(name: Name, value: T | undefined): Partial<Record<Name, T>> =>
  value === undefined ? {} : ({ [name]: value } as Record<Name, T>);

const objectFrom = async (http: OidcHttpClient, issuer: string, url: string): Promise<Record<string, unknown>> => {
  const response = await http.ask(url, { method: 'GET', headers: json });
  if (response.status !== 200) throw untrustworthy(issuer, `returned status ${response.status} at ${url}`);
  const parsed = await response.json().catch(() => null);
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw untrustworthy(issuer, `did not return a JSON object at ${url}`);
};
