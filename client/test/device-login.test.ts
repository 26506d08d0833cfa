import { afterEach, describe, expect, it } from 'vitest';
import { sharedOidcFixture } from '../../service/test/support/identity/oidc-fixture.ts';
import {
  deviceEnv,
  deviceLoginAt,
  enterCode,
  registerDevice,
} from '../../service/test/support/identity/oidc-device.ts';
import { type DeviceLogin, deviceLoginWith } from '../src/device-login.ts';
import {
  AuthorizationError,
  createClient,
  type DeviceCode,
  deviceLogin,
  ProtocolError,
  TimedOutError,
  UnreachableError,
} from '../src/index.ts';

const tokenPath = /^\/token$/;
const discovery = /^\/\.well-known\//;

describe('logging in with a code', () => {
  const site = sharedOidcFixture('sqlite', deviceEnv);
  afterEach(() => site().oidc.behave());
  const says = (status: number, value: unknown) => ({ kind: 'status', status, body: JSON.stringify(value) }) as const;
  const enter = (code: DeviceCode) => enterCode(code.verificationUriComplete ?? '', 'ada');
  const loginOf = (changes: Partial<DeviceLogin> = {}): DeviceLogin => ({
    ...deviceLoginAt(site()),
    onCode: async (code) => {
      await enter(code);
    },
    ...changes,
  });
  /** Waits for nothing, and notes for how long it should have; `before` each of them something else may happen. */
  const impatient = (before: (count: number) => unknown = () => undefined) => {
    const pauses: number[] = [];
    const wait = async (ms: number) => {
      pauses.push(ms);
      await before(pauses.length);
    };
    return { pauses, wait };
  };
  const begin = () => {
    registerDevice(site());
    site().oidc.user('ada', { groups: ['red'] });
  };
  const clientWith = async (login: ReturnType<typeof deviceLogin>) =>
    createClient({ endpoint: site().service.url, credentials: await login });

  it('asks as seldom as the provider wants, and more seldom on request', async () => {
    begin();
    const { oidc } = site();
    oidc.misbehave(tokenPath, says(400, { error: 'slow_down' }));
    const { pauses, wait } = impatient((count) => {
      if (count === 3) oidc.behave();
    });
    const corral = await clientWith(deviceLoginWith(loginOf(), wait));
    expect(pauses).toEqual([1000, 6000, 11_000]);
    expect(await corral.whoami()).toMatchObject({ name: 'oidc:ada', projects: ['red'] });
  });

  it('goes on after the provider was gone, or in trouble, for a while', async () => {
    begin();
    const { oidc } = site();
    const { pauses, wait } = impatient((count) => {
      if (count === 1) oidc.misbehave(tokenPath, { kind: 'drop' });
      if (count === 2) oidc.misbehave(tokenPath, says(503, {}));
      if (count === 3) oidc.behave();
    });
    const corral = await clientWith(deviceLoginWith(loginOf(), wait));
    expect(pauses).toEqual([1000, 2000, 4000]);
    expect((await corral.whoami()).name).toBe('oidc:ada');
  });

  it('gets the next token when the service refuses the old one, once for all who were refused', async () => {
    begin();
    const { oidc, service } = site();
    const credentials = await deviceLogin(loginOf());
    const { authorization: old = '' } = await credentials.headers(new AbortController().signal);
    const seen: number[] = [];
    let allRefused: () => void = () => undefined;
    const areRefused = new Promise<void>((resolve) => (allRefused = resolve));
    const corral = createClient({
      endpoint: service.url,
      credentials,
      // The first token arrives damaged.
      fetch: async (url, init) => {
        const headers = new Headers(init.headers);
        if (headers.get('authorization') === old) headers.set('authorization', `${old.slice(0, -6)}AAAAAA`);
        const answer = await fetch(url, { ...init, headers });
        if (seen.push(answer.status) === 3) allRefused();
        await areRefused;
        return answer;
      },
    });
    const asked = oidc.asked.length;
    const names = await Promise.all([corral.whoami(), corral.whoami(), corral.whoami()]);
    expect(names.map(({ name }) => name)).toEqual(['oidc:ada', 'oidc:ada', 'oidc:ada']);
    expect(seen).toEqual([401, 401, 401, 200, 200, 200]);
    expect(oidc.asked.slice(asked).filter((ask) => ask === 'POST /token')).toHaveLength(1);
  });

  it('is over when the provider renews it no longer', async () => {
    begin();
    const { oidc } = site();
    const { wait } = impatient();
    const credentials = await deviceLoginWith(loginOf(), wait);
    oidc.misbehave(tokenPath, says(400, { error: 'invalid_grant' }));
    const never = new AbortController().signal;
    expect(await credentials.renew?.(never)).toBe(false);
    oidc.behave();
    expect(await credentials.renew?.(never)).toBe(false);
  });

  it('believes no provider that says it is another, sends elsewhere, or is not a provider', async () => {
    begin();
    const { oidc } = site();
    const before = oidc.asked.length;
    const failure = async (login: Promise<unknown>) => {
      await expect(login).rejects.toThrow(ProtocolError);
      return login.catch((error: unknown) => (error as Error).message);
    };
    oidc.misbehave(discovery, says(200, { issuer: 'https://evil.example.org' }));
    expect(await failure(deviceLogin(loginOf()))).toContain(
      'identifies itself as another issuer; no credentials were sent',
    );
    oidc.misbehave(discovery, { kind: 'redirect', to: 'http://127.0.0.1:9/' });
    expect(await failure(deviceLogin(loginOf()))).toContain('redirects, which is not followed');
    oidc.misbehave(discovery, { kind: 'garbage' });
    expect(await failure(deviceLogin(loginOf()))).toContain('identifies itself as another issuer');
    oidc.misbehave(discovery, says(200, { issuer: oidc.issuer, token_endpoint: `${oidc.issuer}/token` }));
    expect(await failure(deviceLogin(loginOf()))).toContain('has no device_authorization_endpoint');
    const elsewhere = { issuer: oidc.issuer, device_authorization_endpoint: 'http://evil.example.org/' };
    oidc.misbehave(discovery, says(200, elsewhere));
    expect(await failure(deviceLogin(loginOf()))).toContain('refers to an address that is not https');
    expect(await failure(deviceLogin(loginOf({ issuer: 'http://id.example.org' })))).toContain('not https');
    expect(oidc.asked.slice(before).filter((ask) => ask.startsWith('POST'))).toEqual([]);
    oidc.behave();
    for (const path of [/^\/device\/auth$/, tokenPath]) {
      oidc.misbehave(path, { kind: 'redirect', to: `${oidc.issuer}/stolen`, status: 307 });
      expect(await failure(deviceLoginWith(loginOf(), impatient().wait))).toContain('redirects');
      oidc.behave();
    }
    expect(oidc.asked.filter((ask) => ask.includes('stolen'))).toEqual([]);
  });

  it('shows no page and no code that could be something else on a screen', async () => {
    begin();
    const { oidc } = site();
    const code = { device_code: 'd', user_code: 'AAAA', verification_uri: `${oidc.issuer}/device`, expires_in: 60 };
    for (const [odd, words] of [
      [{ verification_uri: 'javascript:alert(1)' }, 'not https'],
      [{ verification_uri_complete: 'http://evil.example.org' }, 'not https'],
      [{ user_code: '\u001b[2J' }, 'without a code'],
      [{ expires_in: -1 }, 'without a code'],
    ] as const) {
      oidc.misbehave(/^\/device\/auth$/, says(200, { ...code, ...odd }));
      const onCode = () => expect.fail('it was shown');
      await expect(deviceLogin(loginOf({ onCode }))).rejects.toThrow(words);
    }
  });

  it('asks neither without a pause nor without an end, whatever the provider says', async () => {
    begin();
    const { oidc } = site();
    const code = { device_code: 'd', user_code: 'AAAA', verification_uri: `${oidc.issuer}/device` };
    for (const [interval, pauseMs] of [
      [3_000_000, 60_000],
      [1e300, 60_000],
      [1e-9, 1_000],
      ['often', 5_000],
    ] as const) {
      oidc.misbehave(/^\/device\/auth$/, says(200, { ...code, interval, expires_in: 1e300 }));
      const { pauses, wait } = impatient();
      const shown: DeviceCode[] = [];
      const login = deviceLoginWith(loginOf({ onCode: (one) => void shown.push(one) }), wait);
      await expect(login).rejects.toThrow(AuthorizationError);
      expect(pauses).toEqual([pauseMs]);
      const lastsMs = (shown[0]?.expiresAt.getTime() ?? Number.NaN) - Date.now();
      expect(lastsMs).toBeGreaterThan(0);
      expect(lastsMs).toBeLessThanOrEqual(30 * 60_000);
    }
  });

  it('takes no token that is meant for somebody else', async () => {
    begin();
    const { oidc } = site();
    const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
    const tokensOf = (login: DeviceLogin, said: object) => {
      oidc.misbehave(tokenPath, says(200, said));
      return deviceLoginWith(login, impatient().wait);
    };
    const [others, clients, nobodys] = [jwt({ aud: 'another' }), jwt({ aud: ['corral-cli'] }), jwt({})];
    for (const said of [{ access_token: others, id_token: clients }, { access_token: nobodys }]) {
      const refused = tokensOf(loginOf({ audience: 'corral' }), said);
      await expect(refused).rejects.toThrow(ProtocolError);
      await expect(refused).rejects.toThrow('issued no token that the service accepts (a JWT with audience corral);');
    }
    const both = { access_token: others, id_token: jwt({ aud: ['another', 'corral'] }) };
    const meant = await tokensOf(loginOf({ audience: 'corral' }), both);
    expect(await meant.headers(new AbortController().signal)).toEqual({ authorization: `Bearer ${both.id_token}` });
    const { issuer, clientId, onCode } = loginOf();
    const first = await tokensOf({ issuer, clientId, onCode }, both);
    expect(await first.headers(new AbortController().signal)).toEqual({ authorization: `Bearer ${others}` });
  });

  it('tells what went wrong without codes and tokens', async () => {
    begin();
    const { oidc } = site();
    const { wait } = impatient();
    const canary = 'canary-of-a-secret';
    const failureOf = (login: DeviceLogin) =>
      deviceLoginWith(login, wait).then(
        () => expect.fail(),
        (error: unknown) => error,
      );
    const seen: unknown[] = [];
    for (const answer of [
      says(400, { error: 'access_denied', error_description: canary }),
      says(400, { error: `odd ${canary}`, error_description: canary }),
      says(200, { access_token: canary, refresh_token: canary }),
      says(400, { error: 'expired_token', device_code: canary }),
    ]) {
      oidc.misbehave(tokenPath, answer);
      seen.push(await failureOf(loginOf({ onCode: () => undefined })));
    }
    expect(seen.map((error) => (error as Error).constructor)).toEqual([
      AuthorizationError,
      AuthorizationError,
      ProtocolError,
      TimedOutError,
    ]);
    expect(seen.map((error) => `${String(error)} ${JSON.stringify(error)}`).join()).not.toContain(canary);
    await expect(deviceLogin(loginOf({ clientId: 'stranger' }))).rejects.toThrow(
      `rejects the login of client stranger (invalid_client)`,
    );
  });

  it('ends when the provider is gone or hangs, and when it is aborted', async () => {
    begin();
    const { oidc } = site();
    oidc.misbehave(discovery, { kind: 'hang' });
    await expect(deviceLogin(loginOf({ timeoutMs: 50 }))).rejects.toThrow(TimedOutError);
    oidc.misbehave(discovery, { kind: 'drop' });
    await expect(deviceLogin(loginOf())).rejects.toThrow(UnreachableError);
    oidc.behave();
    const stop = new AbortController();
    const onCode = () => stop.abort(new Error('enough'));
    await expect(deviceLogin(loginOf({ onCode, signal: stop.signal }))).rejects.toThrow('enough');
    expect(oidc.asked.at(-1)).toBe('POST /device/auth');
  });
});
