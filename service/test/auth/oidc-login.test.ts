import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { CookieJar } from '../support/identity/cookie-jar.ts';
import { sharedOidcFixture } from '../support/identity/oidc-fixture.ts';
import {
  addressOf,
  atTheDoor,
  cookieHost,
  logIn,
  loginEnv,
  registerClient,
  whoIs,
} from '../support/identity/oidc-browser-login.ts';
import { makeProject } from '../support/services/world.ts';

const cookieName = 'corral_login';

describe.each(engines)('logging in at an OpenID provider, on %s', (engine) => {
  const installation = sharedOidcFixture(engine, loginEnv);

  it('a person is known by a session from then on, with the projects that ID token and userinfo tell', async () => {
    registerClient(installation());
    await makeProject(installation().service, 'red');
    installation().oidc.user('ada', { preferred_username: 'ada l', groups: ['red'] });
    const jar = new CookieJar();
    const page = await logIn(installation(), jar, 'ada');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toMatch(/<meta http-equiv="refresh" content="0; url=\/v0\/auth\/whoami">/);
    expect(await whoIs(installation(), jar)).toMatchObject({
      name: 'oidc:ada l',
      admin: false,
      projects: ['red'],
      by: 'session',
    });
    expect((await jar.open(`${addressOf(installation())}/v0/project/red/nodes`)).status).toBe(200);
    expect((await jar.open(`${addressOf(installation())}/v0/projects`)).status).toBe(401);
  });

  it('the session has a cookie of its own for this service, and the page lets nothing run and is kept by nobody', async () => {
    registerClient(installation());
    installation().oidc.user('eve');
    const page = await logIn(installation(), new CookieJar(), 'eve');
    const [cleared, session] = page.headers.getSetCookie();
    expect(cleared).toBe('corral_login=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    expect(session).toMatch(/^corral_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('asks for a code with PKCE, a state and a nonce, all of them new each time', async () => {
    registerClient(installation());
    const ask = async () => {
      const { headers } = await new CookieJar().open(`${addressOf(installation())}/auth/oidc/login`);
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^corral_login=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
      ]);
      return Object.fromEntries(new URL(headers.get('location') ?? '').searchParams);
    };
    const [one, two] = [await ask(), await ask()];
    expect(one).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      client_id: 'console',
      scope: 'openid profile groups',
      redirect_uri: `${addressOf(installation())}/auth/oidc/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one[name]).toMatch(/^[\w-]{43}$/);
      expect(one[name]).not.toBe(two[name]);
    }
  });

  it('an administrator at the provider is one here, and a session is never worth more than the person', async () => {
    registerClient(installation());
    installation().oidc.user('boss', { roles: ['corral-admin'] });
    const jar = new CookieJar();
    await logIn(installation(), jar, 'boss');
    expect(await whoIs(installation(), jar)).toMatchObject({ name: 'oidc:boss', admin: true });
    installation().oidc.user('boss', { roles: [] });
    await logIn(installation(), jar, 'boss');
    expect(await whoIs(installation(), jar)).toMatchObject({ name: 'oidc:boss', admin: false });
  });

  it('an answer of the provider is good once', async () => {
    registerClient(installation());
    installation().oidc.user('once');
    const jar = new CookieJar();
    const back = await atTheDoor(installation(), jar, 'once');
    const kept = jar.get(cookieHost, cookieName) ?? '';
    expect((await jar.open(back)).status).toBe(200);
    expect(jar.get(cookieHost, cookieName)).toBeUndefined();
    await expectPage(jar.open(back), 400, /began in another browser/);
    const thief = new CookieJar();
    thief.set(cookieHost, cookieName, kept);
    await expectPage(thief.open(back), 400, /was finished already/);
    expect(await whoIs(installation(), thief)).toBeNull();
  });

  it("an answer that somebody else's browser asked for logs nobody in", async () => {
    registerClient(installation());
    installation().oidc.user('attacker');
    const back = await atTheDoor(installation(), new CookieJar(), 'attacker');
    const victim = new CookieJar();
    await expectPage(victim.open(back), 400, /began in another browser/);
    await victim.open(`${addressOf(installation())}/auth/oidc/login`);
    await expectPage(victim.open(back), 400, /began in another browser/);
    expect(await whoIs(installation(), victim)).toBeNull();
  });

  it('a cookie that was changed, made up, or is duplicate counts for nothing', async () => {
    registerClient(installation());
    installation().oidc.user('tamper');
    const { vaulted, back, jar } = await (async () => {
      const made = new CookieJar();
      const url = await atTheDoor(installation(), made, 'tamper');
      return { jar: made, back: url, vaulted: made.get(cookieHost, cookieName) ?? '' };
    })();
    const changed = `${vaulted.slice(0, -6)}${vaulted.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
    const state = new URL(back).searchParams.get('state') ?? '';
    const plain = JSON.stringify({ state, expiresAt: 9e15, purpose: 'oidc login' });
    const twice = `${vaulted}; ${cookieName}=${vaulted}`;
    for (const value of [changed, plain, Buffer.from(plain).toString('base64'), 'v1:', 'v1:AAAA', twice, '%00']) {
      jar.set(cookieHost, cookieName, value);
      await expectPage(jar.open(back), 400, /Start again/);
    }
    expect(await whoIs(installation(), jar)).toBeNull();
    jar.set(cookieHost, cookieName, vaulted);
    expect((await jar.open(back)).status).toBe(200);
  });

  it('a user who takes longer than ten minutes starts again', async () => {
    registerClient(installation());
    installation().oidc.user('slow');
    const jar = new CookieJar();
    const back = await atTheDoor(installation(), jar, 'slow');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    onTestFinished(() => void vi.useRealTimers());
    const before = installation().oidc.asked.length;
    await expectPage(jar.open(back), 400, /took too long/);
    expect(installation().oidc.asked).toHaveLength(before);
    expect(await whoIs(installation(), jar)).toBeNull();
  });

  it('an answer with another state, another issuer or no code is refused', async () => {
    registerClient(installation());
    installation().oidc.user('mixup');
    const changes: readonly [string, string | null, number][] = [
      ['state', 'another', 400],
      ['state', null, 400],
      ['iss', 'https://evil.example.org', 502],
      ['iss', null, 502],
      ['code', 'another', 400],
      ['code', null, 502],
    ];
    for (const [name, value, status] of changes) {
      const jar = new CookieJar();
      const back = new URL(await atTheDoor(installation(), jar, 'mixup'));
      if (value === null) back.searchParams.delete(name);
      else back.searchParams.set(name, value);
      await expectPage(jar.open(back.href), status, /./);
      expect(await whoIs(installation(), jar)).toBeNull();
    }
  });

  it('a user who denies the login at the provider sees what to do', async () => {
    registerClient(installation());
    const jar = new CookieJar();
    const home = addressOf(installation());
    const begun = await jar.open(`${home}/auth/oidc/login`);
    const { response } = await jar.follow(begun, () => false);
    const cancelled = await jar.open(`${response.url}/cancel`);
    const { next } = await jar.follow(cancelled, (url) => url.startsWith(home));
    await expectPage(jar.open(next ?? ''), 403, /did not agree, or may not use this service/);
    expect(await whoIs(installation(), jar)).toBeNull();
  });

  it.each([
    '//evil.example.org',
    '/\\evil.example.org',
    '\\\\evil.example.org',
    'https://evil.example.org/',
    'javascript:alert(1)',
    'evil',
    '/\t/evil.example.org',
    '/%0a\n/evil',
    '/./\\evil',
    '/.//evil.example.org',
    '/..//evil.example.org',
    '/auth/oidc/login',
    '/a/../auth/oidc/login',
    `/${'x'.repeat(3000)}`,
    '',
  ])('after a login nobody is sent to %j', async (path) => {
    const { response } = await new CookieJar().follow(
      await new CookieJar().open(`${addressOf(installation())}/auth/oidc/login?return_to=${encodeURIComponent(path)}`),
      () => true,
    );
    await expectPage(Promise.resolve(response), 400, /would redirect you to another site/);
  });

  it('a path with anything in it is where one arrives, and nothing in it becomes part of the page', async () => {
    registerClient(installation());
    installation().oidc.user('path');
    const jar = new CookieJar();
    const odd = `/x"><script>alert(1)</script>?a='b'&c=d;url=//evil#"h`;
    const page = await (await jar.open(await atTheDoor(installation(), jar, 'path', odd))).text();
    expect(page).not.toContain('<script');
    const shown = /content="0; url=([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&').replaceAll('&#39;', "'");
    const { pathname, search, hash } = new URL(odd, 'http://here.invalid');
    expect(shown).toBe(`${pathname}${search}${hash}`);
  });

  it('no code, state, token or secret is in the log', async () => {
    registerClient(installation());
    installation().oidc.user('quiet');
    const jar = new CookieJar();
    const back = await atTheDoor(installation(), jar, 'quiet');
    const kept = jar.get(cookieHost, cookieName) ?? '';
    await jar.open(back);
    await jar.open(back);
    const secrets = [...new URL(back).searchParams].filter(([name]) => name !== 'iss').map(([, value]) => value);
    const log = installation().service.log.join('');
    expect(log).toContain('OIDC login failed');
    const session = jar.get(cookieHost, 'corral_session') ?? '';
    for (const secret of [...secrets, kept, session, loginEnv.CORRAL_OIDC_CLIENT_SECRET]) {
      expect(secret).not.toBe('');
      expect(log).not.toContain(secret);
    }
  });
});

const expectPage = async (answer: Promise<Response>, status: number, text: RegExp): Promise<void> => {
  const response = await answer;
  const page = await response.text();
  expect({ status: response.status, type: response.headers.get('content-type') }, page).toEqual({
    status,
    type: 'text/html; charset=utf-8',
  });
  expect(page).toMatch(text);
  expect(page).toContain('href="/auth/oidc/login"');
  expect(response.headers.getSetCookie().join()).not.toContain('corral_session');
};
