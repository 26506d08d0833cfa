import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bareClient, cookieOf, makeToken, ownPage, signIn, tryToSignIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

interface Listed {
  readonly session: string;
  readonly user: string;
  readonly made_at: string;
  readonly seen_at: string;
  readonly expires_at: string;
  readonly address: string;
  readonly agent: string;
  readonly current: boolean;
}

const sessionsOf = async (client: Client, query = ''): Promise<Listed[]> =>
  (await done(client.get(`/auth/sessions${query}`))).body as Listed[];

const sql = (service: Service, text: string) => runSql(service, { sqlite: text, postgres: text });

describe.each(engines)('sessions on %s', (engine) => {
  const service = sharedService(engine);

  describe('signing in', () => {
    it('sets a cookie that no script reads and no other site sends, and says who one is', async () => {
      await makeProject(service(), 'red');
      await makeUser(service(), 'ada', 'red');
      const answer = await tryToSignIn(service(), 'ada');
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          name: 'ada',
          admin: false,
          projects: ['red'],
          by: 'session',
          read_only: false,
          expires_at: expect.stringMatching(/^20\d\d-.*Z$/) as string,
        },
      ]);
      expect(answer.headers.get('set-cookie')).toMatch(
        /^corral_session=[\w-]{43}; Path=\/; Max-Age=43(200|199); HttpOnly; SameSite=Strict$/,
      );
      expect(answer.headers.get('cache-control')).toBe('no-store');
    });

    it('lets the browser do what its user may do, and nothing else', async () => {
      await makeProject(service(), 'blue');
      await makeUser(service(), 'bea', 'blue');
      const browser = await signIn(service(), 'bea');
      expect((await done(browser.get('/auth/whoami'))).body).toMatchObject({ name: 'bea', by: 'session' });
      await done(browser.put('/network/of-bea', { owner: 'blue', access: 'blue', net_id: '' }));
      expect(await refusal(browser.get('/projects'))).toBe('401 AuthorizationError');
      const admin = await signIn(service(), 'admin', adminPassword);
      await done(admin.get('/projects'));
    });

    it('answers a wrong password and an unknown user alike, and sets no cookie', async () => {
      await makeUser(service(), 'cleo');
      const answers = [await tryToSignIn(service(), 'cleo', 'wrong'), await tryToSignIn(service(), 'nobody', 'wrong')];
      for (const { status, body, headers } of answers) {
        expect([status, body]).toEqual([401, { type: 'AuthorizationError', msg: 'wrong user name or password' }]);
        expect(headers.get('set-cookie')).toBeNull();
      }
    });

    it('makes a new secret every time, whatever cookie the browser had', async () => {
      await makeUser(service(), 'dora');
      const planted = `corral_session=${'A'.repeat(43)}`;
      const visitor = bareClient(service().url, { ...ownPage(service()), cookie: planted });
      const body = { username: 'dora', password: 'password of dora' };
      const cookies = [
        cookieOf(await visitor.post('/auth/session', body)),
        cookieOf(await tryToSignIn(service(), 'dora')),
      ];
      expect(new Set([...cookies, planted]).size).toBe(3);
      expect(await refusal(visitor.get('/auth/whoami'))).toBe('401 AuthorizationError');
    });

    it('show_session says who is signed in, and of an ended session that nobody is, without a refusal', async () => {
      await makeUser(service(), 'vito');
      const nobody = [200, { caller: null }];
      const shown = async (client: Client) => {
        const { status, body } = await client.get('/auth/session');
        return [status, body];
      };
      const cookie = cookieOf(await tryToSignIn(service(), 'vito'));
      const browser = bareClient(service().url, { ...ownPage(service()), cookie });
      expect(await shown(browser)).toEqual([200, { caller: (await done(browser.get('/auth/whoami'))).body }]);
      expect((await browser.get('/auth/session')).headers.get('cache-control')).toBe('no-store');
      expect(await shown(service().anonymous)).toEqual(nobody);
      // A page of somebody else's learns nothing of the visitor.
      const foreign = bareClient(service().url, { cookie, origin: 'https://elsewhere.example.org' });
      expect(await shown(foreign)).toEqual(nobody);
      const both = bareClient(service().url, { cookie, authorization: 'Basic ***' });
      expect(await refusal(both.get('/auth/session'))).toBe('401 AuthorizationError');
      await done(browser.del('/auth/session'));
      expect(await shown(browser)).toEqual(nobody);
      const closed = await serviceForTest(engine, { CORRAL_REQUIRE_AUTHENTICATION: 'true' });
      expect(await shown(closed.anonymous)).toEqual(nobody);
    });

    it('works where every call needs credentials, and there is none where everybody is the operator', async () => {
      const closed = await serviceForTest(engine, { CORRAL_REQUIRE_AUTHENTICATION: 'true' });
      expect((await tryToSignIn(closed, 'admin', adminPassword)).status).toBe(200);
      const open = await serviceForTest(engine, { CORRAL_AUTH: 'null' });
      for (const call of [tryToSignIn(open, 'admin', adminPassword), open.anonymous.get('/auth/whoami')]) {
        expect(await refusal(call)).toBe('404 NotFoundError');
      }
    });
  });

  describe('a cookie', () => {
    let browser: Client;
    let cookie: string;
    const bare = (headers: Readonly<Record<string, string>>) => bareClient(service().url, { cookie, ...headers });
    beforeAll(async () => {
      await makeUser(service(), 'eve');
      browser = await signIn(service(), 'eve');
      cookie = browser.headers['cookie'] ?? '';
    });

    it.each<[string, Readonly<Record<string, string>>, boolean]>([
      ['Origin is ours', { origin: 'OWN' }, true],
      ['Origin is ours and the browser says so too', { origin: 'OWN', 'sec-fetch-site': 'same-origin' }, true],
      ['only Sec-Fetch-Site says so', { 'sec-fetch-site': 'same-origin' }, true],
      ['nobody says who asks', {}, false],
      ['Origin is another', { origin: 'https://evil.example' }, false],
      ['Origin is another port', { origin: 'http://127.0.0.1:1' }, false],
      ['Origin is ours but for the scheme', { origin: 'OWN-TLS' }, false],
      ['Origin is null, as in a sandbox', { origin: 'null' }, false],
      ['another site asks', { 'sec-fetch-site': 'cross-site', origin: 'OWN' }, false],
      ['another host of the site asks', { 'sec-fetch-site': 'same-site' }, false],
      ['the person typed the address', { 'sec-fetch-site': 'none' }, false],
    ])('counts for a change only from a page of ours: %s', async (_when, given, isLetIn) => {
      const { url } = service();
      const origin = given['origin']?.replace('OWN-TLS', url.replace('http:', 'https:')).replace('OWN', url);
      const page = bare({ ...given, ...(origin === undefined ? {} : { origin }) });
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await page.send('DELETE', '/auth/sessions/none', { headers: { 'content-type': type } });
        expect(answer.status, answer.text).toBe(isLetIn ? 404 : 401);
        if (!isLetIn)
          expect(answer.text).toMatch(/a session is accepted only from pages of this|a page of another origin/);
      }
      expect(await sessionsOf(browser)).not.toEqual([]);
    });

    it.each<[string, Readonly<Record<string, string>>, boolean]>([
      ['nobody says who asks', {}, true],
      ['a page of ours asks', { 'sec-fetch-site': 'same-origin' }, true],
      ['the person typed the address', { 'sec-fetch-site': 'none' }, true],
      ['another site asks', { 'sec-fetch-site': 'cross-site' }, false],
      ['another host of the site asks', { 'sec-fetch-site': 'same-site' }, false],
      ['a page of another origin asks', { origin: 'https://evil.example' }, false],
    ])('counts for a look unless another site asks: %s', async (_when, headers, isLetIn) => {
      expect((await bare(headers).get('/auth/whoami')).status).toBe(isLetIn ? 200 : 401);
    });

    it('counts for a WebSocket only from a page of ours', async () => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const handshake = { ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      const statusFor = async (headers: Readonly<Record<string, string>>) =>
        (await bare({ ...handshake, ...headers }).get('/node/none/console')).status;
      expect(await statusFor({})).toBe(401);
      expect(await statusFor({ 'sec-fetch-site': 'none' })).toBe(401);
      expect(await statusFor({ origin: 'https://evil.example' })).toBe(401);
      expect(await statusFor({ origin: service().url })).toBe(404);
    });

    it('does not help a page elsewhere to sign its visitor in as somebody of its own', async () => {
      const body = JSON.stringify({ username: 'eve', password: 'password of eve' });
      for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
        const answer = await bareClient(service().url, headers).send('POST', '/auth/session', { body });
        expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
      }
    });

    it('is ignored when credentials come in a header, right or wrong', async () => {
      const { admin } = service();
      const named = bare({ ...admin.headers, ...ownPage(service()) });
      expect((await done(named.get('/auth/whoami'))).body).toMatchObject({ name: 'admin', by: 'credentials' });
      for (const headers of [{ authorization: 'Basic ***' }, { authorization: 'Bearer x' }, { 'x-auth-token': 'x' }]) {
        expect(await refusal(bare({ ...ownPage(service()), ...headers }).get('/nodes/free'))).toBe(
          '401 AuthorizationError',
        );
      }
    });

    it.each([
      ['garbage', 'corral_session=garbage'],
      ['nobody’s secret', `corral_session=${'x'.repeat(43)}`],
      ['a NUL', `corral_session=${'x'.repeat(42)}%00`],
    ])('that is %s is a 401', async (_what, wrong) => {
      const client = bareClient(service().url, { ...ownPage(service()), cookie: wrong });
      expect(await refusal(client.get('/nodes/free'))).toBe('401 AuthorizationError');
      expect(await message(client.get('/nodes/free'))).toContain('sign in again');
    });

    it('of two of the name is refused: another host of the site may have set one', async () => {
      const twice = bareClient(service().url, {
        ...ownPage(service()),
        cookie: `${cookie}; corral_session=${'x'.repeat(43)}`,
      });
      expect(await refusal(twice.get('/auth/whoami'))).toBe('401 AuthorizationError');
    });

    it('among others is found, and others alone are nobody', async () => {
      expect((await bare({ cookie: `a=b; ${cookie}; c=d` }).get('/auth/whoami')).status).toBe(200);
      for (const other of ['a=b', 'corral_session=', `xcorral_session=${'x'.repeat(43)}`, ';;=']) {
        expect((await bare({ cookie: other }).get('/nodes/free')).status).toBe(200);
      }
    });
  });

  it('a 401 to a script of a page asks for a session, and no password box pops up', async () => {
    const challengeFor = async (headers: Readonly<Record<string, string>>) =>
      (await bareClient(service().url, headers).get('/projects')).headers.get('www-authenticate');
    const page = { 'sec-fetch-site': 'same-origin' };
    expect(await challengeFor({ ...page, 'sec-fetch-mode': 'cors' })).toBe('Session realm="corral"');
    expect(await challengeFor({ ...page, 'sec-fetch-mode': 'same-origin' })).toBe('Session realm="corral"');
    expect(await challengeFor({ ...page, 'sec-fetch-mode': 'navigate' })).toMatch(/^Basic realm=/);
    expect(await challengeFor({})).toMatch(/^Basic realm=/);
  });

  describe('the end', () => {
    it('comes when the user signs out, and the browser forgets the cookie', async () => {
      await makeUser(service(), 'fay');
      const [browser, other] = [await signIn(service(), 'fay'), await signIn(service(), 'fay')];
      const answer = await browser.del('/auth/session');
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('set-cookie')).toBe('corral_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
      expect(await refusal(browser.get('/auth/whoami'))).toBe('401 AuthorizationError');
      await done(other.get('/auth/whoami'));
      expect(await refusal(service().as('fay').del('/auth/session'))).toBe('409 IllegalStateError');
    });

    it('comes after its lifetime, and after too long without a request', async () => {
      await makeUser(service(), 'gail');
      for (const column of ['expires_at', 'seen_at']) {
        const browser = await signIn(service(), 'gail');
        // One that was used here a moment ago is not idle, whatever its record says.
        if (column === 'expires_at') await done(browser.get('/auth/whoami'));
        const [{ session } = { session: '' }] = await sessionsOf(service().as('gail'));
        await sql(service(), `update sessions set ${column} = ${Date.now() - 7_200_000} where label = '${session}'`);
        await eventually(async () => ((await browser.get('/nodes/free')).status === 401 ? true : undefined));
        expect(await message(browser.get('/nodes/free'))).toContain('sign in again');
        expect((await sessionsOf(service().as('gail'))).map((one) => one.session)).not.toContain(session);
      }
    });

    it('comes at once for all sessions of a user who is deleted, and a new user of the name has none', async () => {
      await makeUser(service(), 'hal');
      const browser = await signIn(service(), 'hal');
      await done(service().admin.del('/auth/basic/user/hal'));
      expect(await refusal(browser.get('/nodes/free'))).toBe('401 AuthorizationError');
      await makeUser(service(), 'hal');
      expect(await refusal(browser.get('/nodes/free'))).toBe('401 AuthorizationError');
      expect(await sessionsOf(service().as('hal'))).toEqual([]);
    });

    it('comes within a second on another replica', async () => {
      await makeUser(service(), 'ida');
      const replica = await replicaOf(service());
      const browser = await signIn(service(), 'ida');
      const elsewhere = bareClient(replica.url, { ...browser.headers, ...ownPage(replica) });
      await done(elsewhere.get('/auth/whoami'));
      await done(browser.del('/auth/session'));
      // What was looked up before counts for a second; the rest is for a busy machine.
      await eventually(async () => ((await elsewhere.get('/auth/whoami')).status === 401 ? true : undefined), 5_000);
    });

    it('of the oldest comes when there are more than fifty', async () => {
      await makeUser(service(), 'jo');
      const [oldest, second] = [await signIn(service(), 'jo'), await signIn(service(), 'jo')];
      const columns = 'user_id, made_at, seen_at, expires_at, address, agent';
      for (let count = 0; count < 48; count += 1) {
        await sql(
          service(),
          `insert into sessions (label, hash, ${columns}) select 'jo ${count}', 'jo ${count}', ${columns} from sessions
            where id = (select max(sessions.id) from sessions join users on users.id = user_id where users.label = 'jo')`,
        );
      }
      expect(await sessionsOf(second)).toHaveLength(50);
      await done(oldest.get('/auth/whoami'));
      await signIn(service(), 'jo');
      expect(await sessionsOf(second)).toHaveLength(50);
      expect(await refusal(oldest.get('/auth/whoami'))).toBe('401 AuthorizationError');
    });
  });

  it('a password that is reset while somebody signs in with the old one lets nobody in', async () => {
    await makeUser(service(), 'rex');
    for (let count = 0; count < 4; count += 1) {
      const old = count === 0 ? 'password of rex' : `password ${count - 1} of rex`;
      // They wait for each other's slow hashes, so that some are checked before the reset and opened after it.
      const attempts = Array.from({ length: 12 }, () => tryToSignIn(service(), 'rex', old));
      const token = service().as('rex', old).put('/auth/token/ci', {});
      await done(service().admin.put('/auth/basic/user/rex/password', { password: `password ${count} of rex` }));
      const cookies = (await Promise.all(attempts)).map(cookieOf).filter((cookie) => cookie !== '');
      for (const cookie of cookies) {
        const browser = bareClient(service().url, { ...ownPage(service()), cookie });
        expect((await browser.get('/auth/whoami')).status).toBe(401);
      }
      await token;
      for (const things of ['sessions', 'tokens']) {
        expect((await done(service().admin.get(`/auth/${things}?user=rex`))).body).toEqual([]);
      }
    }
  });

  it('an open event stream does not keep a session from becoming idle', async () => {
    const alone = await serviceForTest(engine);
    const browser = await signIn(alone, 'admin', adminPassword);
    const response = await fetch(`${alone.url}/v0/events/stream`, { headers: browser.headers });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const before = Date.now() - 300_000;
    await sql(alone, `update sessions set seen_at = ${before}`);
    const seen = async () =>
      Number(((await sql(alone, 'select seen_at from sessions')) as { seen_at: string }[])[0]?.seen_at);
    // What was looked up is remembered for a second; the stream looks anew at every event after that.
    const end = Date.now() + 1_500;
    for (let count = 0; Date.now() < end; count += 1) {
      await done(alone.admin.put(`/project/p${count}`));
      await reader?.read();
    }
    expect(await seen()).toBe(before);
    await done(browser.get('/auth/whoami'));
    await eventually(async () => ((await seen()) > before ? true : undefined));
    await reader?.cancel();
  });

  describe('rights', () => {
    it('are those of the user at every call', async () => {
      await makeProject(service(), 'green');
      await makeUser(service(), 'kim', 'green');
      const browser = await signIn(service(), 'kim');
      await done(browser.get('/project/green/nodes'));
      await done(service().admin.post('/auth/basic/user/kim/remove_project', { project: 'green' }));
      expect(await refusal(browser.get('/project/green/nodes'))).toBe('401 AuthorizationError');
      await done(service().admin.patch('/auth/basic/user/kim', { is_admin: true }));
      await done(browser.get('/projects'));
      await done(service().admin.patch('/auth/basic/user/kim', { is_admin: false }));
      expect(await refusal(browser.get('/projects'))).toBe('401 AuthorizationError');
    });

    it('are nobody’s when the database backend is not in use any more', async () => {
      const first = await serviceForTest(engine);
      const browser = await signIn(first, 'admin', adminPassword);
      const { withExtensionBackends } = await import('../support/identity/extension-backends.ts');
      const later = await first.restart({ ...withExtensionBackends, CORRAL_AUTH: 'people' });
      const client = bareClient(later.url, { ...browser.headers, ...ownPage(later) });
      const answer = await client.get('/nodes/free');
      await later.stop();
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('no longer configured')]);
    });
  });

  describe('the list', () => {
    it('has all sessions of oneself, newest first, and says which one asks', async () => {
      await makeUser(service(), 'lea');
      await makeUser(service(), 'leo');
      const [older, newer] = [await signIn(service(), 'lea'), await signIn(service(), 'lea')];
      await signIn(service(), 'leo');
      const listed = await sessionsOf(older);
      expect(listed.map(({ user, agent, address, current }) => [user, agent, address, current])).toEqual([
        ['lea', 'a browser', '127.0.0.1', false],
        ['lea', 'a browser', '127.0.0.1', true],
      ]);
      expect(new Set(listed.map(({ session }) => session)).size).toBe(2);
      expect((await sessionsOf(newer)).map(({ current }) => current)).toEqual([true, false]);
      expect(JSON.stringify(listed)).not.toContain(older.headers['cookie']?.split('=')[1]);
    });

    it('of somebody else, and ending theirs, is for administrators', async () => {
      await makeUser(service(), 'mia');
      await makeUser(service(), 'moe');
      const [mia, moe] = [await signIn(service(), 'mia'), await signIn(service(), 'moe')];
      expect(await refusal(moe.get('/auth/sessions?user=mia'))).toBe('401 AuthorizationError');
      expect(await refusal(moe.get('/auth/sessions?user=moe'))).toBe('401 AuthorizationError');
      expect(await refusal(service().admin.get('/auth/sessions?user=nobody'))).toBe('404 NotFoundError');
      const [listed] = await sessionsOf(service().admin, '?user=mia');
      const path = `/auth/sessions/${listed?.session ?? ''}`;
      expect(await refusal(moe.del(path))).toBe('401 AuthorizationError');
      await done(mia.get('/auth/whoami'));
      await done(service().admin.del(path));
      expect(await refusal(mia.get('/auth/whoami'))).toBe('401 AuthorizationError');
      expect(await refusal(service().admin.del(path))).toBe('404 NotFoundError');
      await done(moe.get('/auth/whoami'));
    });

    it('keeps of what a browser says it is no more than 200 characters, and no control characters', async () => {
      await makeUser(service(), 'ned');
      const visitor = bareClient(service().url, { ...ownPage(service()), 'user-agent': `a\tb${'x'.repeat(500)}` });
      await done(visitor.post('/auth/session', { username: 'ned', password: 'password of ned' }));
      const [listed] = await sessionsOf(service().as('ned'));
      expect(listed?.agent).toBe(`a b${'x'.repeat(197)}`);
    });

    it('shows a use within a minute or so, and a request does not wait for that', async () => {
      await makeUser(service(), 'oda');
      const browser = await signIn(service(), 'oda');
      const [fresh] = await sessionsOf(browser);
      const before = Date.now() - 120_000;
      await sql(service(), `update sessions set seen_at = ${before} where label = '${fresh?.session ?? ''}'`);
      const seen = await eventually(async () => {
        const [listed] = await sessionsOf(browser);
        return Date.parse(listed?.seen_at ?? '') > before ? Date.parse(listed?.seen_at ?? '') : undefined;
      });
      expect(seen).toBeGreaterThan(before + 100_000);
    });
  });

  it('what is over is swept away when the service starts', async () => {
    const alone = await serviceForTest(engine);
    for (let count = 0; count < 3; count += 1) await signIn(alone, 'admin', adminPassword);
    await makeToken(alone.admin, 'old');
    await makeToken(alone.admin, 'new');
    await sql(alone, 'update sessions set expires_at = 1 where id = (select min(id) from sessions)');
    await sql(alone, 'update sessions set seen_at = 1 where id = (select max(id) from sessions)');
    await sql(alone, `update api_tokens set expires_at = 1 where label = 'old'`);
    await sql(
      alone,
      `insert into identities (backend, subject, name, is_admin, projects, seen_at) values ('b', 's', 'n', 0, '[]', 1)`,
    );
    await replicaOf(alone);
    await eventually(async () => {
      const left = await sql(alone, 'select label from sessions union select label from api_tokens');
      return left.length === 2 ? true : undefined;
    });
    expect(await sql(alone, 'select id from identities')).toEqual([]);
  });

  it('events tell of sessions, without their secrets', async () => {
    await makeUser(service(), 'pam');
    const browser = await signIn(service(), 'pam');
    const [listed] = await sessionsOf(browser);
    await done(browser.del('/auth/session'));
    const { body, text } = await done(service().admin.get('/events?user=pam&after=0'));
    const { events } = body as { events: { type: string; caller: string; detail: object }[] };
    expect(events.slice(1).map(({ type, caller, detail }) => [type, caller, detail])).toEqual([
      ['session_open', 'pam', { session: listed?.session, address: '127.0.0.1' }],
      ['session_end', 'pam', { session: listed?.session }],
    ]);
    expect(text).not.toContain(browser.headers['cookie']?.split('=')[1]);
  });

  it('no secret of a session is in the database or in the log', async () => {
    const alone = await serviceForTest(engine);
    const browser = await signIn(alone, 'admin', adminPassword);
    await done(browser.get('/auth/whoami'));
    const secret = browser.headers['cookie']?.split('=')[1] ?? '';
    expect(secret).toHaveLength(43);
    expect(alone.log.join('')).not.toContain(secret);
    const rows = await sql(alone, 'select * from sessions');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    const files = readdirSync(alone.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    for (const file of files) {
      expect(readFileSync(join(file.parentPath, file.name)).includes(secret), file.name).toBe(false);
    }
  });
});
