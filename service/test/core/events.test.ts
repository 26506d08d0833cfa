import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { passwordOf, type Service, startService } from '../support/services/service.ts';
import { type EventStream, follow } from '../support/http/event-stream.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
} from '../support/services/world.ts';

interface Event {
  readonly id: number;
  readonly type: string;
  readonly caller: string;
  readonly project: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}
interface Page {
  readonly events: readonly Event[];
  readonly next: number | null;
}

describe.each(engines)('events on %s', (engine) => {
  let service: Service;
  const streams: EventStream[] = [];

  beforeAll(async () => {
    service = await startService(engine);
    await makeProject(service, 'red');
    await makeProject(service, 'blue');
    await makeUser(service, 'alice', 'red');
    await makeUser(service, 'bob', 'blue');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    await makeNetwork(service, 'net', 'red');
    await connect(service, 'n1', 'eth0', 'net');
  });
  afterAll(async () => {
    for (const stream of streams) await stream.close();
    await service.stop();
  });

  const list = async (query: string, as = service.admin): Promise<Page> =>
    (await done(as.get(`/events${query}`))).body as Page;
  const types = ({ events }: Page): string[] => events.map(({ type }) => type);
  const open = async (name: string, lastEventId?: number): Promise<EventStream> => {
    const stream = await follow(service.url, name, lastEventId);
    streams.push(stream);
    return stream;
  };

  it('each step of making things and taking them away leaves an event, in order', async () => {
    const [last] = (await list('?limit=1')).events;
    const { admin } = service;
    await makeProject(service, 'short');
    await makeUser(service, 'guest', 'short');
    await done(admin.patch('/auth/basic/user/guest', { is_admin: true }));
    await done(admin.post('/auth/basic/user/guest/remove_project', { project: 'short' }));
    await done(admin.del('/auth/basic/user/guest'));
    await makeNetwork(service, 'lan', 'short');
    await done(admin.del('/network/lan'));
    await makeNode(service, 'n9', ['eth0'], 'sw9');
    await done(admin.put('/node/n9/metadata/rack', { value: 'r1' }));
    await done(admin.del('/node/n9/metadata/rack'));
    await reserve(service, 'short', 'n9');
    await done(admin.post('/project/short/detach_node', { node: 'n9' }));
    await done(admin.post('/switch/sw9/port/n9/eth0/detach_nic'));
    for (const path of ['/node/n9/nic/eth0', '/node/n9', '/switch/sw9/port/n9/eth0', '/switch/sw9', '/project/short'])
      await done(admin.del(path));
    const since = (await list(`?after=${last?.id ?? 0}&limit=1000`)).events;
    // Without those of the engine, which come when they come.
    expect(since.filter(({ request_id }) => request_id !== null).map(({ type }) => type)).toEqual([
      'project_create',
      'user_create',
      'user_add_project',
      'user_set_admin',
      'user_remove_project',
      'user_delete',
      'network_create',
      'network_delete',
      'node_register',
      'switch_register',
      'node_register_nic',
      'switch_register_port',
      'port_connect_nic',
      'node_set_metadata',
      'node_delete_metadata',
      'project_connect_node',
      'project_detach_node',
      'port_detach_nic',
      'node_delete_nic',
      'node_delete',
      'switch_delete_port',
      'switch_delete',
      'project_delete',
    ]);
  });

  it('every change is there: who, what, which objects, when, and the request', async () => {
    const { events } = await list('?type=node_connect_network');
    expect(events).toEqual([
      {
        id: expect.any(Number) as number,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        type: 'node_connect_network',
        caller: 'admin',
        request_id: expect.any(String) as string,
        project: 'red',
        node: 'n1',
        nic: 'eth0',
        network: 'net',
        detail: { channel: 'vlan/native' },
      },
    ]);
  });

  it('a change that ended says what was changed', async () => {
    await makeNode(service, 'n8', ['eth0']);
    await reserve(service, 'red', 'n8');
    await connect(service, 'n8', 'eth0', 'net');
    await detach(service, 'n8', 'eth0', 'net');
    const { events } = await list('?type=networking_action_done&node=n8');
    expect(events).toMatchObject([{ detail: { change: 'detach' } }, { detail: { change: 'connect' } }]);
  });

  it('the request id is the one in the answer', async () => {
    const { headers } = await done(service.admin.put('/project/traced'));
    const { events } = await list('?type=project_create&limit=1');
    expect(events[0]).toMatchObject({ project: 'traced', request_id: headers.get('x-request-id') });
  });

  it('they can be filtered by object, project, caller and time', async () => {
    expect(types(await list('?node=n1'))).toEqual(
      expect.arrayContaining([
        'node_register',
        'project_connect_node',
        'node_connect_network',
        'networking_action_done',
      ]),
    );
    expect(types(await list('?switch=sw0&port=n1/eth0'))).toContain('port_connect_nic');
    expect(types(await list('?project=blue'))).toEqual(expect.arrayContaining(['project_create', 'user_add_project']));
    expect(types(await list('?project=blue'))).not.toContain('node_connect_network');
    expect((await list('?caller=alice')).events).toEqual([]);
    expect((await list('?user=bob')).events.length).toBeGreaterThan(0);
    expect((await list('?since=2100-01-01T00:00:00Z')).events).toEqual([]);
    expect((await list(`?until=${Date.now() + 60_000}`)).events.length).toBeGreaterThan(0);
    expect((await list('?until=2000-01-01T00:00:00Z')).events).toEqual([]);
  });

  it('pages meet without a gap, backwards and forwards', async () => {
    const all = (await list('?limit=1000')).events.map(({ id }) => id);
    const seen: number[] = [];
    for (let page = await list('?limit=3'); ; page = await list(`?limit=3&before=${page.next}`)) {
      seen.push(...page.events.map(({ id }) => id));
      if (page.next === null) break;
    }
    expect(seen).toEqual(all);
    expect((await list('?after=0&limit=1000')).events.map(({ id }) => id)).toEqual(all.toReversed());
  });

  it('a project sees its own, and neither switches nor ports', async () => {
    const mine = await list('', service.as('alice'));
    expect(types(mine)).toContain('node_connect_network');
    expect(mine.events.every(({ project }) => project === 'red')).toBe(true);
    expect(JSON.stringify(mine)).not.toContain('sw0');
    expect(types(await list('', service.as('bob')))).not.toContain('node_connect_network');
    expect((await service.as('bob').get('/events?project=red')).status).toBe(401);
    expect((await service.as('alice').get('/events?switch=sw0')).status).toBe(401);
  });

  it('a new project under an old label does not see what happened before', async () => {
    await makeProject(service, 'reborn');
    const carol = await makeUser(service, 'carol', 'reborn');
    await done(service.admin.del('/project/reborn'));
    await makeProject(service, 'reborn');
    await done(service.admin.post('/auth/basic/user/carol/add_project', { project: 'reborn' }));
    expect(types(await list('', carol))).toEqual(['user_add_project', 'project_create']);
  });

  it('secrets are in none of them', async () => {
    const { text } = await done(service.admin.get('/events?limit=1000'));
    for (const secret of ['switch password', 'obmd admin token', passwordOf('alice')])
      expect(text).not.toContain(secret);
  });

  it('a bad filter is refused by name', async () => {
    for (const query of [
      '?since=yesterday',
      '?limit=0',
      '?limit=many',
      '?before=1&after=2',
      '?colour=red',
      '?before=x',
    ]) {
      expect(await service.admin.get(`/events${query}`), query).toMatchObject({
        status: 400,
        body: { type: 'ValidationError', msg: expect.stringMatching(/"(since|limit|before|colour)"/) as string },
      });
    }
  });

  it('the stream shows what happens as it happens', async () => {
    const stream = await open('admin');
    await makeProject(service, 'streamed');
    const event = await eventually(() => stream.events.find(({ project }) => project === 'streamed'));
    expect(event).toMatchObject({ type: 'project_create', caller: 'admin' });
  });

  it('a stream that comes back with Last-Event-ID misses nothing and repeats nothing', async () => {
    const first = await open('admin');
    await makeProject(service, 'before-break');
    const { id } = await eventually(() => first.events.find(({ project }) => project === 'before-break'));
    await first.close();
    await Promise.all(Array.from({ length: 10 }, (_, index) => makeProject(service, `during-break-${index}`)));
    const second = await open('admin', id);
    await eventually(() => (second.events.length >= 10 ? true : undefined));
    expect(second.events.map(({ project }) => project).sort()).toEqual(
      Array.from({ length: 10 }, (_, index) => `during-break-${index}`).sort(),
    );
  });

  it('a project streams its own, and nothing after it lost access', async () => {
    await makeProject(service, 'green');
    await makeUser(service, 'dora', 'green');
    const stream = await open('dora');
    await makeNetwork(service, 'green-net', 'green');
    await eventually(() => stream.events.find(({ type }) => type === 'network_create'));
    await done(service.admin.post('/auth/basic/user/dora/remove_project', { project: 'green' }));
    await makeNetwork(service, 'green-secret', 'green');
    await makeProject(service, 'witness');
    const admin = await open('admin', 0);
    await eventually(() => admin.events.find(({ project }) => project === 'witness'));
    expect(stream.events.some(({ network }) => network === 'green-secret')).toBe(false);
  });

  it('a Last-Event-ID that is none is refused', async () => {
    const answer = await service.admin.send('GET', '/events/stream', { headers: { 'last-event-id': 'x' } });
    expect(answer).toMatchObject({ status: 400, body: { type: 'ValidationError' } });
  });

  it('ids are in the order of commits, whatever the concurrency', async () => {
    const stream = await open('admin');
    await Promise.all(Array.from({ length: 60 }, (_, index) => makeProject(service, `many-${index}`)));
    const many = await eventually(() => {
      const seen = stream.events.filter(({ project }) => project?.startsWith('many-'));
      return seen.length === 60 ? seen : undefined;
    });
    const ids = many.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });
});
