import { describe, expect, it } from 'vitest';
import { engines } from './support/engines.ts';
import { serviceForTest } from './support/service.ts';
import { connect, detach, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from './support/world.ts';

describe.each(engines)('projects on %s', (engine) => {
  it('a node goes to a project, on a network, and back', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    const alice = await makeUser(service, 'alice', 'red');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    expect((await alice.get('/nodes/free')).body).toEqual([]);
    await makeNetwork(service, 'net', 'red');
    await connect(service, 'n1', 'eth0', 'net');
    expect((await alice.get('/node/n1')).body).toEqual({
      name: 'n1',
      project: 'red',
      nics: [{ label: 'eth0', macaddr: '52:54:00:00:00:01', networks: { 'vlan/native': 'net' } }],
      metadata: {},
    });
    expect(service.simulated('sw0').ports).toEqual([{ port: 'n1/eth0', native: 100, tagged: [] }]);
    const refused = await alice.post('/project/red/detach_node', { node: 'n1' });
    expect(refused.status).toBe(409);
    await detach(service, 'n1', 'eth0', 'net');
    await done(alice.post('/project/red/detach_node', { node: 'n1' }));
    expect((await service.anonymous.get('/nodes/free')).body).toEqual(['n1']);
  });
});
