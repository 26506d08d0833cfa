import { describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, eventually, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

interface Claim {
  readonly claim: string;
  readonly state: string;
  readonly place: number | null;
  readonly nodes: readonly string[];
  readonly reason: string | null;
  readonly user: string;
}

describe.each(engines)('claims that wait on %s', (engine) => {
  const service = sharedService(engine);
  let count = 0;

  /** Nodes with a key of metadata of their own, all reserved by project `<key>-owner`; and a member of `<key>`. */
  const site = async (nodes: readonly string[], more: Readonly<Record<string, unknown>> = {}) => {
    const key = `line${(count += 1)}`;
    for (const project of [key, `${key}-owner`]) await makeProject(service(), project);
    for (const node of nodes) {
      await done(
        service().admin.put(`/node/${key}-${node}`, {
          obmd,
          metadata: { [key]: true, [`${key}.${node}`]: 1, ...more },
        }),
      );
      await reserve(service(), `${key}-owner`, `${key}-${node}`);
    }
    const member = await makeUser(service(), `${key}-member`, key);
    const free = (node: string) =>
      done(service().admin.post(`/project/${key}-owner/detach_node`, { node: `${key}-${node}` }));
    const other = await makeUser(service(), `${key}-other`, `${key}-owner`);
    const claim = (body: Readonly<Record<string, unknown>>, as: Client = member, project = key) =>
      as.post(`/project/${project}/claim`, { match: { metadata: { [key]: { present: true } } }, ...body });
    /** Only this node fits. */
    const only = (node: string) => ({ match: { metadata: { [`${key}.${node}`]: { present: true } } } });
    const queued = async (body: Readonly<Record<string, unknown>>, as: Client = member): Promise<string> => {
      const answer = await claim({ ...body, wait: body['wait'] ?? true }, as);
      expect([answer.status, (answer.body as Claim).state], answer.text).toEqual([202, 'waiting']);
      return (answer.body as Claim).claim;
    };
    return { key, member, other, free, claim, only, queued };
  };

  const shown = async (claim: string): Promise<Claim> =>
    (await done(service().admin.get(`/claim/${claim}`))).body as Claim;
  const ended = (claim: string): Promise<Claim> =>
    eventually(async () => {
      const now = await shown(claim);
      return now.state === 'waiting' ? undefined : now;
    });

  it('a claim waits until enough nodes are free, and gets all at once', async () => {
    const { key, member, free, queued } = await site(['n1', 'n2', 'n3']);
    const claim = await queued({ count: 2 });
    expect(await shown(claim)).toMatchObject({ state: 'waiting', place: expect.any(Number) as number, nodes: [] });
    await free('n3');
    expect((await member.get(`/project/${key}/nodes`)).body).toEqual([]);
    await free('n1');
    expect(await ended(claim)).toMatchObject({
      state: 'served',
      nodes: [`${key}-n1`, `${key}-n3`],
      place: null,
      user: `${key}-member`,
    });
    expect((await member.get(`/project/${key}/nodes`)).body).toEqual([`${key}-n1`, `${key}-n3`]);
    const { events } = (await member.get(`/events?project=${key}&limit=100`)).body as {
      events: { type: string; caller: string }[];
    };
    expect(events.map(({ type, caller }) => `${type} ${caller}`)).toEqual(
      expect.arrayContaining([
        `claim_served ${key}-member`,
        `project_connect_node ${key}-member`,
        `claim_waiting ${key}-member`,
      ]) as unknown,
    );
  });

  it('takes what is free at once, although it would wait', async () => {
    const { key, free, claim } = await site(['n1']);
    await free('n1');
    const answer = await claim({ count: 1, wait: true });
    expect([answer.status, answer.body]).toEqual([
      200,
      { state: 'served', nodes: [`${key}-n1`], claim: null, place: null },
    ]);
  });

  it('a node that fits an earlier claim is not given to a later one, waiting or not', async () => {
    const { key, free, claim, only, queued } = await site(['n1', 'n2', 'n3', 'n4']);
    const first = await queued({ count: 2 });
    const second = await queued({ count: 1, ...only('n1') });
    await free('n1');
    expect(await refusal(claim({ count: 1 }))).toBe('409 BlockedError');
    expect(await message(claim({ count: 1 }))).toContain('1 fits but is kept for claims that came earlier');
    const preview = { count: 1, match: { metadata: { [key]: { present: true } } } };
    const counted = await done(service().admin.post(`/project/${key}/claim/preview`, preview));
    expect(counted.body).toMatchObject({ fit: 0, nodes: [] });
    expect((await shown(second)).state).toBe('waiting');
    await free('n2');
    expect((await ended(first)).nodes).toEqual([`${key}-n1`, `${key}-n2`]);
    // What the first does not need is for the next.
    expect((await shown(second)).state).toBe('waiting');
    const third = await queued({ count: 2 });
    await free('n3');
    await done(service().admin.del(`/claim/${third}`));
    expect((await claim({ count: 1 })).status).toBe(200);
    await done(service().admin.post(`/project/${key}/detach_node`, { node: `${key}-n1` }));
    expect((await ended(second)).nodes).toEqual([`${key}-n1`]);
  });

  it('project_connect_node passes the line by', async () => {
    const { key, free, queued } = await site(['n1', 'n2']);
    const claim = await queued({ count: 2 });
    await free('n1');
    await reserve(service(), `${key}-owner`, `${key}-n1`);
    await free('n2');
    expect((await shown(claim)).state).toBe('waiting');
    await free('n1');
    expect((await ended(claim)).state).toBe('served');
  });

  it('claims are shown to their project and administrators, and can be cancelled once', async () => {
    const { key, member, queued } = await site(['n1']);
    const claim = await queued({ count: 1 });
    const stranger = await makeUser(service(), `${key}-stranger`, `${key}-owner`);
    expect(await refusal(stranger.get(`/claim/${claim}`))).toBe('401 AuthorizationError');
    expect(await refusal(stranger.del(`/claim/${claim}`))).toBe('401 AuthorizationError');
    expect(await refusal(stranger.get(`/project/${key}/claims`))).toBe('401 AuthorizationError');
    expect(await refusal(member.get('/claim/none'))).toBe('404 NotFoundError');
    const listed = (await done(member.get(`/project/${key}/claims`))).body as Claim[];
    expect(listed).toEqual([(await done(member.get(`/claim/${claim}`))).body]);
    await done(member.del(`/claim/${claim}`));
    expect(await shown(claim)).toMatchObject({ state: 'cancelled', place: null, nodes: [] });
    expect(await refusal(member.del(`/claim/${claim}`))).toBe('409 IllegalStateError');
  });

  it('does not show a tenant the switch that an administrator asked for', async () => {
    const { key, member, claim, queued } = await site([]);
    await done(service().admin.put(`/switch/${key}-sw`, { type: 'mock', hostname: key, username: 'u', password: 'p' }));
    await done(service().admin.put(`/node/${key}-n`, { obmd }));
    await done(service().admin.put(`/node/${key}-n/nic/eth0`, { macaddr: 'm' }));
    await done(service().admin.put(`/switch/${key}-sw/port/p1`));
    await done(service().admin.post(`/switch/${key}-sw/port/p1/connect_nic`, { node: `${key}-n`, nic: 'eth0' }));
    await eventually(async () => {
      const answer = await service().admin.post(`/project/${key}-owner/connect_node`, { node: `${key}-n` });
      return answer.status === 200 ? true : undefined;
    });
    const match = { switch: `${key}-sw` };
    const made = await queued({ count: 1, match }, service().admin);
    expect(await shown(made)).toMatchObject({ match });
    expect((await done(member.get(`/claim/${made}`))).body).toMatchObject({ match: {} });
    expect((await done(member.get(`/claim/${made}`))).text).not.toContain(`${key}-sw`);
    expect(await refusal(claim({ count: 1, match }))).toBe('401 AuthorizationError');
  });

  it('ends when its time is over', async () => {
    const { queued, free } = await site(['n1']);
    const until = new Date(Date.now() + 1_500).toISOString();
    const claim = await queued({ count: 1, wait: { until } });
    expect(await ended(claim)).toMatchObject({ state: 'expired', nodes: [] });
    await free('n1');
  });

  it('is not served for someone who is no member any more, and not without their rights', async () => {
    const { key, free, queued } = await site(['n1']);
    const claim = await queued({ count: 1 });
    await done(service().admin.post(`/auth/basic/user/${key}-member/remove_project`, { project: key }));
    await free('n1');
    expect(await ended(claim)).toMatchObject({
      state: 'ended',
      reason: `${key}-member has no access to the project any more`,
    });
    expect((await service().admin.get(`/project/${key}/nodes`)).body).toEqual([]);
  });

  it('ends when its maker is deleted, and another of that name does not inherit it', async () => {
    const { key, free, queued } = await site(['n1']);
    const claim = await queued({ count: 1 });
    await done(service().admin.del(`/auth/basic/user/${key}-member`));
    await makeUser(service(), `${key}-member`, key);
    expect(await shown(claim)).toMatchObject({ state: 'ended', reason: `user ${key}-member was deleted` });
    await free('n1');
    expect((await service().anonymous.get(`/node/${key}-n1`)).body).toMatchObject({ project: null });
  });

  it('ends with its project', async () => {
    const { key, queued } = await site(['n1']);
    const claim = await queued({ count: 1 });
    await done(service().admin.del(`/project/${key}`));
    expect(await refusal(service().admin.get(`/claim/${claim}`))).toBe('404 NotFoundError');
    await makeProject(service(), key);
    expect((await done(service().admin.get(`/project/${key}/claims`))).body).toEqual([]);
  });

  it('waits for nothing that does not exist, and a project has ten at most', async () => {
    const { claim, queued } = await site(['n1']);
    expect(await message(claim({ count: 2, wait: true }))).toBe(
      '2 nodes are asked for, and 1 fit, free or not: a claim cannot wait for nodes that do not exist',
    );
    for (let made = 0; made < 10; made += 1) await queued({ count: 1 });
    expect(await message(claim({ count: 1, wait: true }))).toMatch(/has 10 waiting claims; cancel one first/);
  });

  it('a claim that the quota of its project keeps back does not keep others back, and is served when it may be', async () => {
    const { key, member, free, claim, queued } = await site(['n1', 'n2', 'n3']);
    const first = await queued({ count: 2 });
    await done(service().admin.put('/quota/nodes', { project: key, limit: 1 }));
    await free('n1');
    await free('n2');
    const reason = await eventually(async () => (await shown(first)).reason ?? undefined);
    expect(reason).toContain(`project ${key} has 1 of 1 nodes`);
    expect((await shown(first)).state).toBe('waiting');
    expect((await member.get(`/project/${key}/nodes`)).body).toEqual([]);
    // Those nodes are for others now.
    expect((await claim({ count: 1 })).status).toBe(200);
    expect(await refusal(claim({ count: 1 }))).toBe('409 BlockedError');
    // It has its place in line again as soon as the quota is not in its way.
    await done(service().admin.put('/quota/nodes', { project: key, limit: 3 }));
    expect(await message(claim({ count: 1 }))).toMatch(/1 fits but is kept for claims that came earlier/);
    await free('n3');
    expect(await ended(first)).toMatchObject({ state: 'served', reason: null, nodes: [`${key}-n2`, `${key}-n3`] });
  });

  it.each([{ limit: 1 }, { limit: 1, class: 'big' }])(
    'a claim for more than the quota %j of its project allows keeps nothing from others, and is served when it may be',
    async (quota) => {
      const { key, free, claim, queued, other } = await site(['n1', 'n2', 'n3'], { class: 'big' });
      await done(service().admin.put('/quota/nodes', { project: key, ...quota }));
      const first = await queued({ count: 2 });
      expect((await shown(first)).reason).toBe(`the quotas of project ${key} leave room for 1 of these nodes`);
      await free('n1');
      expect((await claim({ count: 1 }, other, `${key}-owner`)).status).toBe(200);
      // It has its place in line as soon as the quota is not in its way.
      await done(service().admin.put('/quota/nodes', { project: key, ...quota, limit: 2 }));
      await free('n2');
      expect(await message(claim({ count: 1 }, other, `${key}-owner`))).toContain('kept for claims that came earlier');
      await free('n3');
      expect(await ended(first)).toMatchObject({ state: 'served', reason: null, nodes: [`${key}-n2`, `${key}-n3`] });
    },
  );

  it('a claim keeps its place although its project may have no more nodes of a class that it does not need', async () => {
    const { key, free, claim, queued, other } = await site(['n1', 'n2', 'n3']);
    await done(service().admin.put('/quota/nodes', { project: key, class: 'big', limit: 0 }));
    const first = await queued({ count: 2 });
    await free('n1');
    expect(await message(claim({ count: 1 }, other, `${key}-owner`))).toContain('kept for claims that came earlier');
    await free('n2');
    expect(await ended(first)).toMatchObject({ state: 'served', nodes: [`${key}-n1`, `${key}-n2`] });
  });

  it('is served after a change of metadata too', async () => {
    const { key, free, queued, only } = await site(['n1', 'n2']);
    const claim = await queued({ count: 1, ...only('n1') });
    await free('n2');
    await done(service().admin.put(`/node/${key}-n2/metadata/${key}.n1`, { value: 1 }));
    expect((await ended(claim)).nodes).toEqual([`${key}-n2`]);
  });
});
