import { createServer } from 'node:http';
import type { Resolve } from '@corral/base/http/outbound';
import { hasPart, labCertificate, type LabRedfish, startRedfish } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { libvirtBmc } from '../src/drivers/libvirt-driver.ts';
import { type Daemon, daemonForTest, done, message, refusal } from './support/daemon.ts';
import { engines } from './support/obmd-engines.ts';
import { simWith } from './support/ipmi-fixture.ts';
import { everyNameAt, onlyTo } from './support/obmd-outbound.ts';
import { amply, bmcWith, expectFault, startTrial } from './support/redfish-fixture.ts';
import { newTenant, shown } from './support/token-holder.ts';

/** A place where nothing of ours should ever arrive. */
const startTrap = async (address = '127.0.0.1', port = 0) => {
  let visits = 0;
  const server = createServer((_request, response) => void response.end('{}'));
  server.on('connection', () => (visits += 1));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('the trap has no port');
  return { origin: `http://${address}:${at.port}`, visits: () => visits };
};

const redfishService = async (scheme: 'http' | 'https' = 'http'): Promise<LabRedfish & { port: string }> => {
  const service = await startRedfish({ scheme });
  onTestFinished(() => service.stop());
  return Object.assign(service, { port: new URL(service.origin).port });
};

const put = (daemon: Daemon, type: string, info: object, id = 'n1') =>
  daemon.admin('PUT', `/node/${id}`, { type, info });

describe.each(engines)('where BMCs may be, on %s', (engine) => {
  it('a name that moves is judged at every connection, and nothing arrives where it should not', async () => {
    const service = await redfishService();
    const trap = await startTrap('127.0.0.22', Number(service.port));
    let addresses = ['127.0.0.1'];
    const daemon = await daemonForTest(engine, {
      env: { CORRAL_OBMD_CALL_TIMEOUT: '15' },
      outbound: onlyTo(['127.0.0.1'], (host) => everyNameAt(...addresses)(host)),
    });
    await done(put(daemon, 'redfish', { ...service.info, url: `http://bmc.example.org:${service.port}` }));
    expect((await done((await newTenant(daemon, 'n1')).status())).body).toEqual({ power_status: 'off' });

    addresses = ['127.0.0.22', '::ffff:127.0.0.22'];
    // Registered anew, it connects anew.
    await done(put(daemon, 'redfish', { ...service.info, url: `http://bmc.example.org:${service.port}` }));
    const tenant = await newTenant(daemon, 'n1');
    service.asked();
    expect(await refusal(tenant.status())).toBe('502 BmcError');
    const told = await message(tenant.order('power_on'));
    expect(told).toMatch(/^node n1: connections to the address of the BMC are not allowed; .*obmd\.outbound_allow$/);
    expect(told + JSON.stringify(await shown(daemon, 'n1'))).not.toContain('127.0.0.22');
    expect(daemon.log.join('')).toMatch(/bmc\.example\.org resolves to 127\.0\.0\.22/);
    expect([service.asked(), trap.visits()]).toEqual([[], 0]);

    addresses = ['127.0.0.22', '127.0.0.1'];
    await done(tenant.order('power_on'));
    expect([service.machine.power, trap.visits()]).toEqual(['on', 0]);
  });

  it.each([
    ['redfish', { url: 'http://169.254.169.254', user: 'u', pass: 'p' }],
    ['redfish', { url: 'https://0xa9fea9fe', user: 'u', pass: 'p' }],
    ['redfish', { url: 'https://[::ffff:169.254.169.254]:8443', user: 'u', pass: 'p' }],
    ['redfish', { url: 'http://0', user: 'u', pass: 'p' }],
    ['ipmi', { addr: '169.254.169.254', user: 'u', pass: 'p' }],
    ['ipmi', { addr: '::ffff:a9fe:a9fe', user: 'u', pass: 'p' }],
    ['ipmi', { addr: 'ff02::1', user: 'u', pass: 'p' }],
    ['libvirt', { uri: 'qemu+ssh://root@169.254.169.254/system', domain: 'vm' }],
    ['libvirt', { uri: 'qemu+tls://[fe80::1]:16514/system', domain: 'vm' }],
  ])('a BMC of type %s that can never be connected to is not registered: %j', async (type, info) => {
    const daemon = await daemonForTest(engine);
    expect(await refusal(put(daemon, type, info))).toBe('400 BadArgumentError');
    expect(await message(put(daemon, type, info))).toMatch(/^field "info": .* add it to obmd\.outbound_allow$/);
    expect((await daemon.admin('GET', '/nodes')).body).toEqual([]);
  });

  it('is what the list says, for addresses and in whatever way they are written', async () => {
    const daemon = await daemonForTest(engine, {
      env: { CORRAL_OBMD_OUTBOUND_ALLOW: '10.0.0.0/8, *.bmc.example.org' },
    });
    const bmc = (addr: string) => ({ addr, user: 'u', pass: 'p' });
    for (const addr of ['10.1.2.3', '::ffff:10.1.2.3', 'n7.bmc.example.org', 'n7.example.org']) {
      await done(put(daemon, 'ipmi', bmc(addr)));
    }
    for (const addr of ['127.0.0.1', '11.0.0.1', '2001:db8::1'])
      expect((await put(daemon, 'ipmi', bmc(addr))).status).toBe(400);
    await done(put(daemon, 'libvirt', { uri: 'qemu:///system', domain: 'vm' }));
    await done(put(daemon, 'mock', { addr: '127.0.0.1' }));
    // To the system these are addresses of this machine; that shows when it is asked for them.
    for (const addr of ['127.1', '0x7f.1', '2130706433', 'localhost']) {
      await done(put(daemon, 'ipmi', bmc(addr)));
      const tenant = await newTenant(daemon, 'n1');
      expect(await message(tenant.status()), addr).toContain('are not allowed');
      expect(await message(daemon.send('GET', tenant.path('console'))), addr).toContain('are not allowed');
    }
  });

  it.skipIf(!hasPart('ipmi_sim'))('ipmitool is given the address that was judged', async () => {
    const sim = await simWith();
    const asked: string[] = [];
    const resolve: Resolve = (host) => {
      asked.push(host);
      return everyNameAt('127.0.0.22', '127.0.0.1')(host);
    };
    const daemon = await daemonForTest(engine, {
      env: { CORRAL_OBMD_CALL_TIMEOUT: '15' },
      outbound: onlyTo(['127.0.0.1'], resolve),
    });
    // Only our own resolver knows the name: ipmitool could not find it.
    const { port, user, pass } = sim;
    await done(put(daemon, 'ipmi', { addr: 'bmc.invalid', port, user, pass }));
    const tenant = await newTenant(daemon, 'n1');
    expect((await done(tenant.status())).body).toEqual({ power_status: 'off' });
    expect(asked).toEqual(['bmc.invalid']);
  });
});

