import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer, Client } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNode, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

interface Limit {
  readonly project?: string;
  readonly class?: string;
  readonly limit: number | null;
}

const setQuota = (service: Service, what: string, body: Limit): Promise<Answer> =>
  done(service.admin.put(`/quota/${what}`, body));

const makeNodes = async (service: Service, prefix: string, count: number, nodeClass?: string): Promise<string[]> => {
  const labels = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const metadata = nodeClass === undefined ? {} : { class: nodeClass };
  for (const label of labels) await done(service.admin.put(`/node/${label}`, { obmd, metadata }));
  return labels;
};

const take = (client: Client, project: string, node: string, force?: boolean): Promise<Answer> =>
  client.post(`/project/${project}/connect_node`, { node, ...(force === undefined ? {} : { force }) });

const makePrivate = (client: Client, network: string, project: string, force?: boolean): Promise<Answer> =>
  client.put(`/network/${network}`, {
    owner: project,
    access: project,
    net_id: '',
    ...(force === undefined ? {} : { force }),
  });

const quotasOf = async (client: Client, project: string): Promise<string[]> => {
  const { body } = await done(client.get(`/project/${project}/quotas`));
  return (body as { what: string; class: string | null; limit: number | null; used: number }[]).map(
    ({ what, class: name, limit, used }) => `${what}${name === null ? '' : ` of ${name}`}: ${used} of ${limit}`,
  );
};

const newestEvent = async (service: Service, query: string): Promise<unknown> => {
  const { body } = await done(service.admin.get(`/events?limit=1&${query}`));
  return (body as { events: unknown[] }).events[0];
};

