import { type LabOidc, newOidcKey, type OidcKey } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { CookieJar } from '../support/identity/cookie-jar.ts';
import {
  inSeconds,
  type OidcFixture,
  sharedOidcFixture,
  signed,
  startOidcFixture,
} from '../support/identity/oidc-fixture.ts';
import {
  addressOf,
  atTheDoor,
  client,
  logIn,
  loginEnv,
  registerClient,
  whoIs,
} from '../support/identity/oidc-browser-login.ts';

const tokenPath = /^\/token$/;
const userinfoPath = /^\/me$/;

describe.each(engines)('when logging in goes wrong, on %s', (engine) => {
  const installation = sharedOidcFixture(engine, loginEnv);

  /** Logs in, and tells where it ended. Nobody may be let in. */
  const ending = async (at: OidcFixture, jar: CookieJar, back: string): Promise<[number, string]> => {
    const response = await jar.open(back);
    const page = await response.text();
    expect(await whoIs(at, jar)).toBeNull();
    return [response.status, /<h1>(.*)<\/h1>/.exec(page)?.[1] ?? page];
  };
  const unanswered = 'The identity provider does not answer';
  const refused = 'The identity provider refuses this service';
  const untrusted = 'The response of the identity provider is invalid';

  const ready = async (user: string): Promise<{ jar: CookieJar; back: string; oidc: LabOidc }> => {
    const { oidc } = installation();
    registerClient(installation());
    oidc.user(user);
    onTestFinished(() => oidc.behave());
    const jar = new CookieJar();
    return { jar, back: await atTheDoor(installation(), jar, user), oidc };
  };

  it('a provider that is down is reported as such, before and after', async () => {
    const made = await startOidcFixture(engine, loginEnv);
    onTestFinished(() => made.close());
    await made.oidc.stop();
    expect(await ending(made, new CookieJar(), `${addressOf(made)}/auth/oidc/login`)).toEqual([503, unanswered]);
    const { jar, back, oidc } = await ready('down');
    await oidc.stop();
    expect(await ending(installation(), jar, back)).toEqual([503, unanswered]);
    await oidc.restart();
    expect((await logIn(installation(), jar, 'down')).status).toBe(200);
  });

  it.each([
    ['hangs', { kind: 'hang' }, 503, unanswered],
    ['hangs up', { kind: 'drop' }, 503, unanswered],
    ['answers noise', { kind: 'noise' }, 503, unanswered],
    ['answers garbage', { kind: 'garbage' }, 502, untrusted],
    ['fails', { kind: 'status', status: 500 }, 502, untrusted],
    ['sends elsewhere', { kind: 'redirect', to: 'http://127.0.0.1:9/token' }, 502, untrusted],
    ['answers far too much', { kind: 'huge' }, 503, unanswered],
    ['answers without tokens', { kind: 'status', status: 200, body: '{}' }, 502, untrusted],
  ] as const)('a provider that %s when the code is exchanged lets nobody in', async (_what, fault, status, title) => {
    const { jar, back, oidc } = await ready('exchange');
    oidc.misbehave(tokenPath, fault);
    expect(await ending(installation(), jar, back)).toEqual([status, title]);
  });

  it('a login fails if the provider reports too little about a person', async () => {
    const { jar, back, oidc } = await ready('userinfo');
    oidc.misbehave(userinfoPath, { kind: 'status', status: 500 });
    expect(await ending(installation(), jar, back)).toEqual([502, untrusted]);
  });

  it('userinfo about somebody else is not believed', async () => {
    const { jar, back, oidc } = await ready('userinfo');
    const body = JSON.stringify({ sub: 'somebody else', roles: ['corral-admin'] });
    oidc.misbehave(userinfoPath, { kind: 'status', status: 200, body });
    expect(await ending(installation(), jar, back)).toEqual([502, untrusted]);
  });

  /** Comes back from the provider, whose answer holds this ID token; all else about it is as it should be. */
  const backWith = async (
    claims: Record<string, unknown>,
    keyOf: (oidc: LabOidc) => OidcKey,
  ): Promise<[CookieJar, string]> => {
    const { jar, back, oidc } = await ready('idtoken');
    const nonce = new URL(jar.visited.find((url) => url.includes('nonce=')) ?? '').searchParams.get('nonce');
    const all = { sub: 'idtoken', aud: client.id, nonce, roles: undefined, ...claims };
    const id_token = await signed(oidc, { claims: all, header: { typ: 'JWT' }, key: keyOf(oidc) });
    const tokens = { access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token };
    oidc.misbehave(tokenPath, { kind: 'status', status: 200, body: JSON.stringify(tokens) });
    oidc.misbehave(userinfoPath, { kind: 'status', status: 200, body: '{"sub": "idtoken"}' });
    return [jar, back];
  };
  const ownKey = ({ key }: LabOidc): OidcKey => key;

  it('what is not believed below is not believed for what is said: otherwise the same ID token is good', async () => {
    const [jar, back] = await backWith({}, ownKey);
    expect((await jar.open(back)).status).toBe(200);
    expect(await whoIs(installation(), jar)).toMatchObject({ name: 'oidc:idtoken' });
  });

  it.each([
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['for another client', { aud: 'another' }],
    ['for several clients, given to another', { aud: [client.id, 'another'], azp: 'another' }],
    ['of another issuer', { iss: 'https://evil.example.org' }],
    ['that has expired', { exp: inSeconds(-3600) }],
    ['without an end', { exp: undefined }],
    ['of nobody', { sub: undefined }],
    ['of somebody else than userinfo', { sub: 'another' }],
  ])('an ID token %s is not believed', async (_what, claims) => {
    const [jar, back] = await backWith(claims, ownKey);
    expect(await ending(installation(), jar, back)).toEqual([502, untrusted]);
  });

  it('an ID token that another key signed is not believed, whatever name the key has', async () => {
    for (const keyOf of [() => newOidcKey('EC'), ({ key }: LabOidc) => ({ ...newOidcKey(), kid: key.kid })]) {
      const [jar, back] = await backWith({}, keyOf);
      expect(await ending(installation(), jar, back)).toEqual([502, untrusted]);
    }
  });

  it('a client that the provider does not know, or whose secret is wrong, is reported as such, and the log says why', async () => {
    const { oidc, service } = installation();
    registerClient(installation(), 'another secret');
    oidc.user('secret');
    const jar = new CookieJar();
    expect(await ending(installation(), jar, await atTheDoor(installation(), jar, 'secret'))).toEqual([502, refused]);
    expect(service.log.join('')).toMatch(/refuses the credentials of this service|invalid_client/);
    registerClient(installation());
  });

  it('a public client needs no secret, because a code is worth nothing without its verifier', async () => {
    const open = await startOidcFixture(engine, { ...loginEnv, CORRAL_OIDC_CLIENT_SECRET: '' });
    onTestFinished(() => open.close());
    registerClient(open, null);
    open.oidc.user('public');
    const jar = new CookieJar();
    expect((await logIn(open, jar, 'public')).status).toBe(200);
    expect(await whoIs(open, jar)).toMatchObject({ name: 'oidc:public' });
  });

  it('without a client there is no login', async () => {
    const closed = await startOidcFixture(engine);
    onTestFinished(() => closed.close());
    for (const path of ['login', 'callback']) {
      expect((await fetch(`${closed.service.url}/auth/oidc/${path}`)).status).toBe(404);
    }
  });

  it('with public_url, that is where the provider sends browsers, and cookies are for TLS only', async () => {
    const proxied = await startOidcFixture(engine, { ...loginEnv, CORRAL_PUBLIC_URL: 'https://corral.example.org/' });
    onTestFinished(() => proxied.close());
    const { headers } = await fetch(`${proxied.service.url}/auth/oidc/login`, { redirect: 'manual' });
    const { searchParams } = new URL(headers.get('location') ?? '');
    expect(searchParams.get('redirect_uri')).toBe('https://corral.example.org/auth/oidc/callback');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-corral_login=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
    ]);
  });
});
