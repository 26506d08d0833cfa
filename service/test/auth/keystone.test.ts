import { hasPart, type KeystoneScope, type KeystoneUser } from '@corral/lab';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { basic, type Client, clientWith } from '../support/http/http-client.ts';
import { keystoneEnv, sharedKeystone, validations, withToken } from '../support/identity/shared-keystone.ts';
import { serviceForTest, type Service } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

const keystone = sharedKeystone();
/** Two projects, of which only red is registered here, and a member of red. */
let red = '';
let blue = '';
let alice: KeystoneUser;

/** A user with one role somewhere. */
const userWith = async (name: string, role: string, on: Exclude<KeystoneScope, 'none'>): Promise<KeystoneUser> => {
  const user = await keystone().api.user(name);
  await keystone().api.assign(user, role, on);
  return user;
};
const tokenOf = (user: KeystoneUser, scope: KeystoneScope) => keystone().api.token(user, scope);

describe.runIf(hasPart('Keystone')).each(engines)('tokens of a real Keystone on %s', (engine) => {
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
    const service = await serviceForTest(engine, { ...keystoneEnv(keystone()), ...env });
    await makeProject(service, red);
    return service;
  };

  beforeAll(async () => {
    if (red !== '') return;
    red = await keystone().api.project('red');
    blue = await keystone().api.project('blue');
    alice = await userWith('alice', 'member', { project: red });
  });

  const isLetIn = async (client: Client): Promise<boolean> => {
    const { status, text } = await client.get(`/project/${red}/nodes`);
    expect([200, 401], text).toContain(status);
    return status === 200;
  };

  it('let a member act for the project of the token, under the name that Keystone knows, and for no other', async () => {
    const service = await start();
    await makeProject(service, blue);
    const client = withToken(service, await tokenOf(alice, { project: red }));
    await done(client.put('/network/ours', { owner: red, access: red, net_id: '' }));
    const { body } = await done(service.admin.get('/events?limit=1'));
    expect(body).toMatchObject({ events: [{ type: 'network_create', caller: 'keystone:alice@Default' }] });
    expect(await refusal(client.get(`/project/${blue}/nodes`))).toBe('401 AuthorizationError');
    expect(await refusal(client.get('/projects'))).toBe('401 AuthorizationError');
  });

  it('give administrative access to the role admin, in a project or of the system, but not of a domain', async () => {
    const service = await start();
    const root = await userWith(`root-${engine}`, 'admin', { project: blue });
    await keystone().api.assign(root, 'admin', 'system');
    await keystone().api.assign(root, 'admin', 'domain');
    for (const scope of [{ project: blue }, 'system'] as const) {
      expect((await withToken(service, await tokenOf(root, scope)).get('/projects')).body).toEqual([red]);
    }
    const ofDomain = withToken(service, await tokenOf(root, 'domain'));
    expect(await refusal(ofDomain.get('/nodes/all'))).toBe('401 AuthorizationError');
  });

  it('give it to another role where the operator says so, and then not to admin', async () => {
    const service = await start({ CORRAL_KEYSTONE_ADMIN_ROLE: `operator ${engine}` });
    const operator = await userWith(`operator-${engine}`, `operator ${engine}`, { project: red });
    const admin = await userWith(`admin-${engine}`, 'admin', { project: red });
    expect((await withToken(service, await tokenOf(operator, { project: red })).get('/projects')).status).toBe(200);
    expect((await withToken(service, await tokenOf(admin, { project: red })).get('/projects')).status).toBe(401);
  });

  it('are refused while their project is not registered here, and only then', async () => {
    const service = await start();
    const user = await userWith(`bob-${engine}`, 'member', { project: blue });
    const bob = withToken(service, await tokenOf(user, { project: blue }));
    for (const path of ['/nodes/all', `/project/${red}/nodes`, `/project/${blue}/nodes`]) {
      expect(await message(bob.get(path))).toBe(
        `the Keystone project ${blue} is not registered here; an administrator can register it with PUT /project/${blue}`,
      );
    }
    await makeProject(service, blue);
    expect((await bob.get(`/project/${blue}/nodes`)).body).toEqual([]);
    await done(service.admin.del(`/project/${blue}`));
    expect(await refusal(bob.get('/nodes/all'))).toBe('401 AuthorizationError');
  });

  it('that are for no project are refused', async () => {
    const client = withToken(await start(), await tokenOf(alice, 'none'));
    expect(await message(client.get('/nodes/all'))).toMatch(/is not scoped to a project; request one/);
  });

  it('that are limited to calls of another service are refused', async () => {
    const api = keystone().api;
    const client = withToken(await start(), await api.credentialToken(alice, red, { onlyForService: 'compute' }));
    expect(await refusal(client.get('/nodes/all'))).toBe('401 AuthorizationError');
  });

  it('end when they expire, remembered or not, whatever the time zone here', async () => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    const service = await start();
    const expiry = Date.now() + 5000;
    const client = withToken(service, await keystone().api.credentialToken(alice, red, { seconds: 5 }));
    expect(await isLetIn(client)).toBe(true);
    await eventually(() => (Date.now() > expiry + 200 ? true : undefined));
    expect(await refusal(client.get('/nodes/all'))).toBe('401 AuthorizationError');
    expect(await validations(service)).toBe(2);
  });

  it.each([
    ['revoked', (token: string) => keystone().api.revoke(token)],
    ['of a user who was disabled', async (_: string, user: KeystoneUser) => keystone().api.setEnabled(user, false)],
  ])('that are %s end within the time that they are remembered for', async (what, end) => {
    const service = await start({ CORRAL_KEYSTONE_CACHE: '1' });
    const user = await userWith(`${what.slice(0, 7)}-${engine}`, 'member', { project: red });
    const token = await tokenOf(user, { project: red });
    const client = withToken(service, token);
    expect(await isLetIn(client)).toBe(true);
    const rememberedUntil = Date.now() + 1000;
    await end(token, user);
    await eventually(() => (Date.now() > rememberedUntil ? true : undefined));
    expect(await isLetIn(client)).toBe(false);
  });

  it('are asked about once while they are remembered, and every time where nothing is', async () => {
    const token = await tokenOf(alice, { project: red });
    for (const [cache, questions] of [
      ['60', 1],
      ['0', 5],
    ] as const) {
      const service = await start({ CORRAL_KEYSTONE_CACHE: cache });
      for (let call = 0; call < 5; call += 1) expect(await isLetIn(withToken(service, token))).toBe(true);
      expect(await validations(service, 'good')).toBe(questions);
    }
  });

  it('that are garbage are refused on every call, in one sentence, and those that cannot be tokens are not asked about', async () => {
    const service = await start();
    const good = await tokenOf(alice, { project: red });
    const revoked = await tokenOf(alice, { project: red });
    await keystone().api.revoke(revoked);
    const asked = ['abc', `${good}x`, good.slice(0, -4), '..', good.toUpperCase(), revoked];
    const illegal = ['', 'two words', `${good}, ${good}`, '"quoted"', 'ü', '{}', '<b>', 'a'.repeat(4097)];
    const sentence = 'the Keystone token is invalid or expired; request a new one from Keystone';
    for (const token of [...asked, ...illegal]) {
      const client = withToken(service, Buffer.from(token).toString('latin1'));
      for (const path of ['/nodes/all', '/networks', '/node/none', '/projects']) {
        expect(await client.get(path)).toMatchObject({ status: 401, body: { msg: sentence } });
      }
    }
    expect(await validations(service)).toBe(asked.length);
  });

  it('make API tokens of ours for the person, unless they were only lent to somebody', async () => {
    const service = await start();
    const own = withToken(service, await tokenOf(alice, { project: red }));
    const { body } = await done(own.put('/auth/token/ci', {}));
    const script = clientWith(service.url, { authorization: `Bearer ${(body as { token: string }).token}` });
    expect(await isLetIn(script)).toBe(true);
    const lent = withToken(service, await keystone().api.credentialToken(alice, red, {}));
    expect(await isLetIn(lent)).toBe(true);
    expect(await refusal(lent.put('/auth/token/more', {}))).toBe('401 AuthorizationError');
  });

  it('go beside passwords: each kind of credentials has its own judge, and nobody brings both', async () => {
    const service = await start();
    const local = await makeUser(service, 'alice', red);
    const token = await tokenOf(alice, { project: red });
    expect(await isLetIn(local)).toBe(true);
    expect(await isLetIn(withToken(service, token))).toBe(true);
    const both = clientWith(service.url, { authorization: basic('alice', 'wrong'), 'x-auth-token': token });
    expect(await refusal(both.get('/nodes/all'))).toBe('401 AuthorizationError');
    const { headers } = await service.anonymous.get('/projects');
    expect(headers.get('www-authenticate')).toBe(
      `Basic realm="corral", charset="UTF-8", Keystone uri="${keystone().url}"`,
    );
  });

  it('may be all that there is: then passwords are refused, and there are no users here', async () => {
    const service = await serviceForTest(engine, { ...keystoneEnv(keystone()), CORRAL_AUTH: 'keystone' });
    const root = await userWith(`only-${engine}`, 'admin', 'system');
    const client = withToken(service, await tokenOf(root, 'system'));
    await done(client.put('/project/p'));
    expect((await client.get('/active_extensions')).body).toContain('corral.ext.auth.keystone');
    expect(await refusal(client.get('/auth/basic/users'))).toBe('404 NotFoundError');
    expect(await refusal(service.admin.get('/nodes/all'))).toBe('401 AuthorizationError');
  });

  it('leave no trace in the log, in events and in metrics', async () => {
    const service = await start();
    const [token, revoked] = [await tokenOf(alice, { project: red }), await tokenOf(alice, { project: red })];
    await keystone().api.revoke(revoked);
    const client = withToken(service, token);
    await done(client.put('/network/quiet', { owner: red, access: red, net_id: '' }));
    await client.get('/node/none');
    await withToken(service, revoked).get('/nodes/all');
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const { text } = await service.admin.get('/events?limit=100');
    for (const seen of [...service.log, metrics, text]) {
      for (const secret of [token, revoked, keystone().service.password]) expect(seen).not.toContain(secret);
    }
    expect(metrics).toMatch(/^corral_keystone_remembered_total 1$/m);
  });
});