describe('a connection to a Redfish service', () => {
  it('goes by its name through TLS, to the address that was judged', async () => {
    const service = await redfishService('https');
    const { user, pass } = service.info;
    const info = { url: `https://localhost:${service.port}`, user, pass, ca: labCertificate };
    const asked: string[] = [];
    const resolve: Resolve = (host) => {
      asked.push(host);
      return everyNameAt(asked.length === 1 ? '127.0.0.1' : '127.0.0.22')(host);
    };
    expect(await bmcWith(info, onlyTo(['127.0.0.1'], resolve)).powerStatus(amply())).toBe('off');
    expect(asked).toEqual(['localhost']);
  });

  it.each([301, 302, 303, 307, 308])('is never made because of a redirect (%i)', async (status) => {
    const trap = await startTrap();
    for (const path of [/v1\/$/, /Sessions$/, /Systems$/, /Reset$/]) {
      const { service, bmc } = await startTrial();
      service.fault({ kind: 'status', status, headers: { location: `${trap.origin}/redfish/v1/` }, on: { path } });
      await expectFault(bmc.powerOn(amply()), 'failed', /another address, which is not followed/);
    }
    expect(trap.visits()).toBe(0);
  });

  it('is not tried again where it may not be', async () => {
    let asked = 0;
    const resolve: Resolve = (host) => {
      asked += 1;
      return everyNameAt('169.254.169.254')(host);
    };
    const info = { url: 'http://bmc.example.org', user: 'u', pass: 'p' };
    await expectFault(bmcWith(info, onlyTo([], resolve)).powerStatus(amply()), 'failed', /are not allowed/);
    expect(asked).toBe(1);
  });
});

describe('a libvirt on another host', () => {
  it('is not called where no connection may go', async () => {
    const outbound = onlyTo(['10.0.0.0/8'], everyNameAt('192.0.2.7'));
    const bmc = libvirtBmc.bmcOf({ uri: 'qemu+ssh://corral@host.example.org/system', domain: 'vm' }, outbound);
    for (const call of ['powerStatus', 'powerOn', 'powerOff', 'powerCycle'] as const) {
      await expectFault(bmc[call](amply()), 'failed', /are not allowed/);
    }
    await expectFault(bmc.setBootDevice('pxe', amply()), 'failed', /are not allowed/);
    await expectFault(bmc.openConsole?.(amply()) ?? Promise.resolve(), 'failed', /are not allowed/);
  });
});
