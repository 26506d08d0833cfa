import { describe, expect, it } from 'vitest';
import { routeGroups } from '../../src/server/routes/all-routes.ts';
import { engines } from '../support/services/engines.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { adminPassword, passwordOf, serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, eventually, makeNode, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

const routes = routeGroups.flatMap((group) => group.routes);
/** Lists that everybody may ask for. */
const openLists = ['list_networks', 'list_nodes', 'networks_overview', 'nodes_overview'];
const openCalls = [...openLists, 'node_overview', 'show_network', 'show_node'].sort();

/** Makes the call of a route, with an argument that nothing has been made for. */
const callOf = (client: Client, { method, path }: { method: string; path: string }) =>
  client.send(method, path.replace(':is_free', 'free').replaceAll(/:\w+/g, 'nothing'));

describe.each(engines)('authentication on %s', (engine) => {
  const service = sharedService(engine);

  it('HTTP Basic identifies a user', async () => {
    const { url } = service();
    const encoded = Buffer.from(`admin:${adminPassword}`).toString('base64');
    for (const scheme of ['Basic', 'basic', 'BASIC', 'Basic  ']) {
      expect((await clientOf(url, `${scheme} ${encoded}`).get('/projects')).status).toBe(200);
    }
  });

  it('callers without credentials may make exactly the calls that need no access', async () => {
    expect(
      routes
        .filter(({ access }) => access === 'anyone')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(openCalls);
    for (const route of routes) {
      const { status } = await callOf(service().anonymous, route);
      if ([...openLists, 'show_auth_methods', 'show_session'].includes(route.name)) expect(status).toBe(200);
      else if (['show_node', 'node_overview'].includes(route.name)) expect(status).toBe(404);
      // It goes by a token in its body, which is missing here.
      else if (route.name === 'cleaning_result') expect(status).toBe(400);
      else expect(status, route.name).toBe(401);
    }
  });

  it('callers without credentials see free nodes and public networks, and nothing else', async () => {
    const { admin, anonymous } = service();
    await makeProject(service(), 'seen');
    await done(admin.put('/network/seen-public', { owner: 'admin', access: '', net_id: '' }));
    await done(admin.put('/network/seen-private', { owner: 'seen', access: 'seen', net_id: '' }));
    await makeNode(service(), 'seen-free');
    await makeNode(service(), 'seen-taken');
    await reserve(service(), 'seen', 'seen-taken');
    expect((await anonymous.get('/network/seen-public')).status).toBe(200);
    expect((await anonymous.get('/node/seen-free')).status).toBe(200);
    expect(Object.keys((await anonymous.get('/networks')).body as object)).toEqual(['seen-public']);
    expect(await refusal(anonymous.get('/node/seen-taken'))).toBe('401 AuthorizationError');
    const hidden = await anonymous.get('/network/seen-private');
    const missing = await anonymous.get('/network/seen-nothing');
    expect([hidden.status, hidden.body]).toEqual([401, missing.body]);
  });

  it('callers without credentials learn nothing: 401 comes before anything is looked up or validated', async () => {
    const { anonymous } = service();
    await makeProject(service(), 'known');
    const calls = ['known', 'unknown'].flatMap((project) => [
      anonymous.get(`/project/${project}/nodes`),
      anonymous.put(`/project/${project}`, { wrong: 1 }),
      anonymous.post(`/project/${project}/connect_node`, { wrong: 1 }),
      anonymous.send('POST', `/project/${project}/connect_node`, { body: 'not JSON' }),
      anonymous.get(`/project/${project}/nodes?wrong=1`),
      anonymous.put('/project/a%2Fb'),
      anonymous.put(`/project/${'x'.repeat(4000)}`),
      anonymous.send('PUT', `/project/${project}`, { body: 'x'.repeat(1024 * 1024 + 1) }),
    ]);
    const texts = new Set((await Promise.all(calls)).map(({ status, text }) => `${status} ${text}`));
    expect([...texts]).toEqual([expect.stringContaining('401 {"type":"AuthorizationError"')]);
  });

  it.each([
    ['an unknown user', basic('nobody', 'password')],
    ['a wrong password', basic('admin', 'password')],
    ['no password', basic('admin', '')],
    ['no user', basic('', adminPassword)],
    ['a password that is right but for its case', basic('admin', adminPassword.toUpperCase())],
    ['a user that is right but for its case', basic('Admin', adminPassword)],
    ['a NUL in the name', basic('admin\u0000', adminPassword)],
    ['no colon', `Basic ${Buffer.from('admin').toString('base64')}`],
    ['nothing after the scheme', 'Basic'],
    ['what is no base64', 'Basic ***'],
    ['another scheme', 'Bearer token'],
    ['nonsense', 'nonsense'],
  ])('wrong credentials are a 401 on every call, also where none are needed: %s', async (_what, authorization) => {
    const client = clientOf(service().url, authorization);
    for (const path of ['/nodes/free', '/network/missing']) {
      expect(await refusal(client.get(path))).toBe('401 AuthorizationError');
    }
  });

  it('wrong credentials are a 401 on every call there is', async () => {
    const client = clientOf(service().url, 'Basic ***');
    for (const route of routes.filter(({ access }) => access !== 'sign-in')) {
      const { status, body } = await callOf(client, route);
      expect([status, body]).toEqual([401, { type: 'AuthorizationError', msg: 'wrong user name or password' }]);
    }
  });

  it('every 401 says what to send', async () => {
    const user = await makeUser(service(), 'challenged');
    const answers = [
      await service().anonymous.get('/projects'),
      await user.get('/projects'),
      await service().as('admin', 'wrong').get('/nodes/free'),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Basic realm=/),
      ]);
    }
    expect((await service().admin.get('/node/missing')).headers.get('www-authenticate')).toBeNull();
  });

  it('administrative access is sufficient for any action', async () => {
    const { admin } = service();
    await makeProject(service(), 'foreign');
    await makeNode(service(), 'foreign');
    await done(admin.post('/project/foreign/connect_node', { node: 'foreign' }));
    await done(admin.get('/node/foreign'));
    await done(admin.get('/project/foreign/nodes'));
  });

  it('require_authentication closes the calls that need no access', async () => {
    const closed = await serviceForTest(engine, { CORRAL_REQUIRE_AUTHENTICATION: 'true' });
    const user = await makeUser(closed, 'insider');
    for (const path of ['/nodes/free', '/networks', '/node/missing', '/network/missing']) {
      expect(await refusal(closed.anonymous.get(path))).toBe('401 AuthorizationError');
    }
    expect((await user.get('/nodes/free')).status).toBe(200);
    expect((await user.get('/networks')).status).toBe(200);
  });

  describe('a verification that is remembered', () => {
    it('is forgotten at once when the user is deleted', async () => {
      const user = await makeUser(service(), 'deleted');
      expect((await user.get('/nodes/free')).status).toBe(200);
      await done(service().admin.del('/auth/basic/user/deleted'));
      expect(await refusal(user.get('/nodes/free'))).toBe('401 AuthorizationError');
    });

    it('does not outlive the user in a check that is under way', async () => {
      for (let count = 0; count < 5; count += 1) {
        const user = await makeUser(service(), 'doomed');
        const early = user.get('/nodes/free');
        await done(service().admin.del('/auth/basic/user/doomed'));
        expect((await user.get('/nodes/free')).status).toBe(401);
        await early;
      }
    });

    it('does not pass to a new user of the same name', async () => {
      const old = await makeUser(service(), 'again');
      await done(old.get('/nodes/free'));
      await done(service().admin.del('/auth/basic/user/again'));
      await done(service().admin.put('/auth/basic/user/again', { password: 'another' }));
      expect((await old.get('/nodes/free')).status).toBe(401);
      expect((await service().as('again', 'another').get('/nodes/free')).status).toBe(200);
    });

    it('is forgotten within seconds on another replica', async () => {
      await makeProject(service(), 'shared');
      await makeUser(service(), 'roamer', 'shared');
      const replica = await replicaOf(service());
      const user = replica.as('roamer');
      const statusOf = async (path: string, status: number) => {
        await eventually(async () => ((await user.get(path)).status === status ? true : undefined), 5_000);
      };
      await statusOf('/project/shared/nodes', 200);
      await done(service().admin.patch('/auth/basic/user/roamer', { is_admin: true }));
      await statusOf('/projects', 200);
      await done(service().admin.patch('/auth/basic/user/roamer', { is_admin: false }));
      await statusOf('/projects', 401);
      await done(service().admin.post('/auth/basic/user/roamer/remove_project', { project: 'shared' }));
      await statusOf('/project/shared/nodes', 401);
      await done(service().admin.del('/auth/basic/user/roamer'));
      await statusOf('/nodes/free', 401);
      await done(service().admin.put('/auth/basic/user/roamer', { password: 'another' }));
      await eventually(async () => {
        const { status } = await replica.as('roamer', 'another').get('/nodes/free');
        return status === 200 ? true : undefined;
      }, 5_000);
      expect((await user.get('/nodes/free')).status).toBe(401);
    });
  });

  it('no password is in the log', async () => {
    await makeUser(service(), 'logged');
    await service().as('logged').get('/nodes/free');
    await service().as('logged', 'a wrong password').get('/nodes/free');
    const log = service().log.join('');
    for (const secret of [adminPassword, passwordOf('logged'), 'a wrong password']) {
      expect(log).not.toContain(secret);
      expect(log).not.toContain(Buffer.from(`logged:${secret}`).toString('base64'));
    }
  });

  it('a caller with credentials but without permission gets the name of the permission', async () => {
    const user = await makeUser(service(), 'asker');
    expect(await message(user.get('/projects'))).toMatch(/administrative access/);
    await done(service().admin.put('/node/asked', { obmd }));
    expect(await message(user.put('/node/asked/obm', { enabled: true }))).toMatch(/administrative access/);
  });
});
