import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { passwordOf, serviceForTest } from '../support/services/service.ts';
import { enc, message, oddLabels, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

describe.each(engines)('users on %s', (engine) => {
  const service = sharedService(engine);
  const users = async () => (await done(service().admin.get('/auth/basic/users'))).body as Record<string, unknown>;
  const makeAdmin = async (name: string) => {
    await done(service().admin.put(`/auth/basic/user/${name}`, { password: passwordOf(name), is_admin: true }));
    return service().as(name);
  };

  describe('user_create', () => {
    it('makes a user without administrative access or projects, and says nothing', async () => {
      const answer = await service().admin.put('/auth/basic/user/plain', { password: passwordOf('plain') });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await users())['plain']).toEqual({ is_admin: false, projects: [] });
      expect((await service().as('plain').get('/headnode_images/')).status).toBe(200);
      expect(await refusal(service().as('plain').get('/projects'))).toBe('401 AuthorizationError');
    });

    it.each<[string, Record<string, boolean>, boolean]>([
      ['is-admin', { 'is-admin': true }, true],
      ['is_admin', { is_admin: true }, true],
      ['both', { is_admin: true, 'is-admin': true }, true],
      ['neither', {}, false],
      ['a false is-admin', { 'is-admin': false }, false],
    ])('takes the admin flag as %s', async (name, flags, expected) => {
      const path = enc(`flag ${name}`);
      await done(service().admin.put(`/auth/basic/user/${path}`, { password: 'p', ...flags }));
      expect((await users())[`flag ${name}`]).toEqual({ is_admin: expected, projects: [] });
      expect((await service().as(`flag ${name}`, 'p').get('/projects')).status).toBe(expected ? 200 : 401);
    });

    it('refuses two admin flags that disagree', async () => {
      const body = { password: 'p', is_admin: true, 'is-admin': false };
      const answer = service().admin.put('/auth/basic/user/torn', body);
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"is_admin".*"is-admin"/);
      expect(await users()).not.toHaveProperty('torn');
    });

    it('refuses a name that is taken', async () => {
      await makeUser(service(), 'taken');
      const answer = service().admin.put('/auth/basic/user/taken', { password: 'other' });
      expect(await refusal(answer)).toBe('409 DuplicateError');
      expect(await message(answer)).toContain('user taken');
      expect((await service().as('taken').get('/headnode_images/')).status).toBe(200);
    });

    it('of many at once with one name makes one', async () => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => service().admin.put('/auth/basic/user/contended', { password: 'p' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    });

    it.each([{}, { password: 5 }, { password: '' }, { password: null }, { password: 'x'.repeat(1025) }])(
      'needs a password: not %j',
      async (body) => {
        const answer = service().admin.put('/auth/basic/user/nameless', body);
        expect(await refusal(answer)).toBe('400 ValidationError');
        expect(await message(answer)).toMatch(/"password".*expected/);
      },
    );

    it('needs an admin flag that is true or false', async () => {
      const answer = service().admin.put('/auth/basic/user/nameless', { password: 'p', is_admin: 'yes' });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"is_admin".*true or false/);
    });

    it('refuses a colon in the name, where HTTP Basic would end it', async () => {
      const answer = service().admin.put('/auth/basic/user/a:b', { password: 'p' });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"username".*colon/);
    });

    it.each(['pass:word:', ' spaces at the ends ', 'ünï 日本 🐎', 'nul \u0000', 'x'.repeat(1024)])(
      'takes the password %j',
      async (password) => {
        const name = `speaker ${Object.keys(await users()).length}`;
        await done(service().admin.put(`/auth/basic/user/${enc(name)}`, { password }));
        expect((await service().as(name, password).get('/headnode_images/')).status).toBe(200);
        expect((await service().as(name, `${password}x`).get('/headnode_images/')).status).toBe(401);
      },
    );

    it('never tells a password again', async () => {
      const password = 'a password nobody may read';
      await done(service().admin.put('/auth/basic/user/discreet', { password }));
      await done(service().as('discreet', password).get('/nodes/all'));
      const answers = [
        await service().admin.get('/auth/basic/users'),
        await service().admin.get('/events?user=discreet'),
      ].map(({ text }) => text);
      expect([...answers, ...service().log].join()).not.toContain(password);
      expect(answers.join()).not.toContain('argon2');
    });
  });

  it.each(oddLabels)('a user may be called $what', async ({ label }) => {
    await makeProject(service(), enc(label));
    await done(service().admin.put(`/auth/basic/user/${enc(label)}`, { password: 'p' }));
    await done(service().admin.post(`/auth/basic/user/${enc(label)}/add_project`, { project: label }));
    const { text } = await service().admin.get('/auth/basic/users');
    expect(text).toContain(`${JSON.stringify(label)}:{"is_admin":false,"projects":[${JSON.stringify(label)}]}`);
    expect(
      (
        await service()
          .as(label, 'p')
          .get(`/project/${enc(label)}/nodes`)
      ).body,
    ).toEqual([]);
    await done(service().admin.del(`/auth/basic/user/${enc(label)}`));
  });

  it('list_users names everyone, with their projects sorted', async () => {
    for (const project of ['zebra', 'apple']) await makeProject(service(), project);
    await makeUser(service(), 'wide', 'zebra', 'apple');
    expect(await users()).toMatchObject({
      admin: { is_admin: true, projects: [] },
      wide: { is_admin: false, projects: ['apple', 'zebra'] },
    });
  });

  describe('user_delete', () => {
    it('makes the user unknown, and says nothing', async () => {
      await makeProject(service(), 'deserted');
      await makeUser(service(), 'goner', 'deserted');
      const answer = await service().admin.del('/auth/basic/user/goner');
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(await users()).not.toHaveProperty('goner');
      expect(await refusal(service().admin.del('/auth/basic/user/goner'))).toBe('404 NotFoundError');
    });

    it('leaves nothing to a new user of that name', async () => {
      await makeProject(service(), 'inherited');
      await makeUser(service(), 'phoenix', 'inherited');
      await done(service().admin.del('/auth/basic/user/phoenix'));
      await makeUser(service(), 'phoenix');
      expect((await users())['phoenix']).toEqual({ is_admin: false, projects: [] });
    });
  });

  describe('user_set_admin', () => {
    it('gives administrative access and takes it away, at once', async () => {
      const user = await makeUser(service(), 'riser');
      expect((await user.get('/projects')).status).toBe(401);
      const answer = await service().admin.patch('/auth/basic/user/riser', { is_admin: true });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await user.get('/projects')).status).toBe(200);
      await done(service().admin.patch('/auth/basic/user/riser', { is_admin: false }));
      expect((await user.get('/projects')).status).toBe(401);
    });

    it('may be said again', async () => {
      await makeUser(service(), 'steady');
      await done(service().admin.patch('/auth/basic/user/steady', { is_admin: false }));
    });

    it('of a missing user is a 404', async () => {
      expect(await refusal(service().admin.patch('/auth/basic/user/nobody', { is_admin: true }))).toBe(
        '404 NotFoundError',
      );
    });

    it('is not for oneself', async () => {
      const boss = await makeAdmin('boss');
      const answer = boss.patch('/auth/basic/user/boss', { is_admin: false });
      expect(await refusal(answer)).toBe('409 IllegalStateError');
      expect((await users())['boss']).toMatchObject({ is_admin: true });
    });

    it.each([{}, { is_admin: 'true' }, { 'is-admin': true }])('needs is_admin: not %j', async (body) => {
      const answer = service().admin.patch('/auth/basic/user/steady', body);
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toContain('"is_admin"');
    });
  });

  it('the last administrator can be neither deleted nor demoted', async () => {
    const alone = await serviceForTest(engine);
    expect(await refusal(alone.admin.del('/auth/basic/user/admin'))).toBe('409 IllegalStateError');
    expect(await refusal(alone.admin.patch('/auth/basic/user/admin', { is_admin: false }))).toBe(
      '409 IllegalStateError',
    );
    await done(alone.admin.put('/auth/basic/user/second', { password: passwordOf('second'), is_admin: true }));
    await done(alone.as('second').patch('/auth/basic/user/admin', { is_admin: false }));
    expect(await refusal(alone.as('second').del('/auth/basic/user/second'))).toBe('409 IllegalStateError');
  });

  it('two administrators who delete each other at once leave one', async () => {
    const pair = await serviceForTest(engine);
    await done(pair.admin.put('/auth/basic/user/second', { password: passwordOf('second'), is_admin: true }));
    const second = pair.as('second');
    await done(second.get('/projects'));
    const answers = await Promise.all([
      pair.admin.del('/auth/basic/user/second'),
      second.patch('/auth/basic/user/admin', { is_admin: false }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  describe('memberships', () => {
    it('give access to a project and take it away, at once', async () => {
      await makeProject(service(), 'club');
      const user = await makeUser(service(), 'guest');
      expect((await user.get('/project/club/nodes')).status).toBe(401);
      const added = await service().admin.post('/auth/basic/user/guest/add_project', { project: 'club' });
      expect([added.status, added.text]).toEqual([200, '']);
      expect((await user.get('/project/club/nodes')).status).toBe(200);
      const removed = await service().admin.post('/auth/basic/user/guest/remove_project', { project: 'club' });
      expect([removed.status, removed.text]).toEqual([200, '']);
      expect((await user.get('/project/club/nodes')).status).toBe(401);
    });

    it('are given once', async () => {
      await makeProject(service(), 'once');
      await makeUser(service(), 'doubler', 'once');
      const answer = service().admin.post('/auth/basic/user/doubler/add_project', { project: 'once' });
      expect(await refusal(answer)).toBe('409 DuplicateError');
      expect(await message(answer)).toMatch(/user doubler .* project once/);
    });

    it('that are not there cannot be taken away', async () => {
      await makeProject(service(), 'foreign');
      await makeUser(service(), 'outsider');
      const answer = service().admin.post('/auth/basic/user/outsider/remove_project', { project: 'foreign' });
      expect(await refusal(answer)).toBe('404 NotFoundError');
    });

    it.each(['add_project', 'remove_project'])('%s needs a user and a project that exist', async (call) => {
      const { admin } = service();
      for (const [user, project] of [
        ['nobody', 'once'],
        ['doubler', 'nowhere'],
      ]) {
        expect(await refusal(admin.post(`/auth/basic/user/${user ?? ''}/${call}`, { project }))).toBe(
          '404 NotFoundError',
        );
      }
      expect(await refusal(admin.post(`/auth/basic/user/doubler/${call}`, {}))).toBe('400 ValidationError');
    });
  });

  it('users are for administrators, who are asked for before anything is looked up or checked', async () => {
    const user = await makeUser(service(), 'curious');
    for (const client of [user, service().anonymous]) {
      for (const name of ['curious', 'nobody']) {
        const calls = [
          client.get('/auth/basic/users'),
          client.put(`/auth/basic/user/${name}`, {}),
          client.patch(`/auth/basic/user/${name}`, { is_admin: true }),
          client.post(`/auth/basic/user/${name}/add_project`, { project: 'once' }),
          client.post(`/auth/basic/user/${name}/remove_project`, { project: 'once' }),
          client.del(`/auth/basic/user/${name}`),
        ];
        for (const call of calls) expect(await refusal(call)).toBe('401 AuthorizationError');
      }
    }
    expect((await users())['curious']).toEqual({ is_admin: false, projects: [] });
  });
});
