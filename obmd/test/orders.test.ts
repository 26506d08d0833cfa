import { describe, expect, it } from 'vitest';
import { adminToken, basic, daemonForTest, done, message, refusal, sharedDaemon } from './support/daemon.ts';
import { engines } from './support/obmd-engines.ts';
import { makeNode, newTenant, Tenant } from './support/token-holder.ts';

const orders = [
  ['GET', 'power_status', undefined],
  ['POST', 'power_on', undefined],
  ['POST', 'power_off', undefined],
  ['POST', 'power_cycle', { force: true }],
  ['PUT', 'boot_device', { bootdev: 'disk' }],
  ['GET', 'console', undefined],
] as const;

describe('the holder of the token of a node', () => {
  const shared = sharedDaemon('sqlite');

  it('turns it on and off, and sees which it is', async () => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    expect((await done(tenant.status())).body).toEqual({ power_status: 'off' });
    for (const power of ['on', 'on', 'off', 'off'] as const) {
      expect((await done(tenant.order(`power_${power}`))).text).toBe('');
      expect(machine.power).toBe(power);
      expect((await done(tenant.status())).body).toEqual({ power_status: power });
    }
  });

  it('chooses what it boots from', async () => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    for (const device of ['disk', 'pxe', 'none'] as const) {
      expect((await done(tenant.bootFrom(device))).text).toBe('');
      expect(machine.bootDevice).toBe(device);
    }
  });

  it.each(['floppy', '', 'x'.repeat(65), 5, null])('cannot make it boot from %j', async (device) => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    const answer = tenant.bootFrom(device);
    expect((await answer).status).toBe(400);
    expect(await message(answer)).toContain('bootdev');
    if (device === 'floppy') expect(await message(answer)).toContain('pxe, disk, none');
    expect(machine.bootDevice).toBe('none');
  });

  it('gets what is wrong with the BMC, and the node is shown to fail until it works again', async () => {
    const daemon = shared();
    const { tenant } = await makeNode(daemon, 'n1', 'fail=power_on&fault=credentials');
    expect(await refusal(tenant.order('power_on'))).toBe('502 BmcError');
    expect(await message(tenant.order('power_on'))).toMatch(/^node n1: the mock BMC refuses its user/);
    expect((await daemon.admin('GET', '/node/n1')).body).toMatchObject({
      fault: expect.stringContaining('refuses') as string,
    });
    expect(daemon.log.join('')).toContain('"call":"power_on"');
    await done(tenant.status());
    expect((await daemon.admin('GET', '/node/n1')).body).toMatchObject({ fault: null });
  });

  it('gets an error when the BMC cannot do it at all', async () => {
    const daemon = shared();
    const { tenant } = await makeNode(daemon, 'n1', 'fail=boot_device,console&fault=unsupported');
    expect(await refusal(tenant.bootFrom('pxe'))).toBe('501 UnsupportedError');
    expect(await refusal(daemon.send('GET', tenant.path('console')))).toBe('501 UnsupportedError');
  });
});

describe.each(engines)('a token on %s', (engine) => {
  it('is good for nothing but its own node, while it is the newest', async () => {
    const daemon = await daemonForTest(engine);
    const { tenant: first, machine } = await makeNode(daemon, 'n1');
    const { tenant: other } = await makeNode(daemon, 'n2');
    const second = await newTenant(daemon, 'n1');
    const bad = [
      first.token,
      other.token,
      '',
      second.token.slice(1),
      `${second.token}0`,
      second.token.toUpperCase(),
      adminToken,
      'ß',
    ].filter((token) => token !== second.token);
    for (const token of bad) {
      for (const [method, call, body] of orders) {
        const answer = daemon.send(method, `/node/n1/${call}?token=${encodeURIComponent(token)}`, { body });
        expect(await refusal(answer), `${call} ${token}`).toBe('401 AuthorizationError');
      }
    }
    expect([machine.power, machine.boots, machine.bootDevice, machine.isWatched]).toEqual(['off', 0, 'none', false]);
    await done(second.order('power_on'));
    await done(daemon.admin('DELETE', '/node/n1/token'));
    expect(await refusal(second.order('power_off'))).toBe('401 AuthorizationError');
    await done(daemon.admin('DELETE', '/node/n1/token'));
    expect(machine.power).toBe('on');
    await done(other.status());
  });

  it('is needed for every order, and the admin token is none', async () => {
    const daemon = await daemonForTest(engine);
    const { machine } = await makeNode(daemon, 'n1');
    for (const [method, call, body] of orders) {
      const headers = { authorization: basic('admin', adminToken) };
      expect(await refusal(daemon.send(method, `/node/n1/${call}`, { body, headers }))).toBe('401 AuthorizationError');
    }
    expect(machine.boots).toBe(0);
  });

  it('of nothing opens nothing: unknown nodes are reported as such', async () => {
    const daemon = await daemonForTest(engine);
    const { tenant } = await makeNode(daemon, 'n1');
    const lost = new Tenant(daemon, 'n2', tenant.token);
    for (const [method, call, body] of orders) {
      expect(await refusal(daemon.send(method, lost.path(call), { body }))).toBe('404 NotFoundError');
    }
    expect(await refusal(daemon.admin('POST', '/node/n2/token'))).toBe('404 NotFoundError');
    expect(await refusal(daemon.admin('DELETE', '/node/n2/token'))).toBe('404 NotFoundError');
  });
});
