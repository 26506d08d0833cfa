import { basic, type Corral, createClient, type Credentials, type Fetch, keystone, none, token } from '../index.ts';
import { unfitIn } from '../endpoint.ts';
import { endpointOf } from './service-endpoint.ts';
import { UsageError } from './usage-error.ts';
import type { KeystoneSource } from './keystone-hint.ts';
import { nodeFetch } from './node-fetch.ts';
import type { Output } from './output.ts';
import { type Environment, type Profile, profileNamed, profilesFile, readProfiles } from './profiles.ts';

/** What the command line says about where and who. */
export interface ConnectionOptions {
  readonly endpoint: string | undefined;
  readonly profile: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Ends whatever request is under way. */
  readonly end: AbortSignal | null;
  /** Hears what is waited for. */
  readonly waiting: Output['waiting'];
}

/** The prompt names where the password is sent. */
type AskPassword = (username: string, endpoint: string) => Promise<string>;

const callerVariables = ['CORRAL_TOKEN', 'CORRAL_USERNAME', 'HIL_USERNAME'];

/** What of the environment comes before the current profile. */
export const comesBeforeProfiles = (env: Environment): readonly string[] =>
  ['CORRAL_ENDPOINT', 'HIL_ENDPOINT', ...callerVariables, 'OS_AUTH_URL'].filter((name) => env[name]);

/**
 * The service and the caller: options first, then the environment (ours, then that of existing scripts, then
 * OpenStack's), then the current profile. A profile that was named comes before the environment.
 */
export const callerFromOptions = async (
  env: Environment,
  options: ConnectionOptions,
  askPassword: AskPassword,
): Promise<CallerUsed> => {
  const profile = await profileFor(env, options.profile);
  const isNamed = options.profile !== undefined;
  const told = env['CORRAL_ENDPOINT'] ?? env['HIL_ENDPOINT'];
  // A password of the environment goes where the environment says, and never to the endpoint of a profile.
  const isOwn = !isNamed && callerVariables.some((name) => env[name]);
  const ofProfile = isOwn ? undefined : profile?.endpoint;
  const endpoint = endpointOf(options.endpoint ?? (isNamed ? profile?.endpoint : (told ?? ofProfile)));
  const fromProfile = () => profileCredentials(profile, endpoint, askPassword);
  const { credentials, source } =
    (isNamed ? null : environmentCredentials(env)) ?? (await fromProfile()) ?? withoutCredentials(profile);
  return { corral: clientAs(endpoint, credentials, options), source };
};

/** Where the credentials of a caller came from. */
export type CallerSource =
  /** `otherProfile`: its token was not sent, because it is for another service. */
  | { readonly kind: 'none'; readonly otherProfile: { readonly name: string; readonly endpoint: string } | null }
  | { readonly kind: 'profile'; readonly name: string }
  /** `token`: that of `CORRAL_TOKEN`; other variables have a user name and a password. */
  | { readonly kind: 'token' | 'other' }
  | KeystoneSource;

/** Who a command was run as. */
export interface CallerUsed {
  readonly corral: Corral;
  readonly source: CallerSource;
}

interface Sourced {
  readonly credentials: Credentials;
  readonly source: CallerSource;
}

type NamedProfile = Profile & { readonly name: string };

const withoutCredentials = (profile: NamedProfile | undefined): Sourced => ({
  credentials: none,
  source: { kind: 'none', otherProfile: profile?.token === undefined ? null : profile },
});

