import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { enc, message, oddLabels, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.each(engines)('projects on %s', (engine) => {
  const service = sharedService(engine);

  describe('project_create', () => {
    it('makes a project, and says nothing', async () => {
      const answer = await service().admin.put('/project/made');
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await service().admin.get('/projects')).body).toContain('made');
    });

    it('refuses a label that is taken', async () => {
      await makeProject(service(), 'taken');
      const answer = service().admin.put('/project/taken');
      expect(await refusal(answer)).toBe('409 DuplicateError');
      expect(await message(answer)).toContain('project taken');
    });

    it('refuses the label admin, which means the operator', async () => {
      const answer = service().admin.put('/project/admin');
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"project".*not "admin"/);
      await makeProject(service(), 'Admin');
    });

    it('is for administrators, who are asked for first', async () => {
      const user = await makeUser(service(), 'creator', 'made');
      for (const client of [user, service().anonymous]) {
        for (const project of ['made', 'unmade', 'admin']) {
          expect(await refusal(client.put(`/project/${project}`))).toBe('401 AuthorizationError');
        }
      }
      expect((await service().admin.get('/projects')).body).not.toContain('unmade');
    });

    it.each(oddLabels)('takes $what for a label', async ({ label }) => {
      await makeProject(service(), enc(label));
      expect((await service().admin.get('/projects')).body).toContain(label);
      expect((await service().admin.get(`/project/${enc(label)}/nodes`)).body).toEqual([]);
      await done(service().admin.del(`/project/${enc(label)}`));
    });
  });

  describe('list_projects', () => {
    it('lists labels in order', async () => {
      for (const project of ['order-b', 'order-a', 'order-B', 'order-ä']) await makeProject(service(), project);
      const listed = (await service().admin.get('/projects')).body as string[];
      expect(listed.filter((label) => label.startsWith('order-'))).toEqual([
        'order-B',
        'order-a',
        'order-b',
        'order-ä',
      ]);
    });

    it('is for administrators', async () => {
      const user = await makeUser(service(), 'lister');
      expect(await refusal(user.get('/projects'))).toBe('401 AuthorizationError');
      expect(await refusal(service().anonymous.get('/projects'))).toBe('401 AuthorizationError');
    });
  });

  describe('project_delete', () => {
    it('makes the project unknown, and says nothing', async () => {
      await makeProject(service(), 'goner');
      const answer = await service().admin.del('/project/goner');
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(await refusal(service().admin.get('/project/goner/nodes'))).toBe('404 NotFoundError');
    });

    it('of a missing project is a 404', async () => {
      expect(await refusal(service().admin.del('/project/never'))).toBe('404 NotFoundError');
    });

    it('is for administrators, who are asked for first', async () => {
      await makeProject(service(), 'stays');
      const member = await makeUser(service(), 'stayer', 'stays');
      for (const client of [member, service().anonymous]) {
        for (const project of ['stays', 'never']) {
          expect(await refusal(client.del(`/project/${project}`))).toBe('401 AuthorizationError');
        }
      }
    });

    it('is refused while the project has nodes', async () => {
      await makeProject(service(), 'with-node');
      await makeNode(service(), 'kept');
      await reserve(service(), 'with-node', 'kept');
      expect(await refusal(service().admin.del('/project/with-node'))).toBe('409 BlockedError');
      expect(await message(service().admin.del('/project/with-node'))).toContain('node kept');
      await done(service().admin.post('/project/with-node/detach_node', { node: 'kept' }));
      await done(service().admin.del('/project/with-node'));
    });

    it('is refused while the project owns networks', async () => {
      await makeProject(service(), 'with-network');
      await makeNetwork(service(), 'kept-net', 'with-network');
      expect(await refusal(service().admin.del('/project/with-network'))).toBe('409 BlockedError');
      expect(await message(service().admin.del('/project/with-network'))).toContain('network kept-net');
      await done(service().admin.del('/network/kept-net'));
      await done(service().admin.del('/project/with-network'));
    });

    it('is refused while the project owns a public network', async () => {
      await makeProject(service(), 'with-public');
      await done(service().admin.put('/network/public-net', { owner: 'with-public', access: '', net_id: '' }));
      expect(await refusal(service().admin.del('/project/with-public'))).toBe('409 BlockedError');
      expect(await message(service().admin.del('/project/with-public'))).toContain('network public-net');
    });

    it('is refused while the project has headnodes', async () => {
      await makeProject(service(), 'with-headnode');
      await done(service().admin.put('/headnode/kept-hn', { project: 'with-headnode', base_img: 'base' }));
      expect(await refusal(service().admin.del('/project/with-headnode'))).toBe('409 BlockedError');
      expect(await message(service().admin.del('/project/with-headnode'))).toContain('headnode kept-hn');
      await done(service().admin.del('/headnode/kept-hn'));
      await done(service().admin.del('/project/with-headnode'));
    });

    it('is refused while the project has access to a network', async () => {
      await makeProject(service(), 'with-access');
      await done(service().admin.put('/network/granted', { owner: 'admin', access: 'with-access', net_id: '' }));
      expect(await refusal(service().admin.del('/project/with-access'))).toBe('409 BlockedError');
      expect(await message(service().admin.del('/project/with-access'))).toContain('network granted');
      await done(service().admin.del('/network/granted/access/with-access'));
      await done(service().admin.del('/project/with-access'));
    });

    it('takes the memberships of users along: a new project of that label is not theirs', async () => {
      await makeProject(service(), 'reborn');
      const member = await makeUser(service(), 'orphan', 'reborn');
      expect((await member.get('/project/reborn/nodes')).status).toBe(200);
      await done(service().admin.del('/project/reborn'));
      expect((await service().admin.get('/auth/basic/users')).body).toMatchObject({ orphan: { projects: [] } });
      await makeProject(service(), 'reborn');
      expect(await refusal(member.get('/project/reborn/nodes'))).toBe('401 AuthorizationError');
    });
  });

  describe.each(['nodes', 'networks', 'headnodes'])('list_project_%s', (kind) => {
    it('is for members and administrators', async () => {
      const { admin, anonymous } = service();
      await makeProject(service(), `lists-${kind}`);
      const member = await makeUser(service(), `member-${kind}`, `lists-${kind}`);
      const stranger = await makeUser(service(), `stranger-${kind}`);
      for (const client of [member, admin]) {
        expect((await client.get(`/project/lists-${kind}/${kind}`)).body).toEqual([]);
        expect(await refusal(client.get(`/project/nowhere/${kind}`))).toBe('404 NotFoundError');
      }
      for (const client of [stranger, anonymous]) {
        expect(await refusal(client.get(`/project/lists-${kind}/${kind}`))).toBe('401 AuthorizationError');
      }
      expect(await refusal(anonymous.get(`/project/nowhere/${kind}`))).toBe('401 AuthorizationError');
    });
  });

  it('lists what a project has, sorted: its nodes, its headnodes, the networks it owns or was given', async () => {
    const { admin } = service();
    for (const project of ['rich', 'poor']) await makeProject(service(), project);
    for (const label of ['b', 'a']) {
      await makeNode(service(), `rich-${label}`);
      await reserve(service(), 'rich', `rich-${label}`);
      await done(admin.put(`/headnode/rich-${label}`, { project: 'rich', base_img: 'base' }));
      await makeNetwork(service(), `rich-${label}`, 'rich');
    }
    await done(admin.put('/network/lent', { owner: 'admin', access: 'rich', net_id: '' }));
    await done(admin.put('/network/open', { owner: 'admin', access: '', net_id: '' }));
    await makeNetwork(service(), 'poor-net', 'poor');
    expect((await admin.get('/project/rich/nodes')).body).toEqual(['rich-a', 'rich-b']);
    expect((await admin.get('/project/rich/headnodes')).body).toEqual(['rich-a', 'rich-b']);
    expect((await admin.get('/project/rich/networks')).body).toEqual(['lent', 'rich-a', 'rich-b']);
  });
});
