import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import { vlansOf } from '../support/switches/packet-switches.ts';
import { runSql } from '../support/services/run-sql.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { driftOf, eventsOf, sweep } from '../support/switches/drift-helpers.ts';
import {
  connect,
  detach,
  done,
  eventually,
  leftAlone,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

/** One device has one record. */
describe.each(engines)('the identity of switches on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_ENGINE_SESSION_IDLE: '0.1' });
  const wireNode = async (node: string, onSwitch: string, port: string): Promise<void> => {
    await done(service().admin.put(`/node/${node}`, { obmd }));
    await done(service().admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
    await done(service().admin.put(`/switch/${onSwitch}/port/${port}`));
    await done(service().admin.post(`/switch/${onSwitch}/port/${port}/connect_nic`, { node, nic: 'eth0' }));
  };
  const isSecond = (onSwitch: string) =>
    eventually(async () => {
      const { body } = await done(service().admin.get(`/switch/${onSwitch}`));
      return (body as { duplicate_of?: string }).duplicate_of;
    });

  it.each([
    ['arista-eos', { hostname: 'localhost', username: 'u', password: 'p' }, { hostname: '127.0.0.1' }],
    ['arista-eos', { hostname: '192.0.2.7', username: 'u', password: 'p' }, { hostname: '::ffff:192.0.2.7', port: 22 }],
    ['junos', { hostname: 'localhost', username: 'u', password: 'p' }, { hostname: '::1' }],
    ['arista-eapi', { hostname: 'https://127.0.0.1', username: 'u', password: 'p' }, { hostname: 'LOCALHOST:443' }],
    ['ovs', { ovs_bridge: 'br0', ovsdb: 'tcp:127.0.0.1:6640' }, { ovsdb: 'tcp:[::1]:6640' }],
    ['ovs', { ovs_bridge: 'br1', ovsdb: 'unix:/tmp/../tmp/none' }, { ovsdb: 'unix:/tmp/../tmp/none' }],
  ])('a second %s at the same place is refused, however the place is written', async (type, fields, other) => {
    await done(service().admin.put('/switch/place', { type, ...fields }));
    const again = await service().admin.put('/switch/again', { type, ...fields, ...other });
    expectRefusal(again, 'DuplicateError', 'switch again', 'switch place');
    const elsewhere = { ...(type === 'ovs' ? { ovs_bridge: 'elsewhere' } : { port: 4711 }) };
    const apart =
      type === 'arista-eapi' ? { ...fields, hostname: 'https://127.0.0.1:4711' } : { ...fields, ...elsewhere };
    await done(service().admin.put('/switch/apart', { type, ...apart }));
    await done(service().admin.del('/switch/apart'));
    await done(service().admin.del('/switch/place'));
    await done(service().admin.put('/switch/again', { type, ...fields, ...other }));
    await done(service().admin.del('/switch/again'));
  });

  it('a second record that is found out at the first session has no node that can be reserved', async () => {
    await makeProject(service(), 'red');
    const tenant = await makeUser(service(), 'red-tenant', 'red');
    for (const onSwitch of ['first', 'second']) {
      await makeSwitch(service(), onSwitch);
      service().simulated(onSwitch).serial = 'S-1234';
    }
    await wireNode('node-1', 'first', 'p1');
    await reserve(service(), 'red', 'node-1');
    await wireNode('node-2', 'second', 'p1');
    expect(await isSecond('second')).toBe('first');
    expect(await eventsOf(service(), 'switch_duplicate', 'second')).toMatchObject([
      { detail: { same_as: 'first', identity: 'S-1234' } },
    ]);
    await eventually(async () => (await driftOf(service(), 'second')).fault ?? undefined);
    expect((await driftOf(service(), 'second')).fault).toContain('the same device as switch first');
    const take = { node: 'node-2' };
    const refused = await service().admin.post('/project/red/connect_node', take);
    expectRefusal(refused, 'BlockedError', 'switch second', 'same device as switch first');
    const told = await tenant.post('/project/red/connect_node', take);
    expectRefusal(told, 'BlockedError', 'node-2', 'registered twice');
    expect(told.text).not.toMatch(/second|first/);
    expect(await refusal(service().admin.post('/switch/second/sweep'))).toBe('502 SwitchError');
    // The first one is used as before.
    await sweep(service(), 'first');

    // Whoever deletes the first makes the second the only one.
    await done(service().admin.post('/project/red/detach_node', { node: 'node-1' }));
    await done(service().admin.post('/switch/first/port/p1/detach_nic'));
    await done(service().admin.del('/switch/first/port/p1'));
    await done(service().admin.del('/switch/first'));
    await eventually(async () =>
      (await service().admin.post('/project/red/connect_node', take)).status === 200 ? true : undefined,
    );
    expect(await eventsOf(service(), 'switch_resolved', 'second')).toHaveLength(1);
  });

  it('what is on a second record can be let go of, and nothing new is put on it', async () => {
    await makeProject(service(), 'blue');
    await makeNetwork(service(), 'blue-net', 'blue');
    await makeNetwork(service(), 'blue-more', 'blue');
    for (const onSwitch of ['used', 'used-too']) await makeSwitch(service(), onSwitch);
    await wireNode('old', 'used-too', 'p2');
    await reserve(service(), 'blue', 'old');
    await connect(service(), 'old', 'eth0', 'blue-net');
    await leftAlone(service(), 'used-too');
    // Both were there before devices told what they are.
    for (const onSwitch of ['used', 'used-too']) service().simulated(onSwitch).serial = 'S-777';
    await sweep(service(), 'used');
    expect(await refusal(service().admin.post('/switch/used-too/sweep'))).toBe('502 SwitchError');
    expect(await isSecond('used-too')).toBe('used');
    const more = await service().admin.post('/node/old/nic/eth0/connect_network', {
      network: 'blue-more',
      channel: 'vlan/101',
    });
    expect(more.status).toBe(409);
    // A session in which it does not say what it is makes it no other device.
    service().simulated('used-too').serial = null;
    await detach(service(), 'old', 'eth0', 'blue-net');
    expect(await isSecond('used-too')).toBe('used');
    await done(service().admin.post('/project/blue/detach_node', { node: 'old' }));
    await done(service().admin.post('/switch/used-too/port/p2/detach_nic'));
    await done(service().admin.del('/switch/used-too/port/p2'));
    await done(service().admin.del('/switch/used-too'));
  });

  it('what was asked for before a record was found to be the second is not put on the port', async () => {
    await makeProject(service(), 'green');
    const [first, second, third] = ['green-1', 'green-2', 'green-3'] as const;
    for (const network of [first, second, third]) await makeNetwork(service(), network, 'green');
    const vlans = await vlansOf(service().admin);
    const tagged = (network: string) => `vlan/${vlans.get(network) ?? 0}`;
    for (const onSwitch of ['real', 'double']) await makeSwitch(service(), onSwitch);
    service().simulated('real').serial = 'S-42';
    await sweep(service(), 'real');
    await wireNode('early', 'double', 'p3');
    await reserve(service(), 'green', 'early');
    await connect(service(), 'early', 'eth0', first);
    await connect(service(), 'early', 'eth0', second, tagged(second));
    await leftAlone(service(), 'double');
    // From now on another device answers there, whose port is somebody else's.
    const device = service().simulated('double');
    const theirs = { port: 'p3', native: 4000, tagged: [] };
    device.write([theirs]);
    device.serial = 'S-42';
    const more = { network: third, channel: tagged(third) };
    const ended = await settled(service(), await service().admin.post('/node/early/nic/eth0/connect_network', more));
    expect(ended).toMatchObject({ status: 'ERROR', error: expect.stringContaining('registered twice') as string });
    expect(await isSecond('double')).toBe('real');
    expect(device.read(['p3'])).toEqual([theirs]);
    // Whoever lets go of one network puts none of his others there.
    await detach(service(), 'early', 'eth0', first);
    expect(device.read(['p3'])).toEqual([{ port: 'p3', native: null, tagged: [] }]);
    await detach(service(), 'early', 'eth0', second);
    await done(service().admin.post('/project/green/detach_node', { node: 'early' }));
  });

  it('a device that was exchanged is detected, and its ports are read again', async () => {
    await makeSwitch(service(), 'swap');
    service().simulated('swap').serial = 'OLD-1';
    await makeNode(service(), 'swapped', ['eth0'], 'swap');
    await leftAlone(service(), 'swap');
    service().simulated('swap').serial = 'NEW-1';
    service()
      .simulated('swap')
      .write([{ port: 'swapped/eth0', native: 99, tagged: [] }]);
    await sweep(service(), 'swap');
    expect(await eventsOf(service(), 'switch_replaced', 'swap')).toMatchObject([
      { detail: { was: 'OLD-1', is: 'NEW-1' } },
    ]);
    await eventually(async () => ((await driftOf(service(), 'swap')).ports.length > 0 ? true : undefined));
    expect((await done(service().admin.get('/switch/swap'))).body).toMatchObject({ identity: 'NEW-1' });
  });

  it('a port that the device before did not have is not taken for harmless until it has been read', async () => {
    const sql = (text: string) => runSql(service(), { sqlite: text, postgres: text });
    await makeProject(service(), 'heirs');
    await makeSwitch(service(), 'heir');
    await makeNode(service(), 'left', ['eth0'], 'heir');
    await makeNode(service(), 'free', ['eth0'], 'heir');
    await leftAlone(service(), 'heir');
    service().simulated('heir').faults = { hang: true };
    await sql(`update ports set drift_since = 1000, reading = 'null' where label in ('left/eth0', 'free/eth0')`);
    await sql(`update ports set unread = 1, may_carry_any = 1 where label = 'left/eth0'`);
    for (const node of ['left', 'free']) {
      await done(service().admin.post(`/switch/heir/port/${node}/eth0/detach_nic`));
    }
    expectRefusal(
      await service().admin.post('/project/heirs/connect_node', { node: 'left' }),
      'BlockedError',
      'port left/eth0 on switch heir, which the node was on, has not been read',
    );
    expectRefusal(await service().admin.del('/switch/heir/port/left/eth0'), 'BlockedError', 'has not been read');
    await reserve(service(), 'heirs', 'free');
    await done(service().admin.del('/switch/heir/port/free/eth0'));
    service().simulated('heir').faults = {};
    await eventually(async () => {
      const { status } = await service().admin.post('/project/heirs/connect_node', { node: 'left' });
      return status === 200 ? true : undefined;
    });
  });
});
