import { oidcPasswordOf } from '@corral/lab';
import { CookieJar } from './cookie-jar.ts';
import { audience } from './oidc-fixture.ts';
import type { OidcFixture } from './oidc-fixture.ts';

const deviceClient = 'corral-cli';
export const deviceEnv = {
  CORRAL_OIDC_DEVICE_CLIENT_ID: deviceClient,
  CORRAL_OIDC_SCOPES: 'openid profile groups',
};

/** What a service with these settings tells of its provider. */
export const deviceLoginAt = ({ oidc }: Pick<OidcFixture, 'oidc'>) => ({
  issuer: oidc.issuer,
  clientId: deviceClient,
  scopes: deviceEnv.CORRAL_OIDC_SCOPES,
  audience,
});

/** Tells the provider about command lines. */
export const registerDevice = ({ oidc }: Pick<OidcFixture, 'oidc'>): void =>
  oidc.client({ id: deviceClient, redirectUris: [], isDevice: true });

/** Enters a code in a browser, as a person does: the code, the confirmation, name and password. */
export const enterCode = async (url: string, user: string, answer: 'yes' | 'no' = 'yes'): Promise<string> => {
  const jar = new CookieJar();
  const send = async (page: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
    const fields = [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const hidden = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
    const sent = await jar.open(new URL(action, url).href, { ...hidden, ...more });
    return (await jar.follow(sent, () => false)).response.text();
  };
  const confirmation = await send(await (await jar.open(url)).text());
  if (answer === 'no') return send(confirmation, { abort: 'yes' });
  const page = await send(confirmation);
  return send(page, { user, password: oidcPasswordOf(user) });
};
