import type { Credentials } from './credentials.ts';
import { unfitIn } from './endpoint.ts';
import { ProtocolError, refusedBy, UnreachableError } from './api-errors.ts';

/** What OpenStack's clients know as `OS_*`. */
export interface KeystoneLogin {
  /** `OS_AUTH_URL`, with or without `/v3`. */
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly userDomain?: string;
  /** By name (with its domain) or by id. */
  readonly project?: { readonly name: string; readonly domain?: string } | { readonly id: string };
}

/** A Keystone token is requested when it is first needed, and again when the service rejects it. */
export const keystone = (login: KeystoneLogin, fetcher: typeof fetch = fetch): Credentials => {
  const unfit = unfitIn(login.authUrl);
  if (unfit !== null) throw new TypeError(`Keystone's URL ${unfit}; pass the user name and password separately`);
  let held: Promise<string> | null = null;
  const hold = (signal: AbortSignal): Promise<string> => {
    held ??= logIn(login, fetcher, signal).catch((error: unknown) => {
      held = null;
      throw error;
    });
    return held;
  };
  return {
    headers: async (signal) => ({ 'x-auth-token': await hold(signal) }),
    renew: async (signal) => {
      held = null;
      await hold(signal);
      return true;
    },
  };
};

const logIn = async (login: KeystoneLogin, fetcher: typeof fetch, signal: AbortSignal): Promise<string> => {
  const url = `${login.authUrl.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3/auth/tokens`;
  const answer = await fetcher(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requestOf(login)),
    redirect: 'error',
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new UnreachableError(`Keystone cannot be reached at ${login.authUrl}`, { cause: error, sent: false });
  });
  await answer.body?.cancel();
  if (answer.status === 401) {
    throw refusedBy(
      `Keystone at ${login.authUrl} refuses user ${login.username}: wrong name, password, domain or project`,
    );
  }
  const token = answer.headers.get('x-subject-token');
  if (answer.status !== 201 || token === null) {
    throw new ProtocolError(
      `${login.authUrl} answers with status ${answer.status}, not with a token; is it Keystone v3?`,
    );
  }
  return token;
};

const requestOf = (login: KeystoneLogin): object => ({
  auth: {
    identity: {
      methods: ['password'],
      password: {
        user: { name: login.username, password: login.password, domain: domainOf(login.userDomain) },
      },
    },
    ...(login.project === undefined ? {} : { scope: { project: scopeOf(login.project) } }),
  },
});

const scopeOf = (project: NonNullable<KeystoneLogin['project']>): object =>
  'id' in project ? { id: project.id } : { name: project.name, domain: domainOf(project.domain) };

/** The domain that every Keystone has is known by its id. */
const domainOf = (name: string | undefined): object => (name === undefined ? { id: 'default' } : { name });
