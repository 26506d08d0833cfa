import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import { startAristaEos } from '@corral/lab';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { switchDrivers } from '../../src/drivers/switches/switch-drivers.ts';
import { expectRefusal } from '../support/http/expect-answers.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { Names, startTrap } from '../support/http/test-outbound.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { driftOf, eventsOf } from '../support/switches/drift-helpers.ts';
import {
  connect,
  done,
  leftAlone,
  makeNetwork,
  makeNode,
  makeProject,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

type Fields = Readonly<Record<string, unknown>>;

const inBrackets = (host: string): string => (host.includes(':') ? `[${host}]` : host);
const login = { username: 'u', password: 'pass word' };
const bySsh =
  (more: Fields = {}) =>
  (host: string, port: number): Fields => ({ hostname: host, port, ...login, ...more });
const byHttp =
  (more: Fields = {}) =>
  (host: string, port: number): Fields => ({
    hostname: inBrackets(host),
    port,
    ...login,
    ...more,
  });

/** What a switch of each type is registered with that is at a host and port. */
const fieldsOf: Readonly<Record<string, (host: string, port: number) => Fields>> = {
  ovs: (host, port) => ({ ovs_bridge: 'br0', ovsdb: `tcp:${inBrackets(host)}:${port}` }),
  brocade: byHttp({ interface_type: 'TenGigabitEthernet' }),
  dellnos9: byHttp({ interface_type: 'GigabitEthernet' }),
  'arista-eapi': byHttp(),
  'arista-eos': bySsh(),
  'cisco-ios': bySsh({ dummy_vlan: 5 }),
  'cisco-nxos': bySsh({ dummy_vlan: 5 }),
  nexus: bySsh({ dummy_vlan: 5 }),
  'dell-os10': bySsh(),
  delln3000: bySsh({ dummy_vlan: 5 }),
  powerconnect55xx: bySsh(),
  vde: bySsh(),
  junos: bySsh(),
};

const drivers = switchDrivers({ simulatedSwitches: '/nonexistent' });
const types = Object.keys(fieldsOf);
const named = 'switch.invalid';

/** The metadata service of a cloud, in every way in which an address of IPv6 can stand for it. */
const spellings: readonly string[] = [
  '169.254.169.254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::a9fe:a9fe',
  '::ffff:0:a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:a9fe:a9:fe00::',
  'fe80::5efe:a9fe:a9fe',
  '2001:db8::5efe:a9fe:a9fe',
  '2001:0:a9fe:a9fe::1',
  '2001:0:c000:201::5601:5601',
];

const open = (type: string, fields: Fields, names: Names, ...allow: readonly string[]) =>
  drivers[type]?.open(
    { label: 'sw', config: fields, outbound: names.outbound(...allow) },
    AbortSignal.timeout(10_000),
  ) ?? Promise.reject(new Error(`no driver ${type}`));

describe('a session with a switch', () => {
  it('is opened to hosts that the driver names, for every type but the simulated one', () => {
    expect([...types, 'mock'].sort()).toEqual(Object.keys(drivers).sort());
    for (const [type, fields] of Object.entries(fieldsOf)) {
      expect(drivers[type]?.hosts?.(fields('192.0.2.7', 99)), type).toEqual(['192.0.2.7']);
    }
    expect(drivers['ovs']?.hosts?.({ ovs_bridge: 'br0', ovsdb: 'ssl:[::1]:6640' })).toEqual(['::1']);
    expect(drivers['ovs']?.hosts?.({ ovs_bridge: 'br0', ovsdb: 'unix:/run/db.sock' })).toEqual([]);
  });

  it.each(types)('%s: goes to the address that was judged, and its name is asked for once', async (type) => {
    const names = new Names();
    const there = await startTrap();
    const port = Number(new URL(there.origin).port);
    const elsewhere = await startTrap('127.0.0.23', port);
    names.afterwards = () => (names.addresses = ['127.0.0.23']);
    const fields = fieldsOf[type]?.(named, port) ?? {};
    await expect(open(type, fields, names)).rejects.toThrow();
    expect(there.visits().length).toBeGreaterThan(0);
    expect([names.asked, elsewhere.visits()]).toEqual([[named], []]);
  });

  it.each(types)('%s: is not opened where no connection may go, by name or address', async (type) => {
    const names = new Names();
    const trap = await startTrap('127.0.0.23');
    const port = Number(new URL(trap.origin).port);
    names.addresses = ['127.0.0.23', '::ffff:127.0.0.23'];
    const fields = (host: string): Fields => fieldsOf[type]?.(host, port) ?? {};
    const byName = open(type, fields(named), names, '127.0.0.1');
    await expect(byName).rejects.toThrow(AddressRefused);
    await expect(byName).rejects.toThrow(
      'switch.invalid resolves to 127.0.0.23, 127.0.0.23, and connections there are not allowed; to allow them, add it to outbound.allow',
    );
    const byAddress = open(type, fields('127.0.0.23'), names, '127.0.0.1');
    await expect(byAddress).rejects.toThrow(
      'connections to 127.0.0.23 are not allowed; to allow them, add it to outbound.allow',
    );
    for (const address of spellings) {
      names.addresses = [address];
      await expect(open(type, fields(named), names), address).rejects.toThrow(AddressRefused);
    }
    expect(trap.visits()).toEqual([]);
  });

  it('over TLS with an Open vSwitch is not opened there either', async () => {
    const names = new Names();
    names.addresses = ['169.254.169.254'];
    const fields = { ovs_bridge: 'br0', ovsdb: `ssl:${named}:6640` };
    await expect(open('ovs', fields, names)).rejects.toThrow(AddressRefused);
  });
});

describe.each(engines)('the address of a switch on %s', (engine) => {
  const shared = sharedService(engine, { CORRAL_OUTBOUND_ALLOW: '' });
  let service: Service;
  beforeAll(() => {
    service = shared();
  });
  const register = (on: Service, type: string, host: string, label = 'sw') =>
    on.admin.put(`/switch/${label}`, { type, ...fieldsOf[type]?.(host, 9) });

  it.each(types)('%s: one that can never be connected to is not registered, however it is written', async (type) => {
    for (const host of [...spellings, 'fe80::1', '0.0.0.0', '224.0.0.1']) {
      const answer = await register(service, type, host);
      expectRefusal(answer, 'BadArgumentError', 'switch sw cannot be reached: connections to', 'outbound.allow');
    }
    expect((await done(service.admin.get('/switches'))).body).not.toContain('sw');
  });

  it.each([
    { type: 'ovs', ovs_bridge: 'br0', ovsdb: 'tcp:127.0.0.1:65536' },
    { type: 'ovs', ovs_bridge: 'br0', ovsdb: 'ssl:127.0.0.1:0' },
    { type: 'arista-eapi', hostname: '127.0.0.1:99999', ...login },
    { type: 'brocade', hostname: 'https://127.0.0.1:65536', ...login },
    { type: 'dellnos9', hostname: '[::zz]:1', ...login },
    { type: 'arista-eapi', hostname: '[:::]', ...login },
    { type: 'arista-eapi', hostname: 'http://127.0.0.1', ...login, fingerprint: 'ab'.repeat(32) },
  ])('%j: what is no address is a mistake of the caller', async (fields) => {
    const answer = await service.admin.put('/switch/sw', fields);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
  });

  it('is taken if the list names it, and a name or a socket in the file system always', async () => {
    const strict = await serviceForTest(engine, { CORRAL_OUTBOUND_ALLOW: '169.254.7.0/24, 2001:db8::/32' });
    await done(register(strict, 'arista-eos', '169.254.7.7', 'a'));
    await done(register(strict, 'ovs', '2001:db8::7', 'b'));
    await done(register(strict, 'brocade', named, 'c'));
    await done(strict.admin.put('/switch/d', { type: 'ovs', ovs_bridge: 'br0', ovsdb: 'unix:/run/corral-test.sock' }));
    for (const type of types) {
      for (const host of ['169.254.8.7', '127.0.0.1', '2001:db9::7'])
        expect(await register(strict, type, host, 'e'), `${type} ${host}`).toMatchObject({ status: 400 });
    }
    expect((await done(strict.admin.get('/switches'))).body).toEqual(['a', 'b', 'c', 'd']);
  });
});

/** Node n1 on a switch of the lab that is known by this host, and node n2 on a simulated one, in project red. */
const makeWorld = async (engine: EngineName, host: string, outbound?: Outbound) => {
  const device = await startAristaEos();
  onTestFinished(() => device.stop());
  const service = await serviceForTest(engine, { CORRAL_ENGINE_SESSION_IDLE: '0.05' }, outbound && { outbound });
  await makeProject(service, 'red');
  await makeNetwork(service, 'net', 'red');
  await done(service.admin.put('/switch/moved', { type: 'arista-eos', ...device.fields, hostname: host }));
  await done(service.admin.put('/node/n1', { obmd }));
  await done(service.admin.put('/node/n1/nic/eth0', { macaddr: 'm' }));
  await done(service.admin.put('/switch/moved/port/Ethernet1'));
  await done(service.admin.post('/switch/moved/port/Ethernet1/connect_nic', { node: 'n1', nic: 'eth0' }));
  await makeNode(service, 'n2', ['eth0']);
  // It comes with VLAN 1 on every port.
  expect((await settled(service, await service.admin.post('/switch/moved/port/Ethernet1/revert'))).status).toBe('DONE');
  await leftAlone(service, 'moved');
  for (const node of ['n1', 'n2']) await reserve(service, 'red', node);
  return service;
};

const order = (service: Service, node: string, what: 'connect_network' | 'detach_network') =>
  service.admin.post(`/node/${node}/nic/eth0/${what}`, { network: 'net' });

const told = expect.stringMatching(
  /^the switch is at an address that this service must not connect to; .* with outbound\.allow; the port is as it was before$/,
) as string;

describe.each(engines)('a registered switch at an address that is no longer allowed on %s', (engine) => {
  it('fails its actions with the reason, and works again when it is; no other switch is concerned', async () => {
    const names = new Names();
    const service = await makeWorld(engine, named, names.outbound('127.0.0.1'));
    await connect(service, 'n1', 'eth0', 'net');
    await leftAlone(service, 'moved');
    const trap = await startTrap('127.0.0.23');
    names.addresses = ['127.0.0.23'];
    expect(await settled(service, await order(service, 'n1', 'detach_network'))).toMatchObject({
      status: 'ERROR',
      error: told,
    });
    const reason =
      'switch.invalid resolves to 127.0.0.23, and connections there are not allowed; to allow them, add it to outbound.allow';
    expect(await eventsOf(service, 'switch_fault', 'moved')).toMatchObject([{ detail: { reason } }]);
    expect((await driftOf(service, 'moved')).fault).toBe(reason);
    await connect(service, 'n2', 'eth0', 'net');
    names.addresses = ['127.0.0.1'];
    expect((await settled(service, await order(service, 'n1', 'detach_network'))).status).toBe('DONE');
    expect(trap.visits()).toEqual([]);
  });

  it('is still shown and fails its actions, after a restart with another list', async () => {
    const first = await makeWorld(engine, '127.0.0.1');
    await first.stop();
    const service = await first.restart({ CORRAL_OUTBOUND_ALLOW: '10.0.0.0/8' });
    onTestFinished(() => service.stop());
    expect(await settled(service, await order(service, 'n1', 'connect_network'))).toMatchObject({ error: told });
    expect(await eventsOf(service, 'switch_fault', 'moved')).toMatchObject([
      { detail: { reason: 'connections to 127.0.0.1 are not allowed; to allow them, add it to outbound.allow' } },
    ]);
    await connect(service, 'n2', 'eth0', 'net');
    await done(service.admin.post('/project/red/detach_node', { node: 'n1' }));
    expect((await done(service.admin.get('/switch/moved'))).body).toMatchObject({ ports: ['Ethernet1'] });
  });
});
