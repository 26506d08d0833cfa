import { type CorralError, unavailable } from '../../core/corral-error.ts';
import { lifetimeIn, refusalIn, tokenPattern } from './keystone-responses.ts';
import { type KeystoneHttpClient, misunderstood } from './keystone-http-client.ts';

/** By what the service itself is known to Keystone. */
export type OwnCredentials =
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: string;
      readonly userDomain: string;
      readonly project: string;
      readonly projectDomain: string;
    }
  | { readonly kind: 'application'; readonly id: string; readonly secret: string };

/** Refused credentials are not sent again for this long: Keystone may lock a user out who tries too often. */
const refusalLastsMs = 5_000;
/** A token is replaced this long before it ends, or after four fifths of a short life. */
const spareMs = 60_000;

/** The service's own token: made at the first need, and again before it ends or when Keystone takes it no more. */
export class ServiceToken {
  readonly #http: KeystoneHttpClient;
  readonly #credentials: OwnCredentials;
  #current: { readonly token: string; readonly until: number } | null = null;
  #renewal: Promise<string> | null = null;
  #refused: { readonly error: CorralError; readonly until: number } | null = null;

  constructor(http: KeystoneHttpClient, credentials: OwnCredentials) {
    this.#http = http;
    this.#credentials = credentials;
  }

  /** One renewal at a time, shared by all waiters. */
  get(): Promise<string> {
    if (this.#current !== null && performance.now() < this.#current.until) return Promise.resolve(this.#current.token);
    if (this.#refused !== null && performance.now() < this.#refused.until) return Promise.reject(this.#refused.error);
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  /** Keystone rejected this one. A late caller does not discard the next one. */
  drop(token: string): void {
    if (this.#current?.token === token) this.#current = null;
  }

  async #renew(): Promise<string> {
    const begun = performance.now();
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const body = JSON.stringify({ auth: authOf(this.#credentials) });
    const reply = await this.#http.inTime((signal) => this.#http.ask({ method: 'POST', headers, body }, signal));
    const reason = () => refusalIn(reply, [secretOf(this.#credentials)]) ?? 'no reason';
    if (reply.status === 401) {
      const error = unavailable(
        'Keystone rejects the credentials of this service, so tokens cannot be validated; an administrator has to correct them',
        { cause: new Error(`Keystone: 401 to our own credentials: ${reason()}`) },
      );
      this.#refused = { error, until: performance.now() + refusalLastsMs };
      throw error;
    }
    if (reply.status !== 201) {
      throw misunderstood('with an error', `status ${reply.status} to our own credentials: ${reason()}`);
    }
    const lifetime = lifetimeIn(reply);
    if (reply.token === null || !tokenPattern.test(reply.token))
      throw misunderstood('without a token', 'no X-Subject-Token to our own credentials');
    this.#current = { token: reply.token, until: begun + Math.max(lifetime - spareMs, lifetime * 0.8) };
    return reply.token;
  }
}

const secretOf = (own: OwnCredentials): string => (own.kind === 'password' ? own.password : own.secret);

const authOf = (credentials: OwnCredentials): object => {
  if (credentials.kind === 'application') {
    const { id, secret } = credentials;
    return { identity: { methods: ['application_credential'], application_credential: { id, secret } } };
  }
  const { username, password, userDomain, project, projectDomain } = credentials;
  const user = { name: username, password, domain: { name: userDomain } };
  return {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: project, domain: { name: projectDomain } } },
  };
};