describe.each(engines)('quotas on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_HYPERVISOR: 'mock', CORRAL_IMAGES: 'base' });

  it('are none, unless somebody sets one', async () => {
    await makeProject(service(), 'q-free');
    const member = await makeUser(service(), 'q-free-member', 'q-free');
    expect(await quotasOf(member, 'q-free')).toEqual([
      'nodes: 0 of null',
      'networks: 0 of null',
      'headnodes: 0 of null',
    ]);
  });

  it('refuse one node more than the limit, for members and administrators, and name it', async () => {
    await makeProject(service(), 'q-nodes');
    const member = await makeUser(service(), 'q-nodes-member', 'q-nodes');
    const [one = '', two = '', three = ''] = await makeNodes(service(), 'q-nodes-', 3);
    await setQuota(service(), 'nodes', { project: 'q-nodes', limit: 2 });
    await done(take(member, 'q-nodes', one));
    await done(take(member, 'q-nodes', two));
    expect(await refusal(take(member, 'q-nodes', three))).toBe('409 BlockedError');
    expect(await message(take(member, 'q-nodes', three))).toBe(
      'project q-nodes has 2 of 2 nodes; give one back, or ask an administrator for a higher quota',
    );
    expect(await message(take(service().admin, 'q-nodes', three))).toBe(
      'project q-nodes has 2 of 2 nodes; give one back, raise the quota, or force it',
    );
    expect(await quotasOf(member, 'q-nodes')).toContain('nodes: 2 of 2');
    await done(member.post('/project/q-nodes/detach_node', { node: one }));
    await done(take(member, 'q-nodes', three));
  });

  it('count nodes of a class by themselves, beside all nodes', async () => {
    await makeProject(service(), 'q-class');
    const member = await makeUser(service(), 'q-class-member', 'q-class');
    const gpus = await makeNodes(service(), 'q-gpu-', 3, 'gpu');
    const plain = await makeNodes(service(), 'q-plain-', 3);
    await setQuota(service(), 'nodes', { project: 'q-class', class: 'gpu', limit: 1 });
    await setQuota(service(), 'nodes', { project: 'q-class', limit: 3 });
    await done(take(member, 'q-class', gpus[0] ?? ''));
    expect(await message(take(member, 'q-class', gpus[1] ?? ''))).toMatch(
      /^project q-class has 1 of 1 nodes of class gpu; /,
    );
    await done(take(member, 'q-class', plain[0] ?? ''));
    await done(take(member, 'q-class', plain[1] ?? ''));
    expect(await message(take(member, 'q-class', plain[2] ?? ''))).toMatch(/^project q-class has 3 of 3 nodes; /);
    expect(await message(take(member, 'q-class', gpus[1] ?? ''))).toMatch(
      /^project q-class has 1 of 1 nodes of class gpu and 3 of 3 nodes; /,
    );
    expect(await quotasOf(member, 'q-class')).toEqual([
      'nodes: 3 of 3',
      'networks: 0 of null',
      'headnodes: 0 of null',
      'nodes of gpu: 1 of 1',
    ]);
  });

  it('follow the metadata of a node, and take nothing away', async () => {
    await makeProject(service(), 'q-meta');
    const [one = '', two = ''] = await makeNodes(service(), 'q-meta-', 2);
    await setQuota(service(), 'nodes', { project: 'q-meta', class: 'fast', limit: 0 });
    await reserve(service(), 'q-meta', one);
    for (const node of [one, two]) await done(service().admin.put(`/node/${node}/metadata/class`, { value: 'fast' }));
    expect(await quotasOf(service().admin, 'q-meta')).toContain('nodes of fast: 1 of 0');
    expect(await message(take(service().admin, 'q-meta', two))).toMatch(
      /^project q-meta has 1 of 0 nodes of class fast/,
    );
    await done(service().admin.put(`/node/${two}/metadata/class`, { value: 7 }));
    await done(take(service().admin, 'q-meta', two));
    await done(service().admin.del(`/node/${one}/metadata/class`));
    expect(await quotasOf(service().admin, 'q-meta')).toContain('nodes of fast: 0 of 0');
  });

  it('limit networks and headnodes', async () => {
    await makeProject(service(), 'q-things');
    const member = await makeUser(service(), 'q-things-member', 'q-things');
    await setQuota(service(), 'networks', { project: 'q-things', limit: 1 });
    await setQuota(service(), 'headnodes', { project: 'q-things', limit: 1 });
    await done(makePrivate(member, 'q-net-1', 'q-things'));
    expect(await message(makePrivate(member, 'q-net-2', 'q-things'))).toMatch(
      /^project q-things has 1 of 1 networks; /,
    );
    const headnode = { project: 'q-things', base_img: 'base' };
    await done(member.put('/headnode/q-head-1', headnode));
    expect(await message(member.put('/headnode/q-head-2', headnode))).toMatch(
      /^project q-things has 1 of 1 headnodes; /,
    );
    // Networks of the operator are nobody's.
    await done(service().admin.put('/network/q-net-op', { owner: 'admin', access: 'q-things', net_id: '' }));
    await done(makePrivate(service().admin, 'q-net-3', 'q-things', true));
    await done(service().admin.put('/headnode/q-head-3', { ...headnode, force: true }));
    expect(await quotasOf(member, 'q-things')).toEqual(['nodes: 0 of null', 'networks: 2 of 1', 'headnodes: 2 of 1']);
    expect(await newestEvent(service(), 'type=network_create&project=q-things')).toMatchObject({
      network: 'q-net-3',
      detail: { exceeded: '1 of 1 networks' },
    });
    expect(await newestEvent(service(), 'type=headnode_create&project=q-things')).toMatchObject({
      headnode: 'q-head-3',
      detail: { base_img: 'base', exceeded: '1 of 1 headnodes' },
    });
  });

  it('may be exceeded by administrators who say so, and by nobody else', async () => {
    await makeProject(service(), 'q-force');
    const member = await makeUser(service(), 'q-force-member', 'q-force');
    const [one = '', two = ''] = await makeNodes(service(), 'q-force-', 2, 'gpu');
    await setQuota(service(), 'nodes', { project: 'q-force', limit: 0 });
    await setQuota(service(), 'nodes', { project: 'q-force', class: 'gpu', limit: 0 });
    expect(await refusal(take(member, 'q-force', one, true))).toBe('401 AuthorizationError');
    expect(await refusal(makePrivate(member, 'q-force-net', 'q-force', true))).toBe('401 AuthorizationError');
    const headnode = { project: 'q-force', base_img: 'base', force: true };
    expect(await refusal(member.put('/headnode/q-force-head', headnode))).toBe('401 AuthorizationError');
    expect(await refusal(take(service().admin, 'q-force', one, false))).toBe('409 BlockedError');
    await done(take(service().admin, 'q-force', one, true));
    expect(await newestEvent(service(), 'type=project_connect_node&project=q-force')).toMatchObject({
      node: one,
      detail: { exceeded: '0 of 0 nodes and 0 of 0 nodes of class gpu' },
    });
    await setQuota(service(), 'nodes', { project: 'q-force', limit: 9 });
    await setQuota(service(), 'nodes', { project: 'q-force', class: 'gpu', limit: 9 });
    // Nothing was exceeded, so nothing says so.
    await done(take(service().admin, 'q-force', two, true));
    expect(await newestEvent(service(), 'type=project_connect_node&project=q-force')).toMatchObject({
      node: two,
      detail: {},
    });
  });

  it('are set, changed, listed and deleted; the events tell', async () => {
    await makeProject(service(), 'q-list');
    await setQuota(service(), 'nodes', { project: 'q-list', limit: 5 });
    await setQuota(service(), 'nodes', { project: 'q-list', class: 'tape', limit: 1 });
    await setQuota(service(), 'nodes', { project: 'q-list', limit: 6 });
    const before = await newestEvent(service(), 'type=quota_set');
    expect(before).toMatchObject({ project: 'q-list', detail: { what: 'nodes', limit: 6 } });
    await setQuota(service(), 'nodes', { project: 'q-list', limit: 6 });
    expect(await newestEvent(service(), 'type=quota_set')).toEqual(before);
    const mine = async (): Promise<unknown[]> => {
      const { body } = await done(service().admin.get('/quotas'));
      return (body as { project: string | null }[]).filter(({ project }) => project === 'q-list');
    };
    expect(await mine()).toEqual([
      { project: 'q-list', what: 'nodes', class: null, limit: 6 },
      { project: 'q-list', what: 'nodes', class: 'tape', limit: 1 },
    ]);
    await done(service().admin.del('/quota/nodes?project=q-list&class=tape'));
    expect(await newestEvent(service(), 'type=quota_delete')).toMatchObject({
      project: 'q-list',
      detail: { what: 'nodes of class tape' },
    });
    expect(await message(service().admin.del('/quota/nodes?project=q-list&class=tape'))).toBe(
      'project q-list has no quota of nodes of class tape',
    );
    expect(await message(service().admin.del('/quota/networks'))).toBe('there is no default quota of networks');
    expect(await mine()).toHaveLength(1);
    await done(service().admin.del('/project/q-list'));
    expect(await mine()).toEqual([]);
  });

  it('refuse what makes no sense', async () => {
    await makeProject(service(), 'q-sense');
    const set = (what: string, body: unknown): Promise<Answer> => service().admin.put(`/quota/${what}`, body);
    expect(await refusal(set('users', { limit: 1 }))).toBe('400 ValidationError');
    for (const limit of [-1, 1.5, '4', 1e9]) expect(await refusal(set('nodes', { limit }))).toBe('400 ValidationError');
    expect(await refusal(set('nodes', { project: 'q-sense' }))).toBe('400 ValidationError');
    expect(await refusal(set('nodes', { project: 'q-none', limit: 1 }))).toBe('404 NotFoundError');
    expect(await message(set('networks', { class: 'gpu', limit: 1 }))).toMatch(/only nodes have classes/);
    expect(await message(set('nodes', { limit: null }))).toMatch(/delete the default quota instead/);
  });

  it('count every node of a claim for the next', async () => {
    await makeProject(service(), 'q-claim');
    await makeNodes(service(), 'q-claim-', 4, 'claimed');
    await setQuota(service(), 'nodes', { project: 'q-claim', class: 'claimed', limit: 2 });
    const claim = (count: number): Promise<Answer> =>
      service().admin.post('/project/q-claim/claim', { count, match: { metadata: { class: { equals: 'claimed' } } } });
    expect(await refusal(claim(3))).toBe('409 BlockedError');
    expect(await quotasOf(service().admin, 'q-claim')).toContain('nodes of claimed: 0 of 2');
    await done(claim(2));
    expect(await message(claim(1))).toMatch(/2 of 2 nodes of class claimed/);
  });

  it('let no more through than the limit, however many ask at once', { timeout: 120_000 }, async () => {
    const racers = 20;
    await makeProject(service(), 'q-race');
    const nodes = await makeNodes(service(), 'q-race-', racers, 'raced');
    await setQuota(service(), 'nodes', { project: 'q-race', limit: 7 });
    await setQuota(service(), 'nodes', { project: 'q-race', class: 'raced', limit: 5 });
    await setQuota(service(), 'networks', { project: 'q-race', limit: 3 });
    await setQuota(service(), 'headnodes', { project: 'q-race', limit: 2 });
    const race = async (call: (index: number) => Promise<Answer>): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: racers }, (_, index) => call(index)));
      return answers.map(({ status }) => status).sort();
    };
    const only = (most: number): number[] => Array.from({ length: racers }, (_, at) => (at < most ? 200 : 409));
    expect(await race((index) => take(service().admin, 'q-race', nodes[index] ?? ''))).toEqual(only(5));
    expect(await race((index) => makePrivate(service().admin, `q-race-net${index}`, 'q-race'))).toEqual(only(3));
    const headnode = { project: 'q-race', base_img: 'base' };
    expect(await race((index) => service().admin.put(`/headnode/q-race-head${index}`, headnode))).toEqual(only(2));
    expect(await quotasOf(service().admin, 'q-race')).toEqual([
      'nodes: 5 of 7',
      'networks: 3 of 3',
      'headnodes: 2 of 2',
      'nodes of raced: 5 of 5',
    ]);
  });
});

