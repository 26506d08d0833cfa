/** What a token is good for: one project by its id, the whole domain `Default`, the system, or nothing yet. */
export type KeystoneScope = { readonly project: string } | 'domain' | 'system' | 'none';

/** A user of the domain `Default`. */
export interface KeystoneUser {
  readonly id: string;
  readonly name: string;
  readonly password: string;
}

/** How a token of an application credential differs from the user's own. */
export interface CredentialLimits {
  /** When the credential ends, and its tokens with it. */
  readonly seconds?: number;
  /** The only calls, of a service of this type, that its tokens are good for. */
  readonly onlyForService?: string;
}

interface Reply {
  readonly headers: Headers;
  readonly body: unknown;
}

interface CallOptions {
  readonly body?: object;
  readonly token?: string;
  readonly subject?: string;
}

const domain = { id: 'default' };

/** The calls to a Keystone that build a world of projects, users and tokens. */
export class KeystoneApi {
  readonly #url: string;
  readonly #admin: Omit<KeystoneUser, 'id'>;
  readonly #roles = new Map<string, string>();
  #adminToken: string | null = null;

  constructor(url: string, adminPassword: string) {
    this.#url = url;
    this.#admin = { name: 'admin', password: adminPassword };
  }

  /** Makes a project and gives its id. */
  async project(name: string): Promise<string> {
    const { body } = await this.#asAdmin('POST', '/projects', { project: { name, domain_id: domain.id } });
    return idIn(body, 'project');
  }

  async user(name: string, password = `password of ${name}`): Promise<KeystoneUser> {
    const { body } = await this.#asAdmin('POST', '/users', { user: { name, password, domain_id: domain.id } });
    return { id: idIn(body, 'user'), name, password };
  }

  /** Gives a user a role somewhere. A role that is not there is made. */
  async assign({ id }: KeystoneUser, role: string, on: Exclude<KeystoneScope, 'none'>): Promise<void> {
    const roleId = await this.#role(role);
    const places = { domain: `/domains/${domain.id}`, system: '/system' };
    const address = typeof on === 'string' ? places[on] : `/projects/${on.project}`;
    await this.#asAdmin('PUT', `${address}/users/${id}/roles/${roleId}`);
  }

  /** Logs a user in. */
  async token(user: Omit<KeystoneUser, 'id'>, scope: KeystoneScope): Promise<string> {
    const { name, password } = user;
    const identity = { methods: ['password'], password: { user: { name, password, domain } } };
    return this.#logIn({ identity, scope: scopeOf(scope) });
  }

  /** A token of a project by an application credential, which has an end of its own or is good for less. */
  async credentialToken(user: KeystoneUser, project: string, limits: CredentialLimits): Promise<string> {
    const { id, secret } = await this.applicationCredential(user, project, limits);
    const identity = { methods: ['application_credential'], application_credential: { id, secret } };
    return this.#logIn({ identity });
  }

  async applicationCredential(
    user: KeystoneUser,
    project: string,
    { seconds, onlyForService }: CredentialLimits = {},
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const wanted = {
      name: `credential ${process.hrtime.bigint()}`,
      ...(seconds === undefined ? {} : { expires_at: new Date(Date.now() + seconds * 1000).toISOString() }),
      ...(onlyForService === undefined
        ? {}
        : { access_rules: [{ service: onlyForService, method: 'GET', path: '/**' }] }),
    };
    const token = await this.token(user, { project });
    const path = `/users/${user.id}/application_credentials`;
    const { body } = await this.#call('POST', path, { token, body: { application_credential: wanted } });
    const made = memberOf(body, 'application_credential');
    return { id: textIn(made, 'id'), secret: textIn(made, 'secret') };
  }

  async revoke(token: string): Promise<void> {
    await this.#call('DELETE', '/auth/tokens', { token: await this.#own(), subject: token });
  }

  /** Ends all tokens of a user, also those that are made in the rest of this second; who can log in again after it. */
  async revokeAll({ id, password }: KeystoneUser): Promise<void> {
    await this.#asAdmin('PATCH', `/users/${id}`, { user: { password } });
  }

  async setEnabled({ id }: KeystoneUser, enabled: boolean): Promise<void> {
    await this.#asAdmin('PATCH', `/users/${id}`, { user: { enabled } });
  }

  async #role(name: string): Promise<string> {
    const known = this.#roles.get(name);
    if (known !== undefined) return known;
    const { body } = await this.#asAdmin('GET', `/roles?name=${encodeURIComponent(name)}`);
    const [found]: unknown[] = [memberOf(body, 'roles')].flat();
    const id =
      found === undefined
        ? idIn((await this.#asAdmin('POST', '/roles', { role: { name } })).body, 'role')
        : textIn(found, 'id');
    this.#roles.set(name, id);
    return id;
  }

  async #own(): Promise<string> {
    return (this.#adminToken ??= await this.token(this.#admin, 'system'));
  }

  async #asAdmin(method: string, path: string, body?: object): Promise<Reply> {
    return this.#call(method, path, { token: await this.#own(), ...(body === undefined ? {} : { body }) });
  }

  async #logIn(auth: object): Promise<string> {
    const { headers } = await this.#call('POST', '/auth/tokens', { body: { auth } });
    const token = headers.get('x-subject-token');
    if (token === null) throw new Error('Keystone gave no token');
    return token;
  }

  async #call(method: string, path: string, { body, token, subject }: CallOptions): Promise<Reply> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { 'x-auth-token': token }),
        ...(subject === undefined ? {} : { 'x-subject-token': subject }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Keystone: ${method} ${path}: ${response.status} ${text}`);
    return { headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }
}

const scopeOf = (scope: KeystoneScope): object | string => {
  if (scope === 'none') return 'unscoped';
  if (scope === 'system') return { system: { all: true } };
  return scope === 'domain' ? { domain } : { project: { id: scope.project } };
};

const memberOf = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null) throw new Error(`Keystone answered without ${name}`);
  return Object.entries(value).find(([key]) => key === name)?.[1];
};

const textIn = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  if (typeof text !== 'string') throw new Error(`Keystone answered without ${name}`);
  return text;
};

const idIn = (body: unknown, name: string): string => textIn(memberOf(body, name), 'id');
