import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import type { Call } from '../support/authorization/authorization-case.ts';
import { authorizationCases } from '../support/authorization/authorization-cases.ts';
import {
  callOf,
  casesOf,
  expectRefused,
  make,
  routes,
  tryMatrix,
} from '../support/authorization/authorization-matrix.ts';
import type { CallerName } from '../support/authorization/authorization-callers.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { engines } from '../support/services/engines.ts';
import type { Answer } from '../support/http/http-client.ts';
import { serviceForTest } from '../support/services/service.ts';

it('every call has an authorization case, and every case a call', () => {
  expect(Object.keys(authorizationCases).sort()).toEqual([...new Set(routes.map(({ name }) => name))].sort());
});

/** What a browser has to know before anybody has signed in. */
const forSigningIn = ['show_auth_methods', 'show_session'];
/** Who has the token in the body may make them, and nobody else: cleaning-steps.test.ts. */
const byTokenInBody = ['cleaning_result'];

describe.each(engines)('authorization on %s', (engine) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await makeRig(engine);
  });
  afterAll(() => rig.close());

  const as = (caller: CallerName, route: Route, call: Call, rawBody?: string): Promise<Answer> =>
    make(rig.callers[caller], rig.service.url, route, call, rawBody);

  tryMatrix(() => rig);

  const needsCredentials = routes.filter(
    ({ access, name }) => access !== 'anyone' && ![...forSigningIn, ...byTokenInBody].includes(name),
  );
  it.each(needsCredentials.map((route) => [callOf(route), route] as const))(
    '%s without credentials is a 401 before anything is looked up or validated',
    async (_, route) => {
      expectRefused(await as('anonymous', route, {}), 'anonymous');
      expectRefused(await as('anonymous', route, { query: '?nonsense=1&nonsense=2' }), 'anonymous');
      expectRefused(await as('anonymous', route, {}, '{"not": json'), 'anonymous');
      expectRefused(await as('anonymous', route, { body: { nonsense: true } }), 'anonymous');
    },
  );

  // Its own password and mail anybody may change: user-password.test.ts, mail-subscriptions.test.ts.
  const ownToo = ['user_set_password', 'show_user_mail', 'user_set_mail', 'subscription_create_mail'];
  const ofAdmin = routes.filter(
    (route) => !ownToo.includes(route.name) && casesOf(route).every(({ letIn }) => letIn.join() === 'admin'),
  );
  it.each(ofAdmin.map((route) => [callOf(route), route] as const))(
    '%s is refused to non-administrators before 404 and 400',
    async (_, route) => {
      for (const caller of ['outsider', 'member'] as const) {
        expectRefused(await as(caller, route, {}), caller);
        expectRefused(await as(caller, route, { query: '?nonsense=1' }), caller);
        expectRefused(await as(caller, route, {}, '[]'), caller);
        expectRefused(await as(caller, route, { body: { nonsense: true } }), caller);
      }
    },
  );

  const toldFromTheRequest = [
    'network_create',
    'headnode_create',
    'subscription_create',
    'token_create',
    'subscription_create_mail',
    'show_user_mail',
    'user_set_mail',
    'user_set_password',
    ...byTokenInBody,
  ];
  const ofProject = routes.filter(
    ({ name, path, access }) =>
      access !== 'admin' && path.includes(':') && !toldFromTheRequest.includes(name) && name !== 'list_nodes',
  );
  it.each(ofProject.map((route) => [callOf(route), route] as const))(
    '%s of something that is missing is a 404 to any user',
    async (_, route) => {
      const { body } = (await casesOf(route)[0]?.given(rig)) ?? {};
      for (const caller of ['outsider', 'member', 'admin'] as const) {
        expect(await as(caller, route, { body }), caller).toMatchObject({
          status: 404,
          body: { type: 'NotFoundError' },
        });
      }
    },
  );

  it('the permission to create a network or a headnode depends on the request alone: 401 before 404, 409 and 400', async () => {
    const { outsider, member, admin } = rig.callers;
    const network = await rig.network('red', 'red');
    for (const path of [`/network/${network}`, '/network/none']) {
      for (const project of ['red', 'none']) {
        const body = { owner: project, access: project, net_id: '' };
        expect((await outsider.put(path, body)).status).toBe(401);
      }
      expect((await member.put(path, { owner: 'red', access: 'red', net_id: 'bad' })).status).toBe(401);
    }
    expect((await admin.put('/network/none', { owner: 'none', access: 'none', net_id: '' })).status).toBe(404);
    const headnode = await rig.headnode();
    for (const path of [`/headnode/${headnode}`, '/headnode/none']) {
      for (const project of ['red', 'none']) {
        for (const base_img of ['base', 'none']) {
          expect((await outsider.put(path, { project, base_img })).status).toBe(401);
        }
      }
    }
    expect((await admin.put('/headnode/none', { project: 'none', base_img: 'base' })).status).toBe(404);
  });

  it('without credentials a private network and a missing one answer alike', async () => {
    const { anonymous, outsider } = rig.callers;
    const network = await rig.network('red', 'red');
    const [hidden, missing] = [await anonymous.get(`/network/${network}`), await anonymous.get('/network/none')];
    expect([hidden.status, hidden.text]).toEqual([401, missing.text]);
    expect(missing.status).toBe(401);
    expect((await outsider.get(`/network/${network}`)).status).toBe(401);
    expect((await outsider.get('/network/none')).status).toBe(404);
  });

  it('without credentials a missing node is a 404, because node labels are public', async () => {
    const node = await rig.node();
    expect((await rig.callers.anonymous.get(`/node/${node}`)).status).toBe(401);
    expect((await rig.callers.anonymous.get('/node/none')).status).toBe(404);
  });

  it('nobody acts for a project that only the body names, unless it is theirs', async () => {
    const { member, other } = rig.callers;
    const node = await rig.node();
    expect((await other.post('/project/blue/connect_node', { node })).status).toBe(409);
    expect((await other.post('/project/blue/detach_node', { node })).status).toBe(409);
    const headnode = { project: 'blue', base_img: 'base' };
    expect((await member.put(`/headnode/${rig.fresh('headnode')}`, headnode)).status).toBe(401);
    const network = await rig.network('blue', 'blue');
    const connect = await member.post(`/node/${node}/nic/eth0/connect_network`, { network });
    expect(connect).toMatchObject({ status: 409, body: { type: 'ProjectMismatchError' } });
  });

  it.each([
    ['an unknown user', 'Basic bm9ib2R5OnB3'],
    ['another scheme', 'Bearer abc'],
    ['no colon', 'Basic YWJj'],
    ['no base64', 'Basic §§§'],
    ['nothing after the scheme', 'Basic'],
    ['an empty header', ''],
  ])('credentials that are %s are refused on calls open to everybody', async (_, authorization) => {
    for (const path of ['/nodes/all', '/networks', '/node/none', '/network/none']) {
      const answer = await rig.service.anonymous.send('GET', path, { headers: { authorization } });
      expect(answer.status, path).toBe(401);
    }
  });

  it('a lost membership, a lost admin flag and a deleted user count at the next call', async () => {
    const { admin } = rig.callers;
    const label = await rig.user('red');
    const user = rig.service.as(label);
    expect((await user.get('/project/red/nodes')).status).toBe(200);
    await admin.post(`/auth/basic/user/${label}/remove_project`, { project: 'red' });
    expect((await user.get('/project/red/nodes')).status).toBe(401);
    await admin.patch(`/auth/basic/user/${label}`, { is_admin: true });
    expect((await user.get('/projects')).status).toBe(200);
    await admin.patch(`/auth/basic/user/${label}`, { is_admin: false });
    expect((await user.get('/projects')).status).toBe(401);
    await admin.del(`/auth/basic/user/${label}`);
    expect((await user.get('/nodes/all')).status).toBe(401);
  });

  it('an installation that requires authentication refuses anonymous callers on every call but how to sign in', async () => {
    const closed = await serviceForTest(engine, { CORRAL_REQUIRE_AUTHENTICATION: 'true' });
    for (const route of routes.filter(({ name }) => ![...forSigningIn, ...byTokenInBody].includes(name))) {
      const call = { params: { is_free: 'all' } };
      expectRefused(await make(closed.anonymous, closed.url, route, call), callOf(route));
    }
  });
});
