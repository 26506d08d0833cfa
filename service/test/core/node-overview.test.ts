import { beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { makeToken, scriptWith } from '../support/identity/browser.ts';
import { runSql } from '../support/services/run-sql.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { sweep, tamper } from '../support/switches/drift-helpers.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

interface Block {
  readonly kind: string;
  readonly nic: string | null;
  readonly network: string | null;
  readonly switch: string | null;
  readonly port: string | null;
  readonly message: string;
}
interface Pending {
  readonly status_id: string;
  readonly type: string;
  readonly network: string | null;
  readonly channel: string;
  readonly since: string;
  readonly attempts: number;
}
type Overview = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly nics: readonly { readonly label: string; readonly pending: Pending | null }[];
  readonly obm_enabled: boolean | null;
  readonly blocked: readonly Block[] | null;
};
interface Page {
  readonly event: number;
  readonly nodes: readonly Overview[];
  readonly others: readonly string[];
  readonly next: string | null;
}

describe.each(engines)('overviews of nodes on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-120', CORRAL_ENGINE_BUDGET: '60' });
  let callers: Readonly<Record<'anonymous' | 'outsider' | 'ada' | 'bob' | 'admin', Client>>;

  const pageOf = async (caller: Client, query = ''): Promise<Page> =>
    (await done(caller.get(`/overview/nodes${query}`))).body as Page;
  const overviewOf = async (caller: Client, node: string): Promise<Overview & { readonly event: number }> =>
    (await done(caller.get(`/overview/node/${node}`))).body as Overview & { readonly event: number };
  const names = ({ nodes }: Page): string[] => nodes.map(({ name }) => name);
  /** Waits until the ports of a node have been read, so that nothing of it changes any more. */
  const read = (node: string): Promise<true> =>
    eventually(async () => {
      const { blocked } = await overviewOf(service().admin, node);
      return blocked?.some(({ message: text }) => text.includes('has not been read')) ? undefined : true;
    });

  beforeAll(async () => {
    const { admin, anonymous } = service();
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    callers = {
      anonymous,
      admin,
      outsider: await makeUser(service(), 'outsider'),
      ada: await makeUser(service(), 'ada', 'red'),
      bob: await makeUser(service(), 'bob', 'blue', 'red'),
    };
    await makeNetwork(service(), 'red-net', 'red');
    await makeNetwork(service(), 'red-net-2', 'red');
    for (const node of ['free', 'wild', 'red-1', 'blue-1']) await makeNode(service(), node, ['eth0', 'eth1']);
    await makeNode(service(), 'bare');
    for (const node of ['free', 'wild', 'red-1', 'blue-1']) await read(node);
    await done(admin.put('/node/free/metadata/gpus', { value: 4 }));
    await reserve(service(), 'red', 'red-1');
    await reserve(service(), 'blue', 'blue-1');
    await connect(service(), 'red-1', 'eth0', 'red-net');
    await connect(service(), 'red-1', 'eth0', 'red-net-2', 'vlan/101');
    tamper(service(), 'sw0', 'wild/eth0', { native: 1, tagged: [2, 3] });
    await sweep(service(), 'sw0');
  }, 60_000);

  it('shows each caller exactly what list_nodes and show_node show', async () => {
    for (const [name, caller] of Object.entries(callers)) {
      const page = await pageOf(caller);
      const all = (await done(caller.get('/nodes/all'))).body;
      expect([...names(page), ...page.others].sort(), name).toEqual(all);
      for (const { obm_enabled, blocked, ...shown } of page.nodes) {
        const nics = shown.nics.map(({ pending, ...nic }) => (pending === null ? nic : { ...nic, pending }));
        expect({ ...shown, nics }, name).toEqual((await done(caller.get(`/node/${shown.name}`))).body);
        expect(await overviewOf(caller, shown.name)).toMatchObject({ ...shown, obm_enabled, blocked });
      }
      for (const other of page.others) {
        expect(await refusal(caller.get(`/node/${other}`)), name).toBe('401 AuthorizationError');
        expect(await caller.get(`/overview/node/${other}`)).toMatchObject(
          await caller.get(`/node/${other}`).then(({ status, body }) => ({ status, body })),
        );
      }
    }
    expect((await pageOf(callers.anonymous)).others).toEqual(['blue-1', 'red-1']);
    expect((await pageOf(callers.ada)).others).toEqual(['blue-1']);
    expect((await pageOf(callers.bob)).others).toEqual([]);
    expect(await refusal(callers.ada.get('/overview/node/nowhere'))).toBe('404 NotFoundError');
  });

  it('says what project_connect_node and project_detach_node would refuse with, in their order', async () => {
    const first = async (caller: Client, node: string): Promise<string> =>
      (await overviewOf(caller, node)).blocked?.[0]?.message ?? 'nothing';
    for (const caller of [callers.ada, callers.admin]) {
      const refused = await message(caller.post('/project/red/connect_node', { node: 'wild' }));
      expect(refused).toBe(`node wild cannot be reserved: ${await first(caller, 'wild')}`);
      const kept = await message(caller.post('/project/red/detach_node', { node: 'red-1' }));
      expect(kept).toBe(await first(caller, 'red-1'));
    }
    expect(await first(callers.admin, 'wild')).toContain('port wild/eth0 on switch sw0 was seen to carry');
    expect(await first(callers.ada, 'wild')).not.toMatch(/sw0|wild\/eth0/);
    expect((await overviewOf(callers.ada, 'free')).blocked).toEqual([]);
  });

  it('lists everything that keeps a node in its project, and nothing when it may go', async () => {
    await makeNode(service(), 'busy', ['eth0', 'eth1']);
    await read('busy');
    await reserve(service(), 'red', 'busy');
    await connect(service(), 'busy', 'eth1', 'red-net');
    tamper(service(), 'sw0', 'busy/eth0', { native: 7 });
    await sweep(service(), 'sw0');
    const sql = `update nodes set obm_token = 'sealed' where label = 'busy'`;
    await runSql(service(), { sqlite: sql, postgres: sql });
    const { blocked, obm_enabled } = await overviewOf(callers.ada, 'busy');
    expect(obm_enabled).toBe(true);
    const fieldsOf = (each: Block) => [each.kind, each.nic, each.network, each.switch, each.port];
    expect(blocked?.map(fieldsOf)).toEqual([
      ['network', 'eth1', 'red-net', null, null],
      ['port', 'eth0', null, null, null],
      ['obm', null, null, null, null],
    ]);
    expect((await overviewOf(callers.admin, 'busy')).blocked?.map(fieldsOf)).toEqual([
      ['network', 'eth1', 'red-net', null, null],
      ['port', 'eth0', null, 'sw0', 'busy/eth0'],
      ['obm', null, null, null, null],
    ]);
    const refused = () => message(callers.ada.post('/project/red/detach_node', { node: 'busy' }));
    expect(await refused()).toBe(blocked?.[0]?.message);
    await detach(service(), 'busy', 'eth1', 'red-net');
    expect(await refused()).toBe(`node busy cannot leave project red: ${blocked?.[1]?.message ?? ''}`);
    tamper(service(), 'sw0', 'busy/eth0', {});
    await sweep(service(), 'sw0');
    expect(await refused()).toBe(blocked?.[2]?.message);
    const off = `update nodes set obm_token = null where label = 'busy'`;
    await runSql(service(), { sqlite: off, postgres: off });
    expect((await overviewOf(callers.ada, 'busy')).blocked).toEqual([]);
    await done(callers.ada.post('/project/red/detach_node', { node: 'busy' }));
  });

  it('a port that the node was on keeps it, until it has been read clean', async () => {
    await makeNode(service(), 'moved', ['eth0']);
    await read('moved');
    tamper(service(), 'sw0', 'moved/eth0', { native: 9 });
    await sweep(service(), 'sw0');
    await done(service().admin.post('/switch/sw0/port/moved/eth0/detach_nic'));
    for (const caller of [callers.ada, callers.admin]) {
      const { blocked } = await overviewOf(caller, 'moved');
      const place = caller === callers.admin ? { switch: 'sw0', port: 'moved/eth0' } : { switch: null, port: null };
      expect(blocked).toMatchObject([{ kind: 'port', nic: null, network: null, ...place }]);
      const refused = await message(caller.post('/project/red/connect_node', { node: 'moved' }));
      expect(refused).toBe(`node moved cannot be reserved: ${blocked?.[0]?.message ?? ''}`);
    }
  });

  it('a pending change keeps a node where it is', async () => {
    await makeNode(service(), 'slow', ['eth0'], 'sw-slow');
    await read('slow');
    await reserve(service(), 'red', 'slow');
    service().simulated('sw-slow').faults = { hang: true };
    const queued = await callers.ada.post('/node/slow/nic/eth0/connect_network', { network: 'red-net' });
    const { blocked } = await overviewOf(callers.ada, 'slow');
    expect(blocked).toMatchObject([{ kind: 'action', nic: 'eth0' }]);
    expect(await message(callers.ada.post('/project/red/detach_node', { node: 'slow' }))).toBe(blocked?.[0]?.message);
    service().simulated('sw-slow').faults = {};
    expect((await settled(service(), queued)).status).toBe('DONE');
  });

  it('a change that waits is shown exactly where show_networking_action shows it too', async () => {
    const { admin } = service();
    await makeNode(service(), 'waits', ['eth0', 'eth1'], 'sw-waits');
    await makeNode(service(), 'waits-free', ['eth0'], 'sw-waits');
    for (const node of ['waits', 'waits-free']) await read(node);
    await reserve(service(), 'red', 'waits');
    const readers = {
      ...callers,
      looker: scriptWith(service(), await makeToken(callers.ada, 'looker', { read_only: true })),
    };
    service().simulated('sw-waits').faults = { hang: true };
    const queued = {
      waits: await callers.ada.post('/node/waits/nic/eth0/connect_network', { network: 'red-net' }),
      // An administrator can have one on a free node.
      'waits-free': await admin.post('/switch/sw-waits/port/waits-free/eth0/revert'),
    };
    for (const [node, { body }] of Object.entries(queued)) {
      const { status_id } = body as { status_id: string };
      for (const [name, caller] of Object.entries(readers)) {
        const told = await caller.get(`/networking_action/${status_id}`);
        const shown = (await pageOf(caller)).nodes.find((one) => one.name === node);
        const [pending = null, other = null] = shown?.nics.map((nic) => nic.pending) ?? [];
        expect(pending === null, `${node} to ${name}`).toBe(told.status !== 200);
        expect(other).toBeNull();
        if (shown !== undefined) {
          const alone = (await overviewOf(caller, node)).nics;
          expect(alone.map((nic) => nic.pending?.status_id)).toEqual(shown.nics.map((nic) => nic.pending?.status_id));
        }
        if (pending === null) continue;
        const { type, new_network, channel } = told.body as Record<string, unknown>;
        expect(pending).toMatchObject({ status_id, type, network: new_network, channel });
        expect(pending.attempts).toBeTypeOf('number');
        expect(Math.abs(Date.parse(pending.since) - Date.now())).toBeLessThan(60_000);
      }
    }
    service().simulated('sw-waits').faults = {};
    for (const answer of Object.values(queued)) expect((await settled(service(), answer)).status).toBe('DONE');
    expect((await overviewOf(callers.ada, 'waits')).nics.map(({ pending }) => pending)).toEqual([null, null]);
    await detach(service(), 'waits', 'eth0', 'red-net');
    await done(admin.post('/project/red/detach_node', { node: 'waits' }));
  });

  it('OBM is for those who may manage it, and what blocks a free node for those who could reserve it', async () => {
    for (const [name, shown] of [
      ['anonymous', { obm_enabled: null, blocked: null }],
      ['outsider', { obm_enabled: null, blocked: null }],
      ['ada', { obm_enabled: null, blocked: [] }],
      ['admin', { obm_enabled: false, blocked: [] }],
    ] as const)
      expect(await overviewOf(callers[name], 'free'), name).toMatchObject(shown);
    expect(await overviewOf(callers.ada, 'red-1')).toMatchObject({ obm_enabled: false });
  });

  it('comes in pages, each node once', async () => {
    for (const caller of Object.values(callers)) {
      const whole = await pageOf(caller);
      const seen: string[] = [];
      for (let after: string | null = '', pages = 0; after !== null; pages += 1) {
        expect(pages).toBeLessThan(50);
        const query: string = after === '' ? '?limit=2' : `?limit=2&after=${encodeURIComponent(after)}`;
        const page = await pageOf(caller, query);
        seen.push(...names(page), ...page.others);
        expect(page.nodes.length + page.others.length).toBeLessThanOrEqual(2);
        after = page.next;
      }
      expect(seen.sort()).toEqual([...names(whole), ...whole.others].sort());
      expect(whole.next).toBeNull();
    }
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'which=none', 'after=', 'nonsense=1'])
      expect(await refusal(callers.admin.get(`/overview/nodes?${query}`)), query).toBe('400 ValidationError');
  });

  it('shows free nodes, those of the caller, or those of one project', async () => {
    for (const caller of Object.values(callers)) {
      const free = await pageOf(caller, '?which=free');
      expect(names(free).sort()).toEqual((await done(caller.get('/nodes/free'))).body);
      expect(free.others).toEqual([]);
    }
    const mine = async (caller: Client) => names(await pageOf(caller, '?which=mine')).filter((name) => name !== 'slow');
    expect(await mine(callers.anonymous)).toEqual([]);
    expect(await mine(callers.outsider)).toEqual([]);
    expect(await mine(callers.admin)).toEqual([]);
    expect(await mine(callers.ada)).toEqual(['red-1']);
    expect(await mine(callers.bob)).toEqual(['blue-1', 'red-1']);
    for (const caller of Object.values(callers)) {
      const answer = await caller.get('/overview/nodes?project=blue');
      const known = await caller.get('/project/blue/nodes');
      if (known.status === 200) expect(names(answer.body as Page)).toEqual(known.body);
      else expect([answer.status, answer.body]).toEqual([known.status, known.body]);
      const missing = await caller.get('/overview/nodes?project=none');
      const same = await caller.get('/project/none/nodes');
      expect([missing.status, missing.body]).toEqual([same.status, same.body]);
    }
  });

  it('everything up to its event is in the answer, also while others change things', async () => {
    const writing = { isOver: false };
    const changes = Promise.all(
      [0, 1, 2].map(async (writer) => {
        for (let index = 0; index < 12; index += 1)
          await done(service().admin.put(`/node/new-${writer}-${index}`, { obmd }));
      }),
    ).finally(() => (writing.isOver = true));
    const answers: Page[] = [];
    while (!writing.isOver) answers.push(await pageOf(service().admin));
    await changes;
    answers.push(await pageOf(service().admin));
    const registered = (await done(service().admin.get('/events?after=0&limit=1000&type=node_register'))).body as {
      events: { id: number; node: string }[];
    };
    for (const answer of answers) {
      const inIt = new Set(names(answer));
      const before = registered.events.filter(({ id }) => id <= answer.event);
      expect(before.filter(({ node }) => !inIt.has(node))).toEqual([]);
    }
    expect(answers.at(-1)?.event).toBeGreaterThanOrEqual(registered.events.at(-1)?.id ?? Infinity);
  });
});
