import { basic, type Corral, createClient, type Credentials, type Fetch, keystone, none, token } from '../index.ts';
import { unfitIn } from '../endpoint.ts';
import { endpointOf } from './service-endpoint.ts';
import { UsageError } from './usage-error.ts';
import { nodeFetch } from './node-fetch.ts';
import { type Environment, type Profile, profilesFile, readProfiles } from './profiles.ts';

/** What the command line says about where and who. */
export interface ConnectionOptions {
  readonly endpoint: string | undefined;
  readonly profile: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Ends whatever request is under way. */
  readonly end: AbortSignal | null;
}

/** The prompt names where the password is sent. */
type AskPassword = (username: string, endpoint: string) => Promise<string>;

/**
 * The service and the caller: options first, then the environment (ours, then that of existing scripts, then
 * OpenStack's), then the current profile. A profile that was named comes before the environment.
 */
export const clientFromOptions = async (
  env: Environment,
  options: ConnectionOptions,
  askPassword: AskPassword,
): Promise<Corral> => {
  const profile = await profileFor(env, options.profile);
  const isNamed = options.profile !== undefined;
  const told = env['CORRAL_ENDPOINT'] ?? env['HIL_ENDPOINT'];
  // A password of the environment goes where the environment says, and never to the endpoint of a profile.
  const isOwn = !isNamed && ['CORRAL_TOKEN', 'CORRAL_USERNAME', 'HIL_USERNAME'].some((name) => env[name]);
  const ofProfile = isOwn ? undefined : profile?.endpoint;
  const endpoint = endpointOf(options.endpoint ?? (isNamed ? profile?.endpoint : (told ?? ofProfile)));
  const fromProfile = () => profileCredentials(profile, endpoint, askPassword);
  const credentials = isNamed
    ? ((await fromProfile()) ?? none)
    : (environmentCredentials(env) ?? (await fromProfile()) ?? none);
  return clientAs(endpoint, credentials, options);
};

/** The service, for a caller who is known. */
export const clientAs = (
  endpoint: string,
  credentials: Credentials,
  { timeoutMs, end }: Pick<ConnectionOptions, 'timeoutMs' | 'end'>,
): Corral =>
  createClient({
    endpoint,
    credentials,
    fetch: end === null ? nodeFetch : fetchUntil(end),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

const fetchUntil =
  (end: AbortSignal): Fetch =>
  (url, init) =>
    nodeFetch(url, { ...init, signal: AbortSignal.any([end, init.signal]) });

const profileFor = async (env: Environment, name: string | undefined): Promise<Profile | undefined> => {
  const file = profilesFile(env);
  const { current, profiles } = await readProfiles(file);
  const options = name ?? current;
  if (options === null) return undefined;
  const profile = Object.hasOwn(profiles, options) ? profiles[options] : undefined;
  if (profile || name === undefined) return profile;
  const known = Object.keys(profiles).join(', ') || 'none yet';
  throw new UsageError(
    `profile ${name} does not exist in ${file} (known: ${known}); create it with corral login --profile ${name}`,
  );
};

/** Credentials of a profile are for its own endpoint: they are not sent to another one. */
const profileCredentials = async (
  profile: Profile | undefined,
  endpoint: string,
  askPassword: AskPassword,
): Promise<Credentials | null> => {
  if (!profile || new URL(profile.endpoint).origin !== new URL(endpoint).origin) return null;
  if (profile.token !== undefined) return token(profile.token);
  return profile.username === undefined ? null : basic(profile.username, await askPassword(profile.username, endpoint));
};

const environmentCredentials = (env: Environment): Credentials | null => {
  if (env['CORRAL_TOKEN']) return token(env['CORRAL_TOKEN']);
  for (const prefix of ['CORRAL', 'HIL']) {
    const [username, password] = [env[`${prefix}_USERNAME`], env[`${prefix}_PASSWORD`]];
    if (username !== undefined && password !== undefined) return basic(username, password);
    if (username !== undefined || password !== undefined) {
      throw new UsageError(`${prefix}_USERNAME and ${prefix}_PASSWORD go together; one of them is not set`);
    }
  }
  return env['OS_AUTH_URL'] === undefined ? null : keystoneCredentials(env, env['OS_AUTH_URL']);
};

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
