import { describe, expect, it, onTestFinished } from 'vitest';
import { makeToken, scriptWith } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import {
  audience,
  inSeconds,
  oidcEnv,
  sharedOidcFixture,
  signed,
  startOidcFixture,
} from '../support/identity/oidc-fixture.ts';
import { raw } from '../support/http/raw-request.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

describe.each(engines)('bearer tokens of an OpenID provider on %s', (engine) => {
  const installation = sharedOidcFixture(engine);

  it('a member of a group acts for the project of that name, and for no other', async () => {
    const { oidc, service, user } = installation();
    await makeProject(service, 'red');
    await makeProject(service, 'blue');
    oidc.user('ada', { groups: ['red', 'not-registered-here'] });
    const ada = await user('ada');
    expect((await ada.get('/project/red/nodes')).status).toBe(200);
    expect(await refusal(ada.get('/project/blue/nodes'))).toBe('401 AuthorizationError');
    expect(await refusal(ada.get('/projects'))).toBe('401 AuthorizationError');
    expect(await refusal(ada.get('/project/not-registered-here/nodes'))).toBe('404 NotFoundError');
  });

  it('a user with the value in the claim is an administrator, and events say who it was', async () => {
    const { oidc, service, user } = installation();
    oidc.user('root', { roles: ['corral-admin'] });
    oidc.user('almost', { roles: ['corral-admins', 'CORRAL-ADMIN'], admin: true });
    await done((await user('root')).put('/project/made-by-root'));
    expect(await refusal((await user('almost')).put('/project/made-by-almost'))).toBe('401 AuthorizationError');
    const { text } = await done(service.admin.get('/events?limit=1'));
    expect(text).toContain('"oidc:root"');
  });

  it('a user of the database of the same name is somebody else', async () => {
    const { oidc, service, user } = installation();
    await makeProject(service, 'same');
    const here = await makeUser(service, 'twin', 'same');
    oidc.user('twin');
    oidc.user('admin');
    expect((await here.get('/project/same/nodes')).status).toBe(200);
    expect((await (await user('twin')).get('/project/same/nodes')).status).toBe(401);
    expect(await message((await user('admin')).get('/projects'))).toMatch(/which oidc:admin does not have/);
  });

  it('both backends are there at once, and each takes its own credentials', async () => {
    const { oidc, service, user, as } = installation();
    oidc.user('both', { roles: 'corral-admin' });
    expect((await service.admin.get('/projects')).status).toBe(200);
    expect((await (await user('both')).get('/projects')).status).toBe(200);
    for (const token of ['corral_abc', 'opaque', 'a.b', 'a.b.c.d.e', 'a b.c.d', '']) {
      expect(await refusal(as(token).get('/nodes/free'))).toBe('401 AuthorizationError');
    }
    const { headers } = await raw(service.url, { method: 'GET', path: '/projects' });
    expect(headers.get('www-authenticate')).toMatch(/^Basic realm=.*, Bearer realm="corral"/);
  });

  it('a token that has expired, by more than the clocks may differ, is refused', async () => {
    const { oidc, as } = installation();
    expect((await as(await signed(oidc, { claims: { exp: inSeconds(-20) } })).get('/projects')).status).toBe(200);
    const late = as(await signed(oidc, { claims: { exp: inSeconds(-40) } }));
    expect(await refusal(late.get('/nodes/free'))).toBe('401 AuthorizationError');
    expect(await message(late.get('/nodes/free'))).toMatch(/expired; get a new one/);
  });

  it('a token of the provider stops counting when it ends, also if it was good a moment ago', async () => {
    const { oidc } = installation();
    const strict = await serviceForTest(engine, { ...oidcEnv(oidc), CORRAL_OIDC_CLOCK_SKEW: '0' });
    oidc.user('brief');
    const token = await oidc.accessToken('brief', { audience, ttlSeconds: 3 });
    const call = () => fetch(`${strict.url}/v0/nodes/free`, { headers: { authorization: `Bearer ${token}` } });
    expect((await call()).status).toBe(200);
    await eventually(async () => ((await call()).status === 401 ? true : undefined));
    expect(Date.now()).toBeGreaterThanOrEqual(
      (JSON.parse(atob(token.split('.')[1] ?? '')) as { exp: number }).exp * 1000,
    );
  });

  it.each([
    ['not valid yet', { nbf: inSeconds(3600) }, /not valid yet/],
    ['for another audience', { aud: 'https://other.example.org' }, /request one with audience/],
    ['for an audience that begins like ours', { aud: `${audience}/more` }, /audience/],
    ['for no audience', { aud: undefined }, /audience/],
    ['for an audience of an odd type', { aud: { [audience]: true } }, /audience/],
    ['from another issuer', { iss: 'https://id.example.org' }, /not from the identity provider/],
    ['from an issuer that differs by a slash', { iss: 'SLASH' }, /not from the identity provider/],
    ['from no issuer', { iss: undefined }, /not from the identity provider/],
    ['without an end', { exp: undefined }, /has no expiry time/],
    ['with an end of an odd type', { exp: '2100-01-01' }, /has no expiry time/],
    ['of nobody', { sub: undefined }, /malformed, or not signed/],
    ['of somebody who is a number', { sub: 7 }, /claim `sub` is missing/],
    ['of somebody with a line break', { sub: 'a\nb' }, /claim `sub` is missing/],
    ['that is an ID token', { nonce: 'n' }, /ID token/],
    ['that says it is an ID token', { typ: 'ID' }, /ID token/],
    ['that is bound to a key', { cnf: { jkt: 'x' } }, /bound to a key/],
  ])('a token %s is refused', async (_what, claims, why) => {
    const { oidc, as } = installation();
    const changed = 'iss' in claims && claims.iss === 'SLASH' ? { iss: `${oidc.issuer}/` } : claims;
    const client = as(await signed(oidc, { claims: changed }));
    expect(await refusal(client.get('/nodes/free'))).toBe('401 AuthorizationError');
    expect(await message(client.get('/nodes/free'))).toMatch(why);
  });

  it('a token for several audiences is good if we are among them', async () => {
    const { oidc, as } = installation();
    const token = await signed(oidc, { claims: { aud: ['https://other.example.org', audience] } });
    expect((await as(token).get('/projects')).status).toBe(200);
  });

  it('claims of odd types give nothing, and break nothing', async () => {
    const { oidc, service, as } = installation();
    await makeProject(service, 'odd');
    const odd = [7, true, null, {}, { odd: true }, [['odd']], [null, 7], { length: 1, 0: 'odd' }, 'ODD', ['odd\0']];
    for (const groups of odd) {
      const client = as(await signed(oidc, { claims: { groups, roles: groups, preferred_username: groups } }));
      expect((await client.get('/nodes/free')).status).toBe(200);
      expect((await client.get('/project/odd/nodes')).status, JSON.stringify(groups)).toBe(401);
      expect((await client.get('/projects')).status).toBe(401);
    }
    for (const groups of ['odd', 'even odd', ['odd'], [7, 'odd']]) {
      const client = as(await signed(oidc, { claims: { groups, roles: undefined } }));
      expect((await client.get('/project/odd/nodes')).status, JSON.stringify(groups)).toBe(200);
    }
  });

  it('a group called admin, or anything that is no label, is no project', async () => {
    const { oidc, as } = installation();
    const groups = ['admin', '', ' ', 'a/b', 'x'.repeat(256), '__proto__', 'constructor'];
    const client = as(await signed(oidc, { claims: { groups, roles: undefined } }));
    expect((await client.get('/nodes/free')).status).toBe(200);
    expect((await client.put('/network/of-admin', { owner: 'admin', access: '', net_id: '' })).status).toBe(401);
    expect((await client.get('/projects')).status).toBe(401);
  });

  it('what is made with one token is worth what that token was, and what the newest of the person is', async () => {
    const { oidc, service, as } = installation();
    const made = async (name: string, secondsAgo: number, roles: string[]) => {
      const token = await signed(oidc, { claims: { sub: 'several', iat: inSeconds(-secondsAgo), roles } });
      return scriptWith(service, await makeToken(as(token), name));
    };
    const boss = await made('boss', 300, ['corral-admin']);
    expect((await boss.get('/projects')).status).toBe(200);
    const narrow = await made('narrow', 200, []);
    const late = await made('late', 250, ['corral-admin']);
    for (const script of [boss, narrow, late]) expect((await script.get('/projects')).status).toBe(401);
    await made('again', 100, ['corral-admin']);
    expect((await boss.get('/projects')).status).toBe(200);
    expect((await narrow.get('/projects')).status).toBe(401);
  });

  it('a token that the provider made too long ago makes no API tokens, also if it is still good', async () => {
    const { oidc, as } = installation();
    const old = as(await signed(oidc, { claims: { sub: 'lasting', iat: inSeconds(-86_400) } }));
    expect((await old.get('/projects')).status).toBe(200);
    expect(await message(old.put('/auth/token/ci', {}))).toMatch(/^oidc has not confirmed oidc:lasting recently/);
    await makeToken(as(await signed(oidc, { claims: { sub: 'lasting', iat: undefined } })), 'ci');
  });

  it('nothing of a token is in the log, good or bad', async () => {
    const { oidc, service, as } = installation();
    const good = await signed(oidc, { claims: { secret_claim: 'canary' } });
    const bad = await signed(oidc, { claims: { secret_claim: 'canary', aud: 'other' } });
    await as(good).put('/project/logged');
    await as(bad).put('/project/logged');
    const log = service.log.join('');
    expect(log).toContain('"route":"/v0/project/:project"');
    for (const token of [good, bad]) {
      for (const part of token.split('.').slice(1)) expect(log).not.toContain(part);
    }
    expect(log).not.toContain('canary');
  });

  it('which claims count is for the operator to say', async () => {
    const mapped = await startOidcFixture(engine, {
      CORRAL_OIDC_NAME_CLAIM: 'email',
      CORRAL_OIDC_PROJECTS_CLAIM: 'resource.corral.groups',
      CORRAL_OIDC_PROJECTS_PREFIX: 'corral/',
      CORRAL_OIDC_ADMIN_CLAIM: 'https://example.org/role',
      CORRAL_OIDC_ADMIN_VALUE: 'operator',
    });
    onTestFinished(() => mapped.close());
    const { oidc, service, as } = mapped;
    await makeProject(service, 'red');
    await makeProject(service, 'corral');
    const groups = ['corral/red', 'red', 'corral', 'other/corral'];
    const claims = { email: 'ada@example.org', resource: { corral: { groups } }, groups: ['corral'] };
    const ada = as(await signed(oidc, { claims }));
    expect((await ada.get('/project/red/nodes')).status).toBe(200);
    expect((await ada.get('/project/corral/nodes')).status).toBe(401);
    expect(await message(ada.get('/projects'))).toMatch(/oidc:ada@example\.org/);
    const root = as(await signed(oidc, { claims: { 'https://example.org/role': 'operator' } }));
    expect((await root.get('/projects')).status).toBe(200);
  });

  it.each(['CORRAL_OIDC_CLIENT_ID', 'CORRAL_OIDC_DEVICE_CLIENT_ID'])(
    'where the audience is the client itself (%s), ID tokens are what the operator wants',
    async (name) => {
      const lenient = await startOidcFixture(engine, { CORRAL_OIDC_AUDIENCE: 'console', [name]: 'console' });
      onTestFinished(() => lenient.close());
      const { oidc, as } = lenient;
      const claims = { aud: 'console', nonce: 'n', at_hash: 'h' };
      const token = await signed(oidc, { claims, header: { typ: 'JWT' } });
      expect((await as(token).get('/projects')).status).toBe(200);
    },
  );

  it('whoami tells until when a token is good', async () => {
    const { oidc, as } = installation();
    const exp = inSeconds(1234);
    const { body } = await as(await signed(oidc, { claims: { exp } })).get('/auth/whoami');
    expect(body).toMatchObject({ by: 'credentials', expires_at: new Date(exp * 1000).toISOString() });
  });
});
