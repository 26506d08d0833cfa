import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  detach,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('nodes of projects on %s', (engine) => {
  const service = sharedService(engine);

  it('a node goes to a project, on a network, and back', async () => {
    await makeProject(service(), 'red');
    const alice = await makeUser(service(), 'alice', 'red');
    await makeNode(service(), 'n1', ['eth0']);
    await reserve(service(), 'red', 'n1');
    expect((await alice.get('/nodes/free')).body).not.toContain('n1');
    await makeNetwork(service(), 'net', 'red');
    await connect(service(), 'n1', 'eth0', 'net');
    expect((await alice.get('/node/n1')).body).toEqual({
      name: 'n1',
      project: 'red',
      nics: [{ label: 'eth0', macaddr: '52:54:00:00:00:01', networks: { 'vlan/native': 'net' } }],
      metadata: {},
    });
    expect(service().simulated('sw0').read(['n1/eth0'])).toEqual([{ port: 'n1/eth0', native: 100, tagged: [] }]);
    expect(await refusal(alice.post('/project/red/detach_node', { node: 'n1' }))).toBe('409 BlockedError');
    await detach(service(), 'n1', 'eth0', 'net');
    await done(alice.post('/project/red/detach_node', { node: 'n1' }));
    expect((await service().anonymous.get('/nodes/free')).body).toContain('n1');
  });

  describe('project_connect_node', () => {
    it('reserves a free node for a member, and says nothing', async () => {
      await makeProject(service(), 'takers');
      const member = await makeUser(service(), 'taker', 'takers');
      await makeNode(service(), 'wanted');
      const answer = await member.post('/project/takers/connect_node', { node: 'wanted' });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await member.get('/node/wanted')).body).toMatchObject({ project: 'takers' });
      expect((await member.get('/project/takers/nodes')).body).toEqual(['wanted']);
    });

    it('refuses a node that is not free, in another project or in the same', async () => {
      for (const project of ['first', 'second']) await makeProject(service(), project);
      await makeNode(service(), 'one-only');
      await reserve(service(), 'first', 'one-only');
      for (const project of ['first', 'second']) {
        const answer = service().admin.post(`/project/${project}/connect_node`, { node: 'one-only' });
        expect(await refusal(answer)).toBe('409 BlockedError');
      }
      expect((await service().admin.get('/node/one-only')).body).toMatchObject({ project: 'first' });
    });

    it('gives a node to one of many who want it at once', async () => {
      const projects = Array.from({ length: 8 }, (_, index) => `racer${index}`);
      for (const project of projects) await makeProject(service(), project);
      await makeNode(service(), 'prize');
      const answers = await Promise.all(
        projects.map((project) => service().admin.post(`/project/${project}/connect_node`, { node: 'prize' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    });

    it('knows neither missing projects nor missing nodes', async () => {
      await makeProject(service(), 'seekers');
      await makeNode(service(), 'sought');
      const member = await makeUser(service(), 'seeker', 'seekers');
      const calls = [
        member.post('/project/nowhere/connect_node', { node: 'sought' }),
        member.post('/project/seekers/connect_node', { node: 'nothing' }),
      ];
      for (const call of calls) expect(await refusal(call)).toBe('404 NotFoundError');
    });

    it('is for members and administrators', async () => {
      await makeProject(service(), 'closed');
      await makeNode(service(), 'safe');
      const stranger = await makeUser(service(), 'stranger');
      for (const client of [stranger, service().anonymous]) {
        const answer = client.post('/project/closed/connect_node', { node: 'safe' });
        expect(await refusal(answer)).toBe('401 AuthorizationError');
      }
      expect(await refusal(service().anonymous.post('/project/nowhere/connect_node', {}))).toBe(
        '401 AuthorizationError',
      );
      expect((await service().anonymous.get('/nodes/free')).body).toContain('safe');
    });

    it.each([{}, { node: 7 }, { node: 'a/b' }, { node: '' }])('needs the label of a node: not %j', async (body) => {
      const answer = service().admin.post('/project/closed/connect_node', body);
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"node".*expected/);
    });
  });

  describe('project_detach_node', () => {
    it('frees the node for the next project, and says nothing', async () => {
      for (const project of ['before', 'after']) await makeProject(service(), project);
      const member = await makeUser(service(), 'leaver', 'before');
      await makeNode(service(), 'wanderer');
      await reserve(service(), 'before', 'wanderer');
      const answer = await member.post('/project/before/detach_node', { node: 'wanderer' });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await service().anonymous.get('/node/wanderer')).body).toMatchObject({ project: null });
      await reserve(service(), 'after', 'wanderer');
    });

    it('refuses a node that is not in the project', async () => {
      for (const project of ['mine', 'yours']) await makeProject(service(), project);
      for (const node of ['not-mine', 'free-one']) await makeNode(service(), node);
      await reserve(service(), 'yours', 'not-mine');
      const member = await makeUser(service(), 'owner', 'mine');
      for (const node of ['not-mine', 'free-one']) {
        const answer = member.post('/project/mine/detach_node', { node });
        expect(await refusal(answer)).toBe('409 ProjectMismatchError');
      }
      expect((await service().admin.get('/node/not-mine')).body).toMatchObject({ project: 'yours' });
    });

    it('refuses a node with a pending networking action', async () => {
      await makeProject(service(), 'pending');
      await makeNode(service(), 'waiting', ['eth0'], 'sw-slow');
      await reserve(service(), 'pending', 'waiting');
      await makeNetwork(service(), 'slow-net', 'pending');
      service().simulated('sw-slow').faults = { unreachable: true };
      const queued = await service().admin.post('/node/waiting/nic/eth0/connect_network', { network: 'slow-net' });
      const answer = service().admin.post('/project/pending/detach_node', { node: 'waiting' });
      expect(await refusal(answer)).toBe('409 BlockedError');
      expect(await message(answer)).toContain('pending');
      service().simulated('sw-slow').faults = {};
      expect((await settled(service(), queued)).status).toBe('DONE');
    });

    it('refuses a node whose OBM is enabled', async () => {
      const daemon = await startLabObmd({ adminToken: 'secret' });
      onTestFinished(() => daemon.close());
      daemon.add('managed');
      const { admin } = service();
      await makeProject(service(), 'managers');
      await done(admin.put('/node/managed', { obmd: { uri: daemon.uri('managed'), admin_token: 'secret' } }));
      await reserve(service(), 'managers', 'managed');
      await done(admin.put('/node/managed/obm', { enabled: true }));
      expect(await refusal(admin.post('/project/managers/detach_node', { node: 'managed' }))).toBe('409 BlockedError');
      await done(admin.put('/node/managed/obm', { enabled: false }));
      await done(admin.post('/project/managers/detach_node', { node: 'managed' }));
    });

    it('knows neither missing projects nor missing nodes, and is for members and administrators', async () => {
      await makeProject(service(), 'leavers');
      await makeNode(service(), 'stuck');
      await reserve(service(), 'leavers', 'stuck');
      const stranger = await makeUser(service(), 'leaving-stranger');
      const { admin, anonymous } = service();
      expect(await refusal(admin.post('/project/nowhere/detach_node', { node: 'stuck' }))).toBe('404 NotFoundError');
      expect(await refusal(admin.post('/project/leavers/detach_node', { node: 'nil' }))).toBe('404 NotFoundError');
      for (const client of [stranger, anonymous]) {
        const answer = client.post('/project/leavers/detach_node', { node: 'stuck' });
        expect(await refusal(answer)).toBe('401 AuthorizationError');
      }
    });
  });
});