describe.each(engines)('default quotas on %s', (engine) => {
  it('are for every project that has none of its own', async () => {
    const service = await serviceForTest(engine);
    for (const project of ['usual', 'larger', 'boundless']) await makeProject(service, project);
    await setQuota(service, 'networks', { limit: 1 });
    await setQuota(service, 'networks', { project: 'larger', limit: 2 });
    await setQuota(service, 'networks', { project: 'boundless', limit: null });
    const made = async (project: string): Promise<number> => {
      let count = 0;
      while (count < 4 && (await makePrivate(service.admin, `${project}${count}`, project)).status === 200) count += 1;
      return count;
    };
    expect([await made('usual'), await made('larger'), await made('boundless')]).toEqual([1, 2, 4]);
    expect(await quotasOf(service.admin, 'usual')).toContain('networks: 1 of 1');
    expect(await quotasOf(service.admin, 'boundless')).toContain('networks: 4 of null');
    expect((await done(service.admin.get('/quotas'))).body).toEqual([
      { project: null, what: 'networks', class: null, limit: 1 },
      { project: 'boundless', what: 'networks', class: null, limit: null },
      { project: 'larger', what: 'networks', class: null, limit: 2 },
    ]);
    await done(service.admin.del('/quota/networks'));
    await done(makePrivate(service.admin, 'another', 'usual'));
  });

  it('do not count for the maintenance pool', async () => {
    const service = await serviceForTest(engine, {
      CORRAL_MAINTENANCE_PROJECT: 'workshop',
      CORRAL_MAINTENANCE_URL: 'http://127.0.0.1:9/',
      CORRAL_OUTBOUND_ALLOW: '127.0.0.0/8',
    });
    await makeProject(service, 'lab');
    await setQuota(service, 'nodes', { limit: 1 });
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service, node);
    for (const node of ['n1', 'n2']) {
      await reserve(service, 'lab', node);
      await done(service.admin.post('/project/lab/detach_node', { node }));
    }
    await reserve(service, 'workshop', 'n3');
    expect(await quotasOf(service.admin, 'workshop')).toContain('nodes: 3 of null');
    const refused = service.admin.put('/quota/nodes', { project: 'workshop', limit: 1 });
    expect(await message(refused)).toBe('project workshop is the maintenance pool, which has no quota');
  });
});

