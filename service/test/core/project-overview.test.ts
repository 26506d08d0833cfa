import { beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { makeToken, scriptWith } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import {
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';
import { sweep } from '../support/switches/drift-helpers.ts';

type Row = Readonly<Record<string, unknown>>;
interface Page {
  readonly event: number;
  readonly next: string | null;
  readonly projects?: readonly (Row & { readonly name: string; readonly members: readonly string[] | null })[];
  readonly headnodes?: readonly (Row & {
    readonly name: string;
    readonly project: string;
    readonly hnics: readonly { readonly label: string; readonly network: string | null }[];
  })[];
  readonly actions?: readonly (Row & { readonly status_id: string })[];
}
type List = 'projects' | 'headnodes' | 'actions';

describe.each(engines)('overviews of what projects have on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-120', CORRAL_ENGINE_BUDGET: '120' });
  const projects = ['red', 'blue', 'green'];
  let callers: Readonly<Record<string, Client>>;

  const pageOf = async (caller: Client, list: List, query = ''): Promise<Page> =>
    (await done(caller.get(`/overview/${list}${query}`))).body as Page;
  const idsOf = (page: Page): string[] =>
    (page.projects ?? page.headnodes)?.map(({ name }) => name) ?? page.actions?.map((one) => one.status_id) ?? [];
  const namesFor = async (caller: Client, list: List): Promise<string[]> => idsOf(await pageOf(caller, list));
  const sql = (text: string) => runSql(service(), { sqlite: text, postgres: text });

  beforeAll(async () => {
    const { admin } = service();
    for (const project of projects) await makeProject(service(), project);
    const ada = await makeUser(service(), 'ada', 'red');
    const both = await makeUser(service(), 'both', 'blue', 'red');
    callers = {
      admin,
      ada,
      both,
      bob: await makeUser(service(), 'bob', 'blue'),
      outsider: await makeUser(service(), 'outsider'),
      looker: scriptWith(service(), await makeToken(ada, 'looker', { read_only: true })),
      'one project': scriptWith(service(), await makeToken(both, 'one', { project: 'blue' })),
      'looking admin': scriptWith(service(), await makeToken(admin, 'looking', { read_only: true })),
    };
    await makeNetwork(service(), 'red-net', 'red');
    await makeNetwork(service(), 'red-lent', 'red');
    await makeNetwork(service(), 'blue-net', 'blue');
    await done(admin.put('/network/red-lent/access/blue'));
    await done(admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
    await done(admin.put('/network/red-open', { owner: 'red', access: '', net_id: '' }));
    await makeNode(service(), 'n1', ['eth0', 'eth1'], 'sw1');
    await makeNode(service(), 'n2', ['eth0'], 'sw1');
    await makeNode(service(), 'n3', ['eth0'], 'sw1');
    await sweep(service(), 'sw1');
    await reserve(service(), 'red', 'n1');
    await reserve(service(), 'blue', 'n2');
    for (const [headnode, project] of [
      ['red-head', 'red'],
      ['red-2', 'red'],
      ['blue-head', 'blue'],
    ] as const)
      await done(admin.put(`/headnode/${headnode}`, { project, base_img: 'base' }));
    for (const hnic of ['eth1', 'eth0']) await done(admin.put(`/headnode/red-head/hnic/${hnic}`));
    await done(admin.post('/headnode/red-head/hnic/eth0/connect_network', { network: 'red-net' }));
    await done(admin.post('/headnode/red-2/start'));
  }, 60_000);

  it('shows each caller exactly the projects that the calls about a project let them see, with what these list', async () => {
    for (const [name, caller] of Object.entries(callers)) {
      const page = await pageOf(caller, 'projects');
      const isOperator = name.includes('admin');
      for (const project of projects) {
        const found = page.projects?.find((one) => one.name === project);
        const nodes = await caller.get(`/project/${project}/nodes`);
        expect(found === undefined, `${project} to ${name}`).toBe(nodes.status === 401);
        if (found === undefined) continue;
        const lengthOf = async (list: string): Promise<number> =>
          ((await done(caller.get(`/project/${project}/${list}`))).body as string[]).length;
        const users = (await done(service().admin.get('/auth/basic/users'))).body as Record<
          string,
          { projects: string[] }
        >;
        const members = Object.keys(users).filter((user) => users[user]?.projects.includes(project));
        expect(found, `${project} to ${name}`).toEqual({
          name: project,
          nodes: (nodes.body as string[]).length,
          networks: await lengthOf('networks'),
          headnodes: await lengthOf('headnodes'),
          members: isOperator ? members.sort() : null,
        });
      }
      expect(page.event).toBeGreaterThan(0);
    }
    expect(await namesFor(service().admin, 'projects')).toEqual((await done(service().admin.get('/projects'))).body);
    const red = (await pageOf(service().admin, 'projects')).projects?.find(({ name }) => name === 'red');
    expect(red).toEqual({ name: 'red', nodes: 1, networks: 3, headnodes: 2, members: ['ada', 'both'] });
  });

  it('shows each caller exactly the headnodes that show_headnode shows, as it shows them', async () => {
    const all = ['blue-head', 'red-2', 'red-head'];
    for (const [name, caller] of Object.entries(callers)) {
      const page = await pageOf(caller, 'headnodes');
      for (const label of all) {
        const found = page.headnodes?.find((one) => one.name === label);
        const shown = await caller.get(`/headnode/${label}`);
        expect(found === undefined, `${label} to ${name}`).toBe(shown.status === 401);
        if (found === undefined) continue;
        const { vncport, nics, hnics, ...rest } = shown.body as Row;
        expect(found, `${label} to ${name}`).toMatchObject({ ...rest, vncport: null });
        expect(found.hnics.map((hnic) => hnic.label)).toEqual(hnics);
        expect(nics).toEqual(hnics);
        expect(found['state'] === 'started').toBe(vncport !== null);
      }
    }
    const [red] = (await pageOf(service().as('ada'), 'headnodes', '?project=red')).headnodes?.slice(-1) ?? [];
    expect(red).toMatchObject({
      name: 'red-head',
      state: 'created',
      in_progress: false,
      hnics: [
        { label: 'eth0', network: 'red-net' },
        { label: 'eth1', network: null },
      ],
    });
  });

  it('shows headnodes of one project, with the refusals of list_project_headnodes', async () => {
    for (const [name, caller] of Object.entries({ ...callers, anonymous: service().anonymous }))
      for (const project of ['red', 'blue', 'none']) {
        const answer = await caller.get(`/overview/headnodes?project=${project}`);
        const known = await caller.get(`/project/${project}/headnodes`);
        if (known.status === 200) expect(idsOf(answer.body as Page), name).toEqual(known.body);
        else expect([answer.status, answer.body], `${project} to ${name}`).toEqual([known.status, known.body]);
      }
  });

  it('says what a headnode goes through, as its calls would', async () => {
    const { admin } = service();
    const stateOf = async (label: string) => {
      const found = (await pageOf(admin, 'headnodes')).headnodes?.find(({ name }) => name === label);
      return [found?.['state'], found?.['in_progress']];
    };
    await done(admin.put('/headnode/life', { project: 'green', base_img: 'base' }));
    expect(await stateOf('life')).toEqual(['created', false]);
    await done(admin.post('/headnode/life/start'));
    expect(await stateOf('life')).toEqual(['started', false]);
    await done(admin.post('/headnode/life/stop'));
    expect(await stateOf('life')).toEqual(['stopped', false]);
    await done(admin.del('/headnode/life'));
    expect(await stateOf('life')).toEqual([undefined, undefined]);
  });

  it('shows each caller exactly the pending changes that show_networking_action shows, the oldest first', async () => {
    const { admin } = service();
    service().simulated('sw1').faults = { unreachable: true };
    const queued = [
      await admin.post('/node/n2/nic/eth0/connect_network', { network: 'blue-net' }),
      await admin.post('/node/n1/nic/eth1/connect_network', { network: 'red-net' }),
      // On a free node it is for administrators.
      await admin.post('/switch/sw1/port/n3/eth0/revert'),
      await admin.post('/node/n1/nic/eth0/connect_network', { network: 'red-lent' }),
    ];
    const ids = queued.map(({ body }) => (body as { status_id: string }).status_id);
    await eventually(async () => {
      const { actions = [] } = await pageOf(admin, 'actions');
      return actions.every((action) => action['switch_answers'] === false) ? true : undefined;
    });
    for (const [name, caller] of Object.entries(callers)) {
      const { actions = [] } = await pageOf(caller, 'actions');
      const told = await Promise.all(ids.map((id) => caller.get(`/networking_action/${id}`)));
      const visible = ids.filter((_, index) => told[index]?.status === 200);
      expect(
        actions.map((action) => action.status_id),
        name,
      ).toEqual(visible);
      for (const action of actions) {
        const { new_network, queue, status, error, ...rest } = told[ids.indexOf(action.status_id)]?.body as Row & {
          queue: Row;
        };
        expect(action, name).toMatchObject({ ...rest, network: new_network });
        expect([status, error]).toEqual(['PENDING', null]);
        const { switch: on, port, switch_answers } = queue;
        expect([action['switch'], action['port'], action['switch_answers']]).toEqual([on, port, switch_answers]);
        expect(Object.hasOwn(action, 'switch')).toBe(name.includes('admin'));
        expect(action['attempts']).toBeTypeOf('number');
        expect(Math.abs(Date.parse(String(action['since'])) - Date.now())).toBeLessThan(120_000);
        expect(action['project']).toBe({ n1: 'red', n2: 'blue', n3: null }[String(action['node'])]);
      }
    }
    expect(await namesFor(service().as('outsider'), 'actions')).toEqual([]);
    // Those that ended are not in it, whatever came after them.
    const [first = ''] = ids;
    await sql(`update actions set status = 'ERROR', error = 'ended', network_id = null where status_id = '${first}'`);
    expect(await namesFor(admin, 'actions')).toEqual(ids.slice(1));
    const seen: string[] = [];
    for (let page = await pageOf(admin, 'actions', '?limit=1'); ;) {
      seen.push(...idsOf(page));
      if (page.next === null) break;
      page = await pageOf(admin, 'actions', `?limit=1&after=${page.next}`);
    }
    expect(seen).toEqual(ids.slice(1));
    service().simulated('sw1').faults = {};
    for (const answer of queued.slice(1)) expect((await settled(service(), answer)).status).toBe('DONE');
    expect(await namesFor(admin, 'actions')).toEqual([]);
  });

  it.each(['projects', 'headnodes'] as const)('%s come in pages, each once', async (list) => {
    for (const caller of Object.values(callers)) {
      const whole = await pageOf(caller, list);
      expect(whole.next).toBeNull();
      const seen: string[] = [];
      for (let page = await pageOf(caller, list, '?limit=1'); ;) {
        expect(idsOf(page).length).toBeLessThanOrEqual(1);
        seen.push(...idsOf(page));
        if (page.next === null) break;
        page = await pageOf(caller, list, `?limit=1&after=${page.next}`);
      }
      expect(seen).toEqual(idsOf(whole));
    }
  });

  it('are for callers with credentials, and take nothing else than they say', async () => {
    for (const list of ['projects', 'headnodes', 'actions']) {
      expect(await refusal(service().anonymous.get(`/overview/${list}`))).toBe('401 AuthorizationError');
      for (const query of ['limit=0', 'limit=501', 'after=', 'nonsense=1'])
        expect(await refusal(service().admin.get(`/overview/${list}?${query}`))).toBe('400 ValidationError');
    }
    expect(await refusal(service().admin.get('/overview/actions?after=x'))).toBe('400 ValidationError');
  });
});
