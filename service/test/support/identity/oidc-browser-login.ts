import { oidcPasswordOf } from '@corral/lab';
import { expect } from 'vitest';
import { CookieJar } from './cookie-jar.ts';
import type { OidcFixture } from './oidc-fixture.ts';

export const client = { id: 'console', secret: 'secret of the console' } as const;
export const loginEnv = {
  CORRAL_OIDC_CLIENT_ID: client.id,
  CORRAL_OIDC_CLIENT_SECRET: client.secret,
  CORRAL_OIDC_SCOPES: 'openid profile groups',
};

/** Another name of the same host: to a browser, the provider is on another site than the service. */
export const addressOf = ({ service }: OidcFixture): string => service.url.replace('127.0.0.1', 'localhost');
export const cookieHost = 'localhost';

/** Tells the provider about the service. */
export const registerClient = (installation: OidcFixture, secret: string | null = client.secret): void =>
  installation.oidc.client({
    id: client.id,
    ...(secret === null ? {} : { secret }),
    redirectUris: [`${addressOf(installation)}/auth/oidc/callback`],
  });

/** Logs in at the provider, and stops before the browser comes back: the address it would open next. */
export const atTheDoor = async (
  installation: OidcFixture,
  jar: CookieJar,
  user: string,
  returnTo = '/v0/auth/whoami',
): Promise<string> => {
  const home = addressOf(installation);
  const isBack = (url: string) => url.startsWith(home);
  const begun = await jar.open(`${home}/auth/oidc/login?return_to=${encodeURIComponent(returnTo)}`);
  expect(begun.status, await begun.clone().text()).toBe(303);
  const { response, next } = await jar.follow(begun, isBack);
  if (next !== null) return next;
  const form = /action="([^"]+)"/.exec(await response.text())?.[1] ?? '';
  const answer = await jar.open(new URL(form, installation.oidc.issuer).href, { user, password: oidcPasswordOf(user) });
  const back = (await jar.follow(answer, isBack)).next;
  if (back === null) throw new Error('the provider did not send the browser back');
  return back;
};

/** Logs in from start to end. */
export const logIn = async (installation: OidcFixture, jar: CookieJar, user: string): Promise<Response> =>
  jar.open(await atTheDoor(installation, jar, user));

/** Who the browser is at the service. */
export const whoIs = async (installation: OidcFixture, jar: CookieJar): Promise<Record<string, unknown> | null> => {
  const response = await jar.open(`${addressOf(installation)}/v0/auth/whoami`);
  return response.status === 200 ? ((await response.json()) as Record<string, unknown>) : null;
};
