import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('nics on %s', (engine) => {
  const service = sharedService(engine);
  const nicsOf = async (node: string) =>
    ((await service().admin.get(`/node/${node}`)).body as { nics: unknown[] }).nics;

  it('node_register_nic adds a nic, and says nothing', async () => {
    await makeNode(service(), 'n1');
    const answer = await service().admin.put('/node/n1/nic/eth0', { macaddr: '52:54:00:00:00:07' });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await nicsOf('n1')).toEqual([
      { label: 'eth0', macaddr: '52:54:00:00:00:07', networks: {}, port: null, switch: null },
    ]);
  });

  it('the MAC address is informational: any words do', async () => {
    await makeNode(service(), 'n2');
    await done(service().admin.put('/node/n2/nic/eth0', { macaddr: 'to be found out' }));
    expect(await nicsOf('n2')).toMatchObject([{ macaddr: 'to be found out' }]);
  });

  it('two nodes may have nics of one label and one MAC address', async () => {
    await makeNode(service(), 'n3');
    await makeNode(service(), 'n4');
    for (const node of ['n3', 'n4']) await done(service().admin.put(`/node/${node}/nic/eth0`, { macaddr: 'same' }));
  });

  it('one node may not have two nics of one label', async () => {
    await makeNode(service(), 'n5');
    await done(service().admin.put('/node/n5/nic/eth0', { macaddr: 'a' }));
    const answer = service().admin.put('/node/n5/nic/eth0', { macaddr: 'b' });
    expect(await refusal(answer)).toBe('409 DuplicateError');
    expect(await message(answer)).toMatch(/node n5 .* nic eth0/);
    expect(await nicsOf('n5')).toMatchObject([{ macaddr: 'a' }]);
  });

  it('a nic needs a node', async () => {
    expect(await refusal(service().admin.put('/node/missing/nic/eth0', { macaddr: 'a' }))).toBe('404 NotFoundError');
    expect(await refusal(service().admin.del('/node/missing/nic/eth0'))).toBe('404 NotFoundError');
  });

  it.each([{}, { macaddr: 5 }, { macaddr: null }])('a nic needs a MAC address that is a string: %j', async (body) => {
    await service().admin.put('/node/n6', { obmd: { uri: 'http://127.0.0.1:9/n6', admin_token: 'x' } });
    const answer = service().admin.put('/node/n6/nic/eth0', body);
    expect(await refusal(answer)).toBe('400 ValidationError');
    expect(await message(answer)).toMatch(/"macaddr".*expected/);
  });

  it('a nic can be added to a node in a project', async () => {
    await makeProject(service(), 'adds');
    await makeNode(service(), 'n7');
    await reserve(service(), 'adds', 'n7');
    await done(service().admin.put('/node/n7/nic/eth0', { macaddr: 'a' }));
    expect(await nicsOf('n7')).toHaveLength(1);
  });

  it('node_delete_nic removes the nic, and says nothing', async () => {
    await makeNode(service(), 'n8');
    await done(service().admin.put('/node/n8/nic/eth0', { macaddr: 'a' }));
    await done(service().admin.put('/node/n8/nic/eth1', { macaddr: 'b' }));
    const answer = await service().admin.del('/node/n8/nic/eth0');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await nicsOf('n8')).toMatchObject([{ label: 'eth1' }]);
    expect(await refusal(service().admin.del('/node/n8/nic/eth0'))).toBe('404 NotFoundError');
  });

  it('a nic of a node in a project cannot be deleted', async () => {
    await makeProject(service(), 'keeps');
    await makeNode(service(), 'n9');
    await done(service().admin.put('/node/n9/nic/eth0', { macaddr: 'a' }));
    await reserve(service(), 'keeps', 'n9');
    expect(await refusal(service().admin.del('/node/n9/nic/eth0'))).toBe('409 BlockedError');
    await done(service().admin.post('/project/keeps/detach_node', { node: 'n9' }));
    await done(service().admin.del('/node/n9/nic/eth0'));
  });

  it('a nic on a port cannot be deleted', async () => {
    await makeSwitch(service(), 'sw0');
    await makeNode(service(), 'n10', ['eth0']);
    expect(await refusal(service().admin.del('/node/n10/nic/eth0'))).toBe('409 BlockedError');
    await done(service().admin.post('/switch/sw0/port/n10/eth0/detach_nic'));
    await done(service().admin.del('/node/n10/nic/eth0'));
  });

  it('a nic that was once on a network can be deleted, and what is known of its last action goes with it', async () => {
    const { admin } = service();
    await makeProject(service(), 'past');
    await makeNode(service(), 'n11', ['eth0']);
    await reserve(service(), 'past', 'n11');
    await makeNetwork(service(), 'past', 'past');
    await connect(service(), 'n11', 'eth0', 'past');
    const last = await admin.post('/node/n11/nic/eth0/detach_network', { network: 'past' });
    expect((await settled(service(), last)).status).toBe('DONE');
    await done(admin.post('/project/past/detach_node', { node: 'n11' }));
    await done(admin.post('/switch/sw0/port/n11/eth0/detach_nic'));
    await done(admin.del('/node/n11/nic/eth0'));
    const { status_id } = last.body as { status_id: string };
    expect(await refusal(admin.get(`/networking_action/${status_id}`))).toBe('404 NotFoundError');
  });

  it('nics are for administrators, who are asked for before anything is looked up or checked', async () => {
    const user = await makeUser(service(), 'mallory');
    for (const client of [user, service().anonymous]) {
      for (const node of ['n1', 'missing']) {
        expect(await refusal(client.put(`/node/${node}/nic/eth9`, { wrong: 1 }))).toBe('401 AuthorizationError');
        expect(await refusal(client.del(`/node/${node}/nic/eth9`))).toBe('401 AuthorizationError');
      }
    }
  });
});
