import { beforeAll, describe, expect, it } from 'vitest';
import { startLabObmd } from '@corral/lab';
import { engines } from '../../service/test/support/services/engines.ts';
import { patient } from '../../service/test/support/http/expect-answers.ts';
import { adminPassword, passwordOf } from '../../service/test/support/services/service.ts';
import { sharedService } from '../../service/test/support/services/shared-service.ts';
import { sweep, tamper } from '../../service/test/support/switches/drift-helpers.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
} from '../../service/test/support/services/world.ts';
import { matcherOf } from '../src/cli/lists/match-metadata.ts';
import { inNaturalOrder } from '../../service/src/core/natural-order.ts';
import { naturalOrder } from '../src/natural-order.ts';
import { type Shell, shellForTest } from './support/shell.ts';

describe.each(engines)('lists, on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-120', ...patient });
  const shellOf = (name?: string): Promise<Shell> =>
    shellForTest({
      CORRAL_ENDPOINT: service().url,
      ...(name === undefined
        ? {}
        : { CORRAL_USERNAME: name, CORRAL_PASSWORD: name === 'admin' ? adminPassword : passwordOf(name) }),
    });
  /** What a command line prints, as lines. */
  const lines = async (shell: Shell, line: string): Promise<string[]> => {
    const ran = await shell(line);
    expect({ line, ...ran }).toMatchObject({ code: 0 });
    return ran.out.trimEnd().split('\n');
  };
  const column = async (shell: Shell, line: string): Promise<string[]> => (await lines(shell, line)).slice(1);

  beforeAll(async () => {
    const { admin } = service();
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    await makeUser(service(), 'ada', 'red');
    await makeUser(service(), 'bob', 'blue');
    await makeNetwork(service(), 'red-net', 'red');
    await done(admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
    await makeNetwork(service(), 'blue-net', 'blue');
    await done(admin.put('/network/blue-net/access/red'));
    await makeNetwork(service(), 'blue-own', 'blue');
    for (const node of ['n2', 'n10', 'n11', 'wild']) await makeNode(service(), node, ['eth0']);
    await done(admin.put('/node/n2/metadata/gpus', { value: 8 }));
    await done(admin.put('/node/n10/metadata/gpus', { value: '16' }));
    await done(admin.put('/node/n10/metadata/rack', { value: 'r1' }));
    tamper(service(), 'sw0', 'wild/eth0', { native: 1, tagged: [2, 3] });
    await sweep(service(), 'sw0');
    for (const [project, node] of [
      ['red', 'n10'],
      ['blue', 'n11'],
    ] as const)
      await eventually(async () =>
        (await admin.post(`/project/${project}/connect_node`, { node })).status === 200 ? true : undefined,
      );
    await connect(service(), 'n10', 'eth0', 'red-net');
  }, 60_000);

  it('nodes have what people look for, and are only called free if they can be reserved', async () => {
    const ada = await shellOf('ada');
    const list = await lines(ada, 'node list');
    expect(list[0]).toMatch(/^node +project +state +obm +networks +metadata$/);
    expect(list[1]).toMatch(/^n2 +free +gpus=8$/);
    expect(list[2]).toMatch(/^n10 +red +reserved +disabled +red-net +gpus=16, rack=r1$/);
    expect(list[3]).toMatch(/^n11 +another one +reserved$/);
    expect(list[4]).toMatch(/^wild +blocked: the switch port of nic eth0 was seen to carry something/);
    expect((await lines(await shellOf('admin'), 'node list'))[4]).toContain('port wild/eth0 on switch sw0');
  });

  it('nodes are filtered, and the columns and their order are chosen', async () => {
    const ada = await shellOf('ada');
    const bob = await shellOf('bob');
    expect(await column(ada, 'node list --free --columns node')).toEqual(['n2', 'wild']);
    expect(await column(ada, 'node list --mine --columns node')).toEqual(['n10']);
    expect(await column(bob, 'node list --mine --columns node')).toEqual(['n11']);
    expect(await column(ada, 'node list --project red --columns node')).toEqual(['n10']);
    expect(await column(ada, "node list --match 'gpus>=8' --columns node")).toEqual(['n2', 'n10']);
    expect(await column(ada, "node list --match 'gpus>=8,rack=r1' --columns node")).toEqual(['n10']);
    expect(await column(ada, "node list --match 'gpus>=8' --columns node --sort -gpus")).toEqual(['n10', 'n2']);
    expect(await lines(ada, 'node list --match gpus --columns node,gpus,metadata.rack --sort gpus')).toEqual([
      'node  gpus  rack',
      'n2    8',
      'n10   16    r1',
    ]);
    expect(await ada('node list --project blue')).toMatchObject({ code: 1 });
    expect((await ada('node list --free --mine')).err).toContain('--free and --mine exclude each other');
    expect((await ada('node list --columns gpsu')).err).toContain('did you mean gpus?');
    expect((await ada("node list --match '>4'")).err).toContain('expected conditions such as gpus>=4');
    expect((await lines(ada, 'node list --match none'))[0]).toBe('no nodes');
  });

  it('as JSON they are what the service says, with the event to follow from', async () => {
    const ada = await shellOf('ada');
    const answer = JSON.parse((await ada("node list --json --match 'gpus>=8'")).out) as {
      event: number;
      nodes: { name: string }[];
    };
    const newest = (await done(service().admin.get('/events?limit=1'))).body as { events: { id: number }[] };
    expect(answer.event).toBe(newest.events[0]?.id);
    const overview = async (node: string): Promise<unknown> => {
      const { body } = await done(service().as('ada').get('/overview/nodes'));
      return (body as { nodes: { name: string }[] }).nodes.find(({ name }) => name === node);
    };
    expect(answer.nodes).toEqual([await overview('n2'), await overview('n10')]);
    expect(JSON.parse((await ada('node list --json')).out)).toMatchObject({ others: ['n11'] });
  });

  it('whether nodes are on is asked where it is wanted', async () => {
    const obmd = await startLabObmd({ adminToken: 'token of the lab', tickMs: 20 });
    try {
      obmd.add('on1');
      await done(service().admin.put('/node/on1', { obmd: { uri: obmd.uri('on1'), admin_token: 'token of the lab' } }));
      await done(service().admin.put('/node/on1/obm', { enabled: true }));
      await done(service().admin.post('/node/on1/power_on'));
      const admin = await shellOf('admin');
      const power = await lines(admin, 'node list --columns node,obm,power --free');
      expect(power).toContainEqual(expect.stringMatching(/^on1 +enabled +on$/));
      expect(power).toContainEqual(expect.stringMatching(/^n2 +disabled$/));
      await done(service().admin.put('/node/on1/obm', { enabled: false }));
      await done(service().admin.del('/node/on1'));
    } finally {
      await obmd.close();
    }
  });

  it('networks are all that one can use, and marked', async () => {
    const of = async (name?: string) =>
      (await column(await shellOf(name), 'network list')).map((line) =>
        line.split(/ {2,}/).filter((_, at) => at !== 1),
      );
    expect(await of()).toEqual([['campus', 'public', 'admin', 'everybody', '0']]);
    expect(await of('ada')).toEqual([
      ['blue-net', 'granted', 'blue', 'blue, red', '0'],
      ['campus', 'public', 'admin', 'everybody', '0'],
      ['red-net', 'own', 'red', 'red', '1'],
    ]);
    expect((await of('admin')).map(([name]) => name)).toEqual(['blue-net', 'blue-own', 'campus', 'red-net']);
  });

  it('switches have their state, last reading and drift', async () => {
    const list = await lines(await shellOf('admin'), 'switch list');
    expect(list[0]).toMatch(/^switch +type +state +last read +ports +drift$/);
    expect(list[1]).toMatch(/^sw0 +mock +ok +(now|\d+ s ago) +4 +1 drifting$/);
  });

  it('a switch has its ports with what they should carry and do, and JSON keeps the names of its ports', async () => {
    const admin = await shellOf('admin');
    tamper(service(), 'sw0', 'uplink', { tagged: [100, 101] });
    await sweep(service(), 'sw0');
    const shown = await lines(admin, 'switch show sw0');
    expect(shown).toContainEqual(expect.stringMatching(/^state +ok$/));
    const from = shown.indexOf('') + 1;
    expect(shown[from]).toMatch(/^port +nic +networks +carries +state$/);
    expect(shown.slice(from + 1, from + 6)).toEqual([
      expect.stringMatching(/^n2\/eth0 +n2 eth0 +nothing +ok$/),
      expect.stringMatching(/^n10\/eth0 +n10 eth0 +red-net \(vlan\/native\) +VLAN \d+ +ok$/),
      expect.stringMatching(/^n11\/eth0 +n11 eth0 +nothing +ok$/),
      expect.stringMatching(/^uplink +not registered +tagged 100-101 +ok$/),
      expect.stringMatching(/^wild\/eth0 +wild eth0 +VLAN 1, tagged 2-3 +drift since (now|\d+ (s|min) ago)$/),
    ]);
    expect(shown.at(-1)).toContain('port wild/eth0 on switch sw0 was seen to carry VLAN 1 untagged');
    const json = JSON.parse((await admin('switch show sw0 --json')).out) as { ports: string[] };
    const { ports, type, fields } = (await done(service().admin.get('/switch/sw0'))).body as {
      ports: string[];
    } & Record<string, unknown>;
    expect(json).toMatchObject({ type, fields, event: expect.any(Number) as number });
    expect(json.ports.toSorted()).toEqual(ports);
    tamper(service(), 'sw0', 'uplink', {});
    await sweep(service(), 'sw0');
  });

  it('a switch that does not answer says since when, and its ports which change waits', async () => {
    const admin = await shellOf('admin');
    await makeNode(service(), 'late', ['eth0'], 'sw-late');
    await sweep(service(), 'sw-late');
    await done(service().admin.post('/project/red/connect_node', { node: 'late' }));
    service().simulated('sw-late').faults = { unreachable: true };
    const connecting = 'node network connect late eth0 red-net --no-wait --json';
    const { status_id } = JSON.parse((await admin(connecting)).out) as { status_id: string };
    const shown = await eventually(async () => {
      const text = (await lines(admin, 'switch show sw-late')).join('\n');
      return text.includes('left alone') ? text : undefined;
    });
    expect(shown).toMatch(/^state +does not answer: connection refused \(since (now|\d+ s ago)\); it is left alone/m);
    expect(shown).toMatch(/^late\/eth0 .* ok, waits: connect red-net \(vlan\/native\), \d+ attempts? failed$/m);
    const listOf = async (name: string) => lines(await shellOf(name), 'networking-action list');
    expect((await listOf('admin'))[0]).toMatch(/^nic +project +change +queued +port +status_id$/);
    expect((await listOf('admin'))[1]).toMatch(
      /^late eth0 +red +connect red-net .*the switch does not answer +(now|\d+ s ago) +sw-late late\/eth0 /,
    );
    const [heading, own] = await listOf('ada');
    expect(heading).toMatch(/^nic +project +change +queued +status_id$/);
    expect(own).toContain(status_id);
    expect(own).not.toContain('sw-late');
    expect(await listOf('bob')).toEqual(['no changes are queued']);
    service().simulated('sw-late').faults = {};
    await eventually(async () =>
      (await lines(admin, `networking-action show ${status_id}`)).join('\n').includes('DONE') ? true : undefined,
    );
    await admin('release late');
  });

  it('projects and headnodes are those of the caller, with what they have', async () => {
    await done(service().admin.put('/headnode/h2', { project: 'red', base_img: 'base' }));
    await done(service().admin.put('/headnode/h2/hnic/eth0'));
    await done(service().admin.post('/headnode/h2/hnic/eth0/connect_network', { network: 'red-net' }));
    const [ada, bob, admin] = [await shellOf('ada'), await shellOf('bob'), await shellOf('admin')];
    const projectsOf = async (shell: Shell) => (await lines(shell, 'project list')).map((line) => line.split(/ {2,}/));
    expect(await projectsOf(ada)).toEqual([
      ['project', 'nodes', 'networks', 'headnodes'],
      ['red', '1', '2', '1'],
    ]);
    expect(await projectsOf(bob)).toContainEqual(['blue', '1', '2', '0']);
    expect(await projectsOf(admin)).toContainEqual(['red', '1', '2', '1', 'ada']);
    expect(JSON.parse((await admin('project list --json')).out)).toEqual(['blue', 'red']);
    const shown = await lines(ada, 'headnode list');
    expect(shown[0]).toMatch(/^headnode +project +state +image +hnics$/);
    expect(shown.slice(1)).toEqual([expect.stringMatching(/^h2 +red +created +base +eth0 \(red-net\)$/)]);
    expect(await lines(ada, 'headnode list red')).toEqual(shown);
    expect(await lines(bob, 'headnode list')).toEqual(['no headnodes']);
    expect(await bob('headnode list red')).toMatchObject({ code: 1 });
    await done(service().admin.del('/headnode/h2'));
  });

  it('a node says what keeps it where it is', async () => {
    const ada = await shellOf('ada');
    expect(await lines(ada, 'node show n2')).toContainEqual(expect.stringMatching(/^reservable +yes$/));
    expect(await lines(ada, 'node show wild')).toContainEqual(
      expect.stringMatching(/^reservable +no: the switch port of nic eth0 was seen/),
    );
    const held = await lines(ada, 'node show n10');
    expect(held).toContainEqual(expect.stringMatching(/^OBM +disabled$/));
    expect(held).toContainEqual(expect.stringMatching(/^releasable +no: node n10 is on network red-net \(nic eth0\)/));
    expect((await lines(await shellOf(), 'node show n2')).join('\n')).not.toMatch(/OBM|reservable/);
  });
});

