import { describe, expect, it } from 'vitest';
import { signatureOf, startReceiver } from '../support/http/webhook-receiver.ts';
import { engines } from '../support/services/engines.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

const url = 'http://127.0.0.1:9/hook';
const forProjects = { CORRAL_WEBHOOKS_PROJECT_TARGETS: '127.0.0.1' };

describe.each(engines)('subscriptions on %s', (engine) => {
  const service = sharedService(engine, forProjects);

  it('show where they go and how far they are, and their secret only once', async () => {
    const { admin } = service();
    const filter = { types: ['node_register'], node: 'n1' };
    const made = (await done(admin.put('/subscription/shown', { url, filter }))).body as { secret: string };
    expect(made).toEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string });
    const shown = (await done(admin.get('/subscription/shown'))).body;
    expect(shown).toMatchObject({
      subscription: 'shown',
      project: null,
      url,
      filter,
      state: 'active',
      made_by: 'admin',
      delivered: 0,
      last_result: null,
      lost_up_to: null,
    });
    expect(JSON.stringify(shown)).not.toContain('whsec_');
    expect(await refusal(admin.put('/subscription/shown', { url }))).toBe('409 DuplicateError');
    await done(admin.del('/subscription/shown'));
    expect(await refusal(admin.get('/subscription/shown'))).toBe('404 NotFoundError');
  });

  it.each([
    ['ftp://127.0.0.1/x', 'http or https'],
    ['not a url', 'http or https'],
    ['http://ada:secret@127.0.0.1/hook', 'user name or a password'],
    ['http://169.254.169.254/latest', 'not allowed'],
    ['http://[::ffff:169.254.169.254]/latest', 'not allowed'],
  ])('do not go to %s', async (given, why) => {
    const { admin } = service();
    const answer = () => admin.put('/subscription/refused', { url: given });
    expect(await refusal(answer())).toBe('400 BadArgumentError');
    expect(await message(answer())).toContain(why);
    expect(await message(answer())).not.toContain('ada:secret');
  });

  it('of a project belong to its members, not to those who made them', async () => {
    const { admin } = service();
    for (const project of ['owning', 'foreign']) await makeProject(service(), project);
    const maker = await makeUser(service(), 'maker', 'owning');
    const colleague = await makeUser(service(), 'colleague', 'owning');
    const stranger = await makeUser(service(), 'stranger', 'foreign');
    await done(maker.put('/subscription/ours', { url, project: 'owning' }));
    expect(await refusal(stranger.get('/subscription/ours'))).toBe('401 AuthorizationError');
    expect((await done(stranger.get('/subscriptions'))).body).toEqual([]);
    expect(await refusal(stranger.get('/subscriptions?project=owning'))).toBe('401 AuthorizationError');
    expect(await refusal(maker.put('/subscription/all', { url }))).toBe('401 AuthorizationError');
    // The same refusal, be the project there or not.
    const refused = ['owning', 'no-such'].map((project) => message(stranger.put('/subscription/x', { url, project })));
    expect(new Set(await Promise.all(refused)).size).toBe(1);
    await done(admin.post('/auth/basic/user/maker/remove_project', { project: 'owning' }));
    expect(await refusal(maker.get('/subscription/ours'))).toBe('401 AuthorizationError');
    expect((await done(colleague.get('/subscriptions'))).body).toMatchObject([
      { subscription: 'ours', project: 'owning', made_by: 'maker' },
    ]);
    await done(colleague.patch('/subscription/ours', { paused: true }));
    expect((await done(colleague.get('/subscription/ours'))).body).toMatchObject({ state: 'paused' });
  });

  it('of a project cannot ask for what its members do not see, and go only where the operator lets projects', async () => {
    await makeProject(service(), 'asking');
    const member = await makeUser(service(), 'asker', 'asking');
    const create = (more: object) => member.put('/subscription/asked', { url, project: 'asking', ...more });
    expect(await refusal(create({ filter: { switch: 'sw' } }))).toBe('401 AuthorizationError');
    expect(await refusal(create({ filter: { project: 'other' } }))).toBe('401 AuthorizationError');
    expect(await message(create({ url: 'http://127.0.0.2/hook' }))).toBe(
      'field "url" is an address where webhooks may not go',
    );
    await done(create({ filter: { project: 'asking' } }));
    expect(await refusal(member.patch('/subscription/asked', { url: 'http://127.0.0.2/hook' }))).toBe(
      '400 BadArgumentError',
    );
  });

  it('are at most ten of a project, and go with it', async () => {
    await makeProject(service(), 'crowded');
    const create = (index: number) => service().admin.put(`/subscription/crowd-${index}`, { url, project: 'crowded' });
    for (let index = 0; index < 10; index += 1) await done(create(index));
    expect(await message(create(10))).toBe('project crowded can have at most 10 subscriptions; delete one first');
    await done(service().admin.del('/project/crowded'));
    expect(await refusal(service().admin.get('/subscription/crowd-0'))).toBe('404 NotFoundError');
    // A new project of that name has none of them.
    await makeProject(service(), 'crowded');
    expect((await done(service().admin.get('/subscriptions?project=crowded'))).body).toEqual([]);
  });

  it('are off for projects until the operator says where they may go', async () => {
    const closed = await serviceForTest(engine);
    await makeProject(closed, 'red');
    const member = await makeUser(closed, 'ada', 'red');
    const create = () => member.put('/subscription/hook', { url, project: 'red' });
    expect(await refusal(create())).toBe('409 BlockedError');
    expect(await message(create())).toContain('webhooks.project_targets');
  });

  it('are signed with the old secret too for a day after it was replaced', async () => {
    const receiver = await startReceiver();
    const { admin } = service();
    const { secret: old } = (await done(admin.put('/subscription/rotated', { url: receiver.url }))).body as {
      secret: string;
    };
    const { secret } = (await done(admin.post('/subscription/rotated/rotate_secret'))).body as { secret: string };
    expect(secret).not.toBe(old);
    expect((await done(admin.post('/subscription/rotated/test'))).body).toEqual({
      delivered: true,
      result: 'answered 204',
    });
    const sent = await eventually(() => receiver.received.find(({ type }) => type === 'subscription_test'));
    expect(sent.data).toEqual({ subscription: 'rotated' });
    expect(sent.signatures).toEqual([signatureOf(sent, secret), signatureOf(sent, old)]);
    await done(admin.del('/subscription/rotated'));
  });
});