/** The service, for a caller who is known. */
export const clientAs = (
  endpoint: string,
  credentials: Credentials,
  { timeoutMs, end, waiting }: Pick<ConnectionOptions, 'timeoutMs' | 'end' | 'waiting'>,
): Corral =>
  createClient({
    endpoint,
    credentials,
    fetch: announced(waiting, end === null ? nodeFetch : fetchUntil(end)),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

/** Says what is waited for, where that takes long enough to wonder. */
const announced =
  (waiting: Output['waiting'], fetcher: Fetch): Fetch =>
  async (url, init) => {
    const { host, pathname } = new URL(url);
    const about = pathname
      .replace(/^\/v0\//, '')
      .split('/')
      .map(decodeURIComponent)
      .join(' ');
    const shown = waiting((seconds) => `waiting for ${host}: ${about}${seconds > 0 ? ` (${seconds} s)` : ''}`);
    try {
      return await fetcher(url, init);
    } finally {
      shown.stop();
    }
  };

const fetchUntil =
  (end: AbortSignal): Fetch =>
  (url, init) =>
    nodeFetch(url, { ...init, signal: AbortSignal.any([end, init.signal]) });

const profileFor = async (env: Environment, name: string | undefined): Promise<NamedProfile | undefined> => {
  const file = profilesFile(env);
  const known = await readProfiles(file);
  if (name !== undefined) return { ...profileNamed(file, known, name), name };
  const { current, profiles } = known;
  const profile = current !== null && Object.hasOwn(profiles, current) ? profiles[current] : undefined;
  return current === null || profile === undefined ? undefined : { ...profile, name: current };
};

/** Credentials of a profile are for its own endpoint: they are not sent to another one. */
const profileCredentials = async (
  profile: NamedProfile | undefined,
  endpoint: string,
  askPassword: AskPassword,
): Promise<Sourced | null> => {
  if (!profile || new URL(profile.endpoint).origin !== new URL(endpoint).origin) return null;
  const { name, username } = profile;
  const source = { kind: 'profile', name } as const;
  if (profile.token !== undefined) return { credentials: token(profile.token), source };
  if (username === undefined) return null;
  return { credentials: basic(username, await askPassword(username, endpoint)), source };
};

const environmentCredentials = (env: Environment): Sourced | null => {
  if (env['CORRAL_TOKEN']) return { credentials: token(env['CORRAL_TOKEN']), source: { kind: 'token' } };
  for (const prefix of ['CORRAL', 'HIL']) {
    const [username, password] = [env[`${prefix}_USERNAME`], env[`${prefix}_PASSWORD`]];
    if (username !== undefined && password !== undefined)
      return { credentials: basic(username, password), source: { kind: 'other' } };
    if (username !== undefined || password !== undefined) {
      throw new UsageError(`${prefix}_USERNAME and ${prefix}_PASSWORD go together; one of them is not set`);
    }
  }
  const authUrl = env['OS_AUTH_URL'];
  if (authUrl === undefined) return null;
  const hasProject = projectVariables.some((name) => env[name]);
  return { credentials: keystoneCredentials(env, authUrl), source: { kind: 'keystone', authUrl, hasProject } };
};

const projectVariables = ['OS_PROJECT_ID', 'OS_TENANT_ID', 'OS_PROJECT_NAME', 'OS_TENANT_NAME'];

const keystoneCredentials = (env: Environment, authUrl: string): Credentials => {
  const unfit = unfitIn(authUrl);
  if (unfit !== null) throw new UsageError(`OS_AUTH_URL ${unfit}; write it like https://keystone.example.org/v3`);
  const missing = ['OS_USERNAME', 'OS_PASSWORD'].filter((name) => !env[name]);
  if (missing.length > 0) throw new UsageError(`OS_AUTH_URL is set; set ${missing.join(' and ')} too`);
  const id = env['OS_PROJECT_ID'] ?? env['OS_TENANT_ID'];
  const name = env['OS_PROJECT_NAME'] ?? env['OS_TENANT_NAME'];
  const projectDomain = env['OS_PROJECT_DOMAIN_NAME'];
  const userDomain = env['OS_USER_DOMAIN_NAME'];
  const byName = name ? { project: { name, ...(projectDomain ? { domain: projectDomain } : {}) } } : {};
  return keystone({
    authUrl,
    username: env['OS_USERNAME'] ?? '',
    password: env['OS_PASSWORD'] ?? '',
    ...(userDomain ? { userDomain } : {}),
    ...(id ? { project: { id } } : byName),
  });
};