it.each([
  ['gpus>=4', { gpus: 4 }, true],
  ['gpus>=4', { gpus: '10' }, true],
  ['gpus>=4', { gpus: 3.5 }, false],
  ['gpus >= 4', {}, false],
  ['gpus!=4', {}, true],
  ['gpus<4', { gpus: 'many' }, false],
  ['model=A100', { model: 'A100' }, true],
  ['model=A100,gpus', { model: 'A100' }, false],
  ['constructor', {}, false],
  ['on=true', { on: true }, true],
])('--match %s of %j', (conditions, metadata, isMatch) => {
  expect(matcherOf(conditions)(metadata)).toBe(isMatch);
});

it('numbers in names count by their value', () => {
  const sorted = ['n10', 'n2', 'a', 'n2b', '10', '9', 'n'].sort(naturalOrder);
  expect(sorted).toEqual(['9', '10', 'a', 'n', 'n2', 'n2b', 'n10']);
});

it('names have the same order here as ports in the service', () => {
  const long = '9'.repeat(400);
  const parts = ['', '0', '00', '1', '01', '2', '10', 'a', 'A', '-', '/', 'b1', long, `1${long}`];
  const names = parts.flatMap((one) => parts.flatMap((other) => [`${one}${other}`, `gi${one}/${other}`]));
  expect([...names].sort(naturalOrder)).toEqual(inNaturalOrder(names, (name) => name));
});
