import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/http/expect-answers.ts';
import { engines } from '../support/services/engines.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { eventsOf, setPolicy, sweep, tamper } from '../support/switches/drift-helpers.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

/** What is known against a port counts for every call that depends on it, and lasts until the port is read clean. */
describe.each(engines)('ports that are not to be trusted on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-105' });

  /** A node of a project of its own, on a switch of its own, its nic on a network of its own. */
  const attached = async (name: string): Promise<{ onSwitch: string; vlan: number }> => {
    await makeProject(service(), name);
    await makeNetwork(service(), `net-${name}`, name);
    await makeNode(service(), name, ['eth0'], `sw-${name}`);
    await reserve(service(), name, name);
    await connect(service(), name, 'eth0', `net-${name}`);
    return { onSwitch: `sw-${name}`, vlan: await vlanOf(`net-${name}`) };
  };
  const vlanOf = async (network: string): Promise<number> => {
    const { body } = await done(service().admin.get('/networks'));
    return Number((body as Record<string, { network_id: string }>)[network]?.network_id);
  };
  /** Detaches everything as recorded, and then the port is seen to carry a VLAN all the same. */
  const drifting = async (name: string, seen?: { native?: number; tagged?: number[] }) => {
    const world = await attached(name);
    await detach(service(), name, 'eth0', `net-${name}`);
    tamper(service(), world.onSwitch, `${name}/eth0`, seen ?? { native: world.vlan });
    await sweep(service(), world.onSwitch);
    return world;
  };
  const cleared = async (name: string) => {
    tamper(service(), `sw-${name}`, `${name}/eth0`, {});
    await sweep(service(), `sw-${name}`);
  };
  const deleteNetwork = (network: string) => done(service().admin.del(`/network/${network}`));
  const create = (network: string, net_id = '') =>
    service().admin.put(`/network/${network}`, { owner: 'admin', access: '', net_id });

  it('a network that a port was seen to carry is not deleted, and only the operator sees where', async () => {
    const { onSwitch, vlan } = await drifting('kept');
    const tenant = await makeUser(service(), 'kept-tenant', 'kept');
    const words = [`port kept/eth0 on switch ${onSwitch}`, `VLAN ${vlan}`, 'net-kept', 'revert'];
    expectRefusal(await service().admin.del('/network/net-kept'), 'BlockedError', ...words);
    const answer = await tenant.del('/network/net-kept');
    expectRefusal(answer, 'BlockedError', 'net-kept');
    expect(answer.text).not.toMatch(/sw-kept|kept\/eth0|VLAN/);
    await cleared('kept');
    await deleteNetwork('net-kept');
  });

  it('a project keeps access to a network that a port of its node was seen to carry', async () => {
    const { vlan } = await attached('lender');
    await makeProject(service(), 'borrower');
    await done(service().admin.put('/network/net-lender/access/borrower'));
    await makeNode(service(), 'borrower', ['eth0'], 'sw-borrower');
    await reserve(service(), 'borrower', 'borrower');
    tamper(service(), 'sw-borrower', 'borrower/eth0', { tagged: [vlan] });
    await sweep(service(), 'sw-borrower');
    const revoke = () => service().admin.del('/network/net-lender/access/borrower');
    expectRefusal(await revoke(), 'BlockedError', 'port borrower/eth0 on switch sw-borrower', `VLAN ${vlan}`);
    await cleared('borrower');
    await done(revoke());
    await detach(service(), 'lender', 'eth0', 'net-lender');
    await deleteNetwork('net-lender');
  });

  it('a VLAN that a port was seen to carry is not handed out, by the pool or by name', async () => {
    await drifting('marked', { native: 101, tagged: [102, 103] });
    expect(await vlanOf('net-marked')).toBe(100);
    expectRefusal(await create('chosen', '102'), 'BlockedError', 'VLAN 102', 'port marked/eth0 on switch sw-marked');
    await done(create('one'));
    expect(await vlanOf('one')).toBe(104);
    await done(create('two'));
    expect(await vlanOf('two')).toBe(105);
    const tenant = await makeUser(service(), 'marked-tenant', 'marked');
    expectRefusal(await create('three'), 'AllocationError', 'port marked/eth0 on switch sw-marked');
    const told = await tenant.put('/network/three', { owner: 'marked', access: 'marked', net_id: '' });
    expectRefusal(told, 'AllocationError', 'ask the operator');
    expect(told.text).not.toMatch(/sw-marked|marked\/eth0/);
    await cleared('marked');
    await done(create('three'));
    for (const network of ['one', 'two', 'three']) await deleteNetwork(network);
    await deleteNetwork('net-marked');
  });

  it('a port that is on everything from the factory stops nobody, as long as nobody can have its node', async () => {
    await makeSwitch(service(), 'sw-factory');
    tamper(service(), 'sw-factory', 'factory/eth0', {
      native: 1,
      tagged: Array.from({ length: 4093 }, (_, i) => i + 2),
    });
    await makeNode(service(), 'factory', ['eth0'], 'sw-factory');
    await done(create('beside'));
    await settled(service(), await service().admin.post('/switch/sw-factory/port/factory/eth0/revert'));
    tamper(service(), 'sw-factory', 'factory/eth0', {
      native: 1,
      tagged: Array.from({ length: 4093 }, (_, i) => i + 2),
    });
    await sweep(service(), 'sw-factory');
    expectRefusal(await create('beside-2'), 'AllocationError', 'port factory/eth0 on switch sw-factory');
    expectRefusal(await service().admin.del('/network/beside'), 'BlockedError', 'port factory/eth0');
    await setPolicy(service(), 'sw-factory', 'repair');
    await eventually(async () => ((await create('beside-2')).status < 300 ? true : undefined));
    for (const network of ['beside', 'beside-2']) await deleteNetwork(network);
  });

  it('unplugging a nic on record takes nothing away from the doubt: port and node keep it', async () => {
    const { onSwitch, vlan } = await attached('pulled');
    await detach(service(), 'pulled', 'eth0', 'net-pulled');
    await done(service().admin.post('/project/pulled/detach_node', { node: 'pulled' }));
    tamper(service(), onSwitch, 'pulled/eth0', { native: vlan });
    await sweep(service(), onSwitch);
    const port = `/switch/${onSwitch}/port/pulled/eth0`;
    await done(service().admin.post(`${port}/detach_nic`));
    expectRefusal(await service().admin.del('/network/net-pulled'), 'BlockedError', 'port pulled/eth0');
    expectRefusal(await service().admin.del(port), 'BlockedError', 'cannot be deleted', `VLAN ${vlan}`);
    // Neither without a port nor on another one.
    const take = () => service().admin.post('/project/pulled/connect_node', { node: 'pulled' });
    expectRefusal(await take(), 'BlockedError', 'port pulled/eth0', 'which the node was on');
    await done(service().admin.put(`/switch/${onSwitch}/port/other`));
    await done(service().admin.post(`/switch/${onSwitch}/port/other/connect_nic`, { node: 'pulled', nic: 'eth0' }));
    expectRefusal(await take(), 'BlockedError', 'port pulled/eth0', 'which the node was on');
    const tenant = await makeUser(service(), 'pulled-tenant', 'pulled');
    const told = await tenant.post('/project/pulled/connect_node', { node: 'pulled' });
    expectRefusal(told, 'BlockedError', 'the node was on');
    expect(told.text).not.toContain(onSwitch);
    await done(service().admin.post(`/switch/${onSwitch}/port/other/detach_nic`));
    await done(service().admin.del('/node/pulled/nic/eth0'));
    expectRefusal(await service().admin.del('/node/pulled'), 'BlockedError', 'port pulled/eth0');

    await cleared('pulled');
    await done(take());
    await done(service().admin.del(port));
    await deleteNetwork('net-pulled');
  });

  it('a port that nobody has read keeps that, plugged or not', async () => {
    await makeSwitch(service(), 'sw-unread');
    service().simulated('sw-unread').faults = { unreachable: true };
    await done(service().admin.put('/node/unread', { obmd }));
    await done(service().admin.put('/node/unread/nic/eth0', { macaddr: '52:54:00:00:00:01' }));
    await done(service().admin.put('/switch/sw-unread/port/p'));
    await done(service().admin.post('/switch/sw-unread/port/p/connect_nic', { node: 'unread', nic: 'eth0' }));
    await done(service().admin.post('/switch/sw-unread/port/p/detach_nic'));
    expect((await done(service().admin.get('/switch/sw-unread/port/p'))).body).toEqual({ unread: true });
    await makeProject(service(), 'unread');
    const take = () => service().admin.post('/project/unread/connect_node', { node: 'unread' });
    expectRefusal(await take(), 'BlockedError', 'port p on switch sw-unread', 'has not been read');
    expectRefusal(await service().admin.del('/switch/sw-unread/port/p'), 'BlockedError', 'has not been read');
    service().simulated('sw-unread').faults = {};
    await eventually(async () => ((await take()).status === 200 ? true : undefined));
    await done(service().admin.del('/switch/sw-unread/port/p'));
  });

  it('a port whose device is gone for good is deleted by force, and the event says so', async () => {
    const { vlan } = await drifting('burnt');
    service().simulated('sw-burnt').faults = { unreachable: true };
    const port = '/switch/sw-burnt/port/burnt/eth0';
    const free = await service().admin.post('/project/burnt/detach_node', { node: 'burnt' });
    expectRefusal(free, 'BlockedError', `VLAN ${vlan}`);
    await done(service().admin.put('/switch/sw-burnt/port/spare'));
    service().simulated('sw-burnt').faults = {};
    tamper(service(), 'sw-burnt', 'spare', { native: vlan });
    await sweep(service(), 'sw-burnt');
    service().simulated('sw-burnt').faults = { unreachable: true };
    expectRefusal(await service().admin.del('/switch/sw-burnt/port/spare'), 'BlockedError', 'force=true');
    await done(service().admin.del('/switch/sw-burnt/port/spare?force=true'));
    expect(await eventsOf(service(), 'switch_delete_port', 'sw-burnt')).toMatchObject([
      { port: 'spare', detail: { forced: 'drift' } },
    ]);
    expectRefusal(await service().admin.del(`${port}?force=true`), 'BlockedError', 'nic eth0 of node burnt');
    service().simulated('sw-burnt').faults = {};
    await cleared('burnt');
    await deleteNetwork('net-burnt');
  });
});
