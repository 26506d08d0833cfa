import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/http/http-client.ts';
import {
  allSettled,
  atOnce,
  type Replicas,
  replicaSetups,
  makeReplicas,
  manyAtOnce,
  networksOf,
  pendingActions,
  rounds,
  tally,
} from '../support/services/replicas.ts';
import {
  connect,
  detach,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  obmd,
  reserve,
} from '../support/services/world.ts';

const crowd = 80;
/** A switch that takes its time, so that an action is still pending when its rivals come. */
const slow = { delayMs: 60 };

describe.each(replicaSetups)('at the same time on $ground', ({ engine, replicas }) => {
  const start = (): Promise<Replicas> => makeReplicas(engine, replicas);

  it('four callers claim one node: one gets it', async () => {
    const ground = await start();
    const projects = ['p0', 'p1', 'p2', 'p3'];
    for (const project of projects) {
      await makeProject(ground.service, project);
      await makeUser(ground.service, `user of ${project}`, project);
      for (const service of ground.services)
        await done(service.as(`user of ${project}`).get(`/project/${project}/nodes`));
    }
    await makeNode(ground.service, 'n1');
    await rounds(40, async () => {
      const claims = projects.map((project, turn) => ({ project, caller: ground.as(`user of ${project}`, turn) }));
      const statuses = await atOnce(
        claims.map(
          ({ project, caller }) =>
            () =>
              caller.post(`/project/${project}/connect_node`, { node: 'n1' }),
        ),
      );
      expect(tally(statuses)).toEqual({ 200: 1, 409: 3 });
      const winner = projects[statuses.indexOf(200)] ?? '';
      for (const project of projects) {
        const { body } = await ground.service.admin.get(`/project/${project}/nodes`);
        expect(body).toEqual(project === winner ? ['n1'] : []);
      }
      await done(ground.service.admin.post(`/project/${winner}/detach_node`, { node: 'n1' }));
    });
  });

  it('eighty networks are created: each has a VLAN of its own', async () => {
    const ground = await start();
    await makeProject(ground.service, 'red');
    const statuses = await manyAtOnce(crowd, (turn) =>
      ground.admin(turn).put(`/network/net${turn}`, { owner: 'red', access: 'red', net_id: '' }),
    );
    expect(tally(statuses)).toEqual({ 200: crowd });
    const networks = (await ground.service.admin.get('/networks')).body as Record<string, { network_id: string }>;
    expect(new Set(Object.values(networks).map(({ network_id }) => network_id)).size).toBe(crowd);
  });

  it('eighty networks want ten VLANs: ten get one, and the others get an error that the pool is empty', async () => {
    const ground = await makeReplicas(engine, replicas, { CORRAL_VLANS: '100-109' });
    const answers = await Promise.all(
      Array.from({ length: crowd }, (_, turn) =>
        ground.admin(turn).put(`/network/net${turn}`, { owner: 'admin', access: '', net_id: '' }),
      ),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 10, 409: crowd - 10 });
    for (const { status, body } of answers) if (status === 409) expect(body).toMatchObject({ type: 'AllocationError' });
  });

  it('eighty networks want the same VLAN: one gets it', async () => {
    const ground = await start();
    const statuses = await manyAtOnce(crowd, (turn) =>
      ground.admin(turn).put(`/network/net${turn}`, { owner: 'admin', access: '', net_id: '7' }),
    );
    expect(tally(statuses)).toEqual({ 200: 1, 409: crowd - 1 });
  });

  const label = 'same';
  const network = { owner: 'red', access: 'red', net_id: '' };
  const mock = { type: 'mock', hostname: 'h', username: 'u', password: 'p' };
  const creations: readonly (readonly [string, (ground: Replicas, turn: number) => Promise<Answer>])[] = [
    ['project', ({ admin }, turn) => admin(turn).put(`/project/${label}`)],
    ['node', ({ admin }, turn) => admin(turn).put(`/node/${label}`, { obmd })],
    ['nic', ({ admin }, turn) => admin(turn).put(`/node/n1/nic/${label}`, { macaddr: 'm' })],
    ['network', ({ admin }, turn) => admin(turn).put(`/network/${label}`, network)],
    ['switch', ({ admin }, turn) => admin(turn).put(`/switch/${label}`, mock)],
    ['port', ({ admin }, turn) => admin(turn).put(`/switch/sw0/port/${label}`)],
    ['user', ({ admin }, turn) => admin(turn).put(`/auth/basic/user/${label}`, { password: 'secret' })],
    ['headnode', ({ admin }, turn) => admin(turn).put(`/headnode/${label}`, { project: 'red', base_img: 'base' })],
    ['hnic', ({ admin }, turn) => admin(turn).put(`/headnode/h1/hnic/${label}`)],
    ['membership', ({ admin }, turn) => admin(turn).post('/auth/basic/user/alice/add_project', { project: 'blue' })],
    ['grant', ({ admin }, turn) => admin(turn).put('/network/net/access/blue')],
    [
      'claim of a port',
      ({ admin }, turn) => admin(turn).post('/switch/sw0/port/1/connect_nic', { node: 'n1', nic: `e${turn}` }),
    ],
  ];
  it('the same thing is made eighty times, of every kind: once it works, and all others get an error that it exists', async () => {
    const ground = await start();
    const { service } = ground;
    await makeProject(service, 'red');
    await makeProject(service, 'blue');
    await makeUser(service, 'alice');
    await makeNetwork(service, 'net', 'red');
    await makeNode(service, 'n1', ['eth0']);
    await done(service.admin.put('/switch/sw0/port/1'));
    const nics = await manyAtOnce(crowd, (turn) => ground.admin(turn).put(`/node/n1/nic/e${turn}`, { macaddr: 'm' }));
    expect(tally(nics)).toEqual({ 200: crowd });
    await done(service.admin.put('/headnode/h1', { project: 'red', base_img: 'base' }));
    for (const [kind, create] of creations) {
      const answers = await Promise.all(Array.from({ length: crowd }, (_, turn) => create(ground, turn)));
      expect(tally(answers.map(({ status }) => status)), kind).toEqual({ 200: 1, 409: crowd - 1 });
      const types = new Set(
        answers.flatMap(({ status, body }) => (status === 409 ? [(body as { type: string }).type] : [])),
      );
      expect([...types], kind).toEqual(['DuplicateError']);
    }
  });

  it('two callers connect one nic: one action is queued, and the switch carries that network alone', async () => {
    const ground = await start();
    const { service } = ground;
    await makeProject(service, 'red');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    await makeNetwork(service, 'net0', 'red');
    await makeNetwork(service, 'net1', 'red');
    service.simulated('sw0').faults = slow;
    await rounds(12, async (turn) => {
      const statuses = await manyAtOnce(2, (side) =>
        ground.admin(turn + side).post('/node/n1/nic/eth0/connect_network', { network: `net${side}` }),
      );
      expect(tally(statuses)).toEqual({ 202: 1, 409: 1 });
      expect(await pendingActions(service)).toBeLessThanOrEqual(1);
      await allSettled(service);
      const winner = `net${statuses.indexOf(202)}`;
      expect(await networksOf(service, 'n1', 'eth0')).toEqual({ 'vlan/native': winner });
      await detach(service, 'n1', 'eth0', winner);
      expect(service.simulated('sw0').ports).toEqual([{ port: 'n1/eth0', native: null, tagged: [] }]);
    });
  });

  it('one connects, one detaches and one reverts a nic: one action is queued', async () => {
    const ground = await start();
    const { service } = ground;
    await makeProject(service, 'red');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    await makeNetwork(service, 'net0', 'red');
    await rounds(8, async (turn) => {
      service.simulated('sw0').faults = {};
      await connect(service, 'n1', 'eth0', 'net0');
      // A detachment that is done lets the next connection in.
      service.simulated('sw0').faults = { delayMs: 400 };
      const answers = await Promise.all([
        ground.admin(turn).post('/node/n1/nic/eth0/detach_network', { network: 'net0' }),
        ground.admin(turn + 1).post('/switch/sw0/port/n1/eth0/revert'),
        ground.admin(turn).post('/node/n1/nic/eth0/connect_network', { network: 'net0' }),
      ]);
      expect(tally(answers.map(({ status }) => status))).toEqual({ 202: 1, 409: 2 });
      await allSettled(service);
      expect(await networksOf(service, 'n1', 'eth0')).toEqual({});
    });
  });

  it('grants and revocations of one access add up', async () => {
    const ground = await start();
    const { service } = ground;
    await makeProject(service, 'red');
    await makeProject(service, 'blue');
    await makeNetwork(service, 'net', 'red');
    await rounds(6, async () => {
      const calls = await manyAtOnce(20, (turn) =>
        turn < 10
          ? ground.admin(turn).put('/network/net/access/blue')
          : ground.admin(turn).del('/network/net/access/blue'),
      );
      const [grants, revocations] = [tally(calls.slice(0, 10)), tally(calls.slice(10))];
      expect((grants[200] ?? 0) + (grants[409] ?? 0)).toBe(10);
      expect((revocations[200] ?? 0) + (revocations[404] ?? 0)).toBe(10);
      const { access } = (await service.admin.get('/network/net')).body as { access: string[] };
      const balance = (grants[200] ?? 0) - (revocations[200] ?? 0);
      expect(access).toEqual(balance === 1 ? ['blue', 'red'] : ['red']);
      expect([0, 1]).toContain(balance);
      await service.admin.del('/network/net/access/blue');
    });
  });
});
