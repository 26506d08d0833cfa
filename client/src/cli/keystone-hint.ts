import { type AuthorizationError, createClient, none } from '../index.ts';
import { nodeFetch } from './node-fetch.ts';

/** Which Keystone the variables `OS_*` name, and whether they name a project. */
export interface KeystoneSource {
  readonly kind: 'keystone';
  readonly authUrl: string;
  readonly hasProject: boolean;
}

/** Which variables to look at when a service, or Keystone itself, does not accept the credentials of Keystone. */
export const keystoneHint = async (
  { message }: AuthorizationError,
  { authUrl, hasProject }: KeystoneSource,
  endpoint: string,
): Promise<string | null> => {
  // What Keystone refuses never reached the service.
  if (message.startsWith('Keystone at')) {
    const scope = hasProject ? ', and the project: OS_PROJECT_NAME with OS_PROJECT_DOMAIN_NAME, or OS_PROJECT_ID' : '';
    return `check OS_USERNAME, OS_PASSWORD and OS_USER_DOMAIN_NAME${scope}`;
  }
  if (message.includes('not scoped to a project')) {
    return 'set OS_PROJECT_NAME and OS_PROJECT_DOMAIN_NAME, or OS_PROJECT_ID: what you may do here is what that project may';
  }
  // The sentence says who can register it.
  if (message.includes('is not registered here')) return null;
  // Asked without credentials: those are what is wrong.
  const { keystone } = await createClient({ endpoint, credentials: none, fetch: nodeFetch }).showAuthMethods({});
  if (keystone === null) {
    return `${endpoint} accepts no credentials of Keystone, which OS_AUTH_URL chooses; unset OS_AUTH_URL and log in: corral login ${endpoint}`;
  }
  if (baseOf(keystone.url) !== baseOf(authUrl)) {
    return `${endpoint} asks the Keystone at ${keystone.url}, and OS_AUTH_URL is ${authUrl}; if these are not the same Keystone, set OS_AUTH_URL=${keystone.url}`;
  }
  return null;
};

const baseOf = (url: string): string => url.replace(/\/+$/, '').replace(/\/v3$/, '');