describe.each(engines)('the key of classes on %s', (engine) => {
  it('is the one that the service was started with last', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'lab');
    const metadata = { class: 'gpu', model: 'r640' };
    for (const node of ['n1', 'n2', 'n3']) await done(service.admin.put(`/node/${node}`, { obmd, metadata }));
    await reserve(service, 'lab', 'n1');
    for (const name of ['gpu', 'r640']) await setQuota(service, 'nodes', { project: 'lab', class: name, limit: 1 });
    expect(await quotasOf(service.admin, 'lab')).toEqual(
      expect.arrayContaining(['nodes of gpu: 1 of 1', 'nodes of r640: 0 of 1']),
    );
    await service.stop();
    const again = await service.restart({ CORRAL_NODES_CLASS_KEY: 'model' });
    onTestFinished(() => again.stop());
    expect(await quotasOf(again.admin, 'lab')).toEqual(
      expect.arrayContaining(['nodes of gpu: 0 of 1', 'nodes of r640: 1 of 1']),
    );
    expect(await message(take(again.admin, 'lab', 'n2'))).toMatch(/^project lab has 1 of 1 nodes of class r640; /);
    await done(again.admin.put('/node/n2/metadata/model', { value: 'r740' }));
    await done(take(again.admin, 'lab', 'n2'));
  });
});
