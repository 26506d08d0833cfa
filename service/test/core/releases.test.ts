import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { labObmd, registerNode, setObm } from '../support/services/obm-rack.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { release, released, releaseEnded, showRelease } from '../support/services/releases.ts';
import { runSql } from '../support/services/run-sql.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { carried, sweep, tamper } from '../support/switches/drift-helpers.ts';
import type { Client } from '../support/http/http-client.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
} from '../support/services/world.ts';

interface EventRow {
  readonly type: string;
  readonly caller: string;
  readonly detail: Record<string, unknown>;
}

describe.each(engines)('releases of nodes on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-200', CORRAL_RELEASE_PATIENCE: '2' });

  /** A project of this name with a member, a network `<name>-net`, and a node `<name>` on a switch `sw-<name>`. */
  const tenant = async (name: string, nics: readonly string[] = ['eth0']): Promise<Client> => {
    await makeProject(service(), name);
    const member = await makeUser(service(), `member-${name}`, name);
    await makeNetwork(service(), `${name}-net`, name);
    await makeNode(service(), name, nics, `sw-${name}`);
    await reserve(service(), name, name);
    return member;
  };
  const projectOf = async (node: string): Promise<unknown> =>
    ((await done(service().admin.get(`/node/${node}`))).body as { project: unknown }).project;
  const eventsOf = async (node: string): Promise<EventRow[]> =>
    ((await done(service().admin.get(`/events?node=${node}&after=0`))).body as { events: EventRow[] }).events;
  const typesOf = async (node: string): Promise<string[]> => (await eventsOf(node)).map(({ type }) => type);

  it('detaches every network, disables OBM and takes the node out of the project, in the name of who asked', async () => {
    const obmd = await labObmd();
    const machine = obmd.add('whole');
    const member = await tenant('whole', ['eth0', 'eth1']);
    await makeNetwork(service(), 'whole-net-2', 'whole');
    await done(
      service().admin.put('/node/whole/obmd', { uri: obmd.uri('whole'), admin_token: 'a3f9-lab-admin-token' }),
    );
    await setObm(member, true, 'whole');
    const networks = (await done(service().admin.get('/networks'))).body as Record<string, { network_id: string }>;
    await connect(service(), 'whole', 'eth0', 'whole-net');
    await connect(service(), 'whole', 'eth0', 'whole-net-2', `vlan/${networks['whole-net-2']?.network_id ?? ''}`);
    await connect(service(), 'whole', 'eth1', 'whole-net');

    const [ended] = await released(member, 'whole', 'whole');
    expect(ended).toMatchObject({ node: 'whole', project: 'whole', caller: 'member-whole', step: 'project' });
    expect(ended?.detaches.map(({ nic, network }) => `${nic} ${network}`).sort()).toEqual([
      'eth0 whole-net',
      'eth0 whole-net-2',
      'eth1 whole-net',
    ]);
    expect(await projectOf('whole')).toBeNull();
    for (const nic of ['eth0', 'eth1'])
      expect(carried(service(), 'sw-whole', `whole/${nic}`)).toEqual({ native: null, tagged: [] });
    expect(machine.token).toBeNull();
    const events = (await eventsOf('whole')).filter(({ caller }) => caller === 'member-whole');
    expect(events.map(({ type }) => type)).toEqual([
      'node_enable_obm',
      'node_release_started',
      ...['node_detach_network', 'node_detach_network', 'node_detach_network'],
      'node_disable_obm',
      'project_detach_node',
      'node_released',
    ]);
    expect(events.at(-1)?.detail).toEqual({ release: ended?.release });
    await expectSound(service().env);
  });

  it('a node that has nothing leaves at once, and its release is listed with the others of the project', async () => {
    const member = await tenant('plain');
    await makeNode(service(), 'plain-2');
    await reserve(service(), 'plain', 'plain-2');
    const ended = await released(member, 'plain', 'plain', 'plain-2');
    const listed = (await done(member.get('/project/plain/releases'))).body as { release: string; state: string }[];
    expect(listed.map(({ release: id, state }) => `${id} ${state}`).sort()).toEqual(
      ended.map(({ release: id }) => `${id} done`).sort(),
    );
  });

  it('names every node that is not the project’s, and begins nothing', async () => {
    const member = await tenant('strict');
    await tenant('foreign');
    await makeNode(service(), 'strict-free');
    const answer = member.post('/project/strict/release', { nodes: ['strict', 'foreign', 'strict-free'] });
    expect(await refusal(answer)).toBe('409 ProjectMismatchError');
    expect(await message(answer)).toBe('nodes foreign, strict-free are not in project strict');
    const unknown = member.post('/project/strict/release', { nodes: ['strict', 'nowhere'] });
    expect(await refusal(unknown)).toBe('404 NotFoundError');
    expect(await message(unknown)).toBe('node nowhere does not exist');
    expect((await done(member.get('/project/strict/releases'))).body).toEqual([]);
    expect(await typesOf('strict')).not.toContain('node_release_started');
    expect([await projectOf('strict'), await projectOf('foreign')]).toEqual(['strict', 'foreign']);
  });

  it('is for members and administrators, and shown to nobody else', async () => {
    const member = await tenant('closed');
    const stranger = await makeUser(service(), 'stranger-of-closed');
    for (const client of [stranger, service().anonymous]) {
      expect(await refusal(client.post('/project/closed/release', { nodes: ['closed'] }))).toBe(
        '401 AuthorizationError',
      );
    }
    const [ended] = await released(member, 'closed', 'closed');
    for (const path of [`/release/${ended?.release ?? ''}`, '/project/closed/releases'])
      expect(await refusal(stranger.get(path))).toBe('401 AuthorizationError');
    expect(await refusal(member.get('/release/nothing'))).toBe('404 NotFoundError');
    // A project made later under the same label sees nothing old.
    await done(service().admin.post('/auth/basic/user/member-closed/remove_project', { project: 'closed' }));
    await done(service().admin.del('/network/closed-net'));
    await done(service().admin.del('/project/closed'));
    await makeProject(service(), 'closed');
    await done(service().admin.post('/auth/basic/user/member-closed/add_project', { project: 'closed' }));
    expect(await refusal(member.get(`/release/${ended?.release ?? ''}`))).toBe('401 AuthorizationError');
    expect((await done(member.get('/project/closed/releases'))).body).toEqual([]);
    expect((await showRelease(service().admin, ended?.release)).state).toBe('done');
  });

  it.each([{}, { nodes: [] }, { nodes: 'n1' }, { nodes: ['a/b'] }, { nodes: [7] }])(
    'needs the labels of nodes: not %j',
    async (body) => {
      expect(await refusal(service().admin.post('/project/closed/release', body))).toBe('400 ValidationError');
    },
  );

  it('asked for twice, or many times at once, is one release', async () => {
    const member = await tenant('twice');
    await connect(service(), 'twice', 'eth0', 'twice-net');
    service().simulated('sw-twice').faults = { delayMs: 300 };
    const ids = (await Promise.all(Array.from({ length: 6 }, () => release(member, 'twice', 'twice')))).flat();
    expect(new Set(ids).size).toBe(1);
    expect((await releaseEnded(member, ids[0])).state).toBe('done');
    expect((await typesOf('twice')).filter((type) => type === 'node_release_started')).toHaveLength(1);
  });

  it('for repair keeps the node from everybody until an administrator has put it back, with or without a gate', async () => {
    const member = await tenant('loud');
    await connect(service(), 'loud', 'eth0', 'loud-net');
    const answer = await member.post('/project/loud/release', { nodes: ['loud'], for_repair: 'fan is loud' });
    expect(answer.status).toBe(202);
    const [begun] = (answer.body as { releases: { release: string }[] }).releases;
    expect(await releaseEnded(member, begun?.release)).toMatchObject({ state: 'done', for_repair: 'fan is loud' });
    expect(await projectOf('loud')).toBeNull();
    expect((await done(member.get('/nodes/free'))).body).not.toContain('loud');
    expect(await message(member.post('/project/loud/connect_node', { node: 'loud' }))).toBe(
      'node loud is out of service; an administrator can put it back',
    );
    const { cleanings } = (await done(service().admin.get('/cleanings?node=loud'))).body as { cleanings: unknown[] };
    expect(cleanings).toMatchObject([
      { state: 'failed', project: 'loud', reason: 'project loud released it for repair: fan is loud' },
    ]);
    const noted = (await eventsOf('loud')).filter(({ type }) => type === 'node_release_for_repair');
    expect(noted).toMatchObject([{ caller: 'member-loud', detail: { for_repair: 'fan is loud' } }]);
    // The project sees what its members said, and nothing of what became of the node.
    const own = (await done(member.get('/events?project=loud&after=0'))).body as { events: EventRow[] };
    expect(own.events.map(({ type }) => type)).toContain('node_release_for_repair');
    expect(own.events.map(({ type }) => type)).not.toContain('node_quarantined');
    await expectSound(service().env);
  });

  it('for repair takes no more nodes out of service than the project may have, unless an administrator asks', async () => {
    const member = await tenant('rough');
    await done(service().admin.put('/quota/nodes', { project: 'rough', limit: 1 }));
    const forRepair = (as: Client, node: string) =>
      as.post('/project/rough/release', { nodes: [node], for_repair: 'broken' });
    expect((await forRepair(member, 'rough')).status).toBe(202);
    await eventually(async () => ((await projectOf('rough')) === null ? true : undefined));
    for (const node of ['rough-2', 'rough-3']) await makeNode(service(), node, [], 'sw-rough');
    await reserve(service(), 'rough', 'rough-2');
    expect(await message(forRepair(member, 'rough-2'))).toBe(
      'project rough would have 2 nodes out of service for repair, and may have 1; ask an administrator to put one back, or release them without a note',
    );
    await released(member, 'rough', 'rough-2');
    expect((await done(member.get('/nodes/free'))).body).toContain('rough-2');
    // An administrator knows what is out of service.
    await reserve(service(), 'rough', 'rough-3');
    expect((await forRepair(service().admin, 'rough-3')).status).toBe(202);
    await eventually(async () => ((await projectOf('rough-3')) === null ? true : undefined));
    await expectSound(service().env);
  });

  it.each(['', 7, null, 'two\nlines', 'x'.repeat(1001)])(
    'takes one line of text about what is wrong: not %j',
    async (note) => {
      expect(
        await refusal(service().admin.post('/project/closed/release', { nodes: ['closed'], for_repair: note })),
      ).toBe('400 ValidationError');
    },
  );

  it('while it runs nothing can be added to the node; what is pending is waited for and undone', async () => {
    const obmd = await labObmd();
    obmd.add('held');
    const member = await tenant('held', ['eth0', 'eth1']);
    await done(service().admin.put('/node/held/obmd', { uri: obmd.uri('held'), admin_token: 'a3f9-lab-admin-token' }));
    service().simulated('sw-held').faults = { delayMs: 400 };
    await done(member.post('/node/held/nic/eth0/connect_network', { network: 'held-net' }));
    const [id] = await release(member, 'held', 'held');
    const calls = [
      () => member.post('/node/held/nic/eth1/connect_network', { network: 'held-net' }),
      () => member.put('/node/held/obm', { enabled: true }),
      () => service().admin.put('/node/held/obm', { enabled: true }),
    ];
    for (const call of calls) {
      const answer = call();
      expect(await refusal(answer)).toBe('409 BlockedError');
      expect(await message(answer)).toBe(
        `node held is being released (release ${id ?? ''}); wait until that has ended`,
      );
    }
    const ended = await releaseEnded(member, id);
    expect(ended).toMatchObject({ state: 'done', detaches: [{ nic: 'eth0', network: 'held-net' }] });
    for (const nic of ['eth0', 'eth1'])
      expect(carried(service(), 'sw-held', `held/${nic}`)).toEqual({ native: null, tagged: [] });
  });

  it('a switch that refuses ends it, the node stays theirs, and another call goes on where it stands', async () => {
    const member = await tenant('refused', ['eth0', 'eth1']);
    for (const nic of ['eth0', 'eth1']) await connect(service(), 'refused', nic, 'refused-net');
    service().simulated('sw-refused').faults = { refuse: ['refused/eth1'] };
    const [id] = await release(member, 'refused', 'refused');
    const ended = await releaseEnded(member, id);
    expect(ended).toMatchObject({ state: 'failed', step: 'networks' });
    expect(ended.problem).toMatch(/^nic eth1 could not be detached from network refused-net: .*as it was before/);
    expect(await projectOf('refused')).toBe('refused');
    const failed = (await eventsOf('refused')).filter(({ type }) => type === 'node_release_failed');
    expect(failed.map(({ caller, detail }) => ({ caller, detail }))).toEqual([
      { caller: 'member-refused', detail: { release: id, step: 'networks', error: ended.problem } },
    ]);
    // What is left can be changed again, and given back again.
    service().simulated('sw-refused').faults = {};
    await connect(service(), 'refused', 'eth0', 'refused-net');
    const [again] = await released(member, 'refused', 'refused');
    expect(again?.detaches.map(({ nic }) => nic).sort()).toEqual(['eth0', 'eth1']);
  });

  it('a switch that cannot be reached for a moment is waited for; one that stays away ends it', async () => {
    const member = await tenant('away');
    await connect(service(), 'away', 'eth0', 'away-net');
    service().simulated('sw-away').faults = { unreachable: true };
    const [id] = await release(member, 'away', 'away');
    expect(await releaseEnded(member, id)).toMatchObject({ state: 'failed', step: 'networks' });
    expect(await projectOf('away')).toBe('away');
    const [next] = await release(member, 'away', 'away');
    await eventually(async () => ((await showRelease(member, next)).detaches.length > 0 ? true : undefined));
    service().simulated('sw-away').faults = {};
    const ended = await releaseEnded(member, next);
    // It is back before the change is given up, or just after: both are told as they are.
    if (ended.state === 'failed') await released(member, 'away', 'away');
    expect(await projectOf('away')).toBeNull();
  });

  it('a port that carries what is not recorded keeps the node, and the sentence says why', async () => {
    const member = await tenant('drifted');
    tamper(service(), 'sw-drifted', 'drifted/eth0', { native: 7 });
    await sweep(service(), 'sw-drifted');
    const [id] = await release(member, 'drifted', 'drifted');
    const ended = await releaseEnded(member, id);
    expect(ended).toMatchObject({ state: 'failed', step: 'project' });
    expect(ended.problem).toMatch(/the switch port of nic eth0 was seen to carry something, which is not recorded/);
    expect((await showRelease(service().admin, id)).problem).toContain('switch sw-drifted');
    expect(await projectOf('drifted')).toBe('drifted');
  });

  it('a port that nobody has read yet is waited for', async () => {
    // On a busy machine it takes a switch a while to be read again.
    const patient = await serviceForTest(engine, { CORRAL_RELEASE_PATIENCE: '60' });
    await makeProject(patient, 'red');
    const member = await makeUser(patient, 'member', 'red');
    await makeNode(patient, 'n1', ['eth0'], 'sw0');
    await makeNode(patient, 'n2');
    await reserve(patient, 'red', 'n2');
    patient.simulated('sw0').faults = { unreachable: true };
    await done(patient.admin.put('/node/n2/nic/eth0', { macaddr: 'm' }));
    await done(patient.admin.put('/switch/sw0/port/spare'));
    await done(patient.admin.post('/switch/sw0/port/spare/connect_nic', { node: 'n2', nic: 'eth0' }));
    const [id] = await release(member, 'red', 'n2');
    const waiting = await eventually(async () => {
      const found = await showRelease(member, id);
      return found.attempts > 0 ? found : undefined;
    });
    expect(waiting.problem).toContain('has not been read since');
    patient.simulated('sw0').faults = {};
    expect((await releaseEnded(member, id)).state).toBe('done');
  });

  it('an OBM daemon that does not answer is tried again, for a bounded time; the node stays theirs', async () => {
    const obmd = await labObmd();
    const machine = obmd.add('mute');
    const member = await tenant('mute');
    await registerNode(service(), 'mute-obm', obmd.uri('mute'));
    await reserve(service(), 'mute', 'mute-obm');
    await setObm(member, true, 'mute-obm');
    machine.fault = { kind: 'status', status: 500 };
    const [id] = await release(member, 'mute', 'mute-obm');
    const waiting = await eventually(async () => {
      const found = await showRelease(member, id);
      return found.attempts > 0 ? found : undefined;
    });
    expect(waiting).toMatchObject({ step: 'obm', problem: expect.stringContaining('OBM daemon') as string });
    expect(await releaseEnded(member, id)).toMatchObject({ state: 'failed', step: 'obm' });
    expect(await projectOf('mute-obm')).toBe('mute');
    const [next] = await release(member, 'mute', 'mute-obm');
    await eventually(async () => ((await showRelease(member, next)).attempts > 0 ? true : undefined));
    machine.fault = null;
    expect((await releaseEnded(member, next)).state).toBe('done');
    expect(machine.token).toBeNull();
    expect((await typesOf('mute-obm')).filter((type) => type === 'node_disable_obm')).toHaveLength(1);
  });

  it('goes on when the rights of who asked have ended', async () => {
    const member = await tenant('rights');
    await connect(service(), 'rights', 'eth0', 'rights-net');
    service().simulated('sw-rights').faults = { delayMs: 300 };
    const [id] = await release(member, 'rights', 'rights');
    await done(service().admin.del('/auth/basic/user/member-rights'));
    expect((await releaseEnded(service().admin, id)).state).toBe('done');
    expect(await projectOf('rights')).toBeNull();
  });

  it('a node that an administrator moves meanwhile is left alone from then on', async () => {
    const obmd = await labObmd();
    const machine = obmd.add('moved');
    const member = await tenant('moved');
    await tenant('next');
    await registerNode(service(), 'moved-obm', obmd.uri('moved'));
    await reserve(service(), 'moved', 'moved-obm');
    await setObm(member, true, 'moved-obm');
    machine.fault = { kind: 'status', status: 500 };
    const [id] = await release(member, 'moved', 'moved-obm');
    await eventually(async () => ((await showRelease(member, id)).attempts > 0 ? true : undefined));
    machine.fault = null;
    const { admin } = service();
    await done(admin.put('/node/moved-obm/obm', { enabled: false }));
    // The release may have been quicker.
    await admin.post('/project/moved/detach_node', { node: 'moved-obm' });
    await reserve(service(), 'moved', 'moved-obm');
    await setObm(admin, true, 'moved-obm');
    expect(await showRelease(member, id)).toMatchObject({ state: 'done', problem: null });
    // Another release on another node has been worked on since, and this node still has all it had.
    await released(admin, 'next', 'next');
    expect(await projectOf('moved-obm')).toBe('moved');
    expect(machine.token).not.toBeNull();
    await expectSound(service().env);
  });

  it('beside connections and detachments of the same nics ends with the node free and nothing on its ports', async () => {
    const member = await tenant('busy', ['eth0', 'eth1', 'eth2']);
    const nics = ['eth0', 'eth1', 'eth2'];
    await Promise.all(nics.map((nic) => connect(service(), 'busy', nic, 'busy-net')));
    let isOver = false;
    const load = nics.map(async (nic, index) => {
      while (!isOver) {
        const call = index === 0 ? 'connect_network' : 'detach_network';
        expect([202, 401, 409]).toContain(
          (await member.post(`/node/busy/nic/${nic}/${call}`, { network: 'busy-net' })).status,
        );
      }
    });
    const [id] = await release(member, 'busy', 'busy');
    const ended = await releaseEnded(member, id);
    isOver = true;
    await Promise.all(load);
    expect(ended).toMatchObject({ state: 'done', problem: null });
    for (const nic of nics) expect(carried(service(), 'sw-busy', `busy/${nic}`)).toEqual({ native: null, tagged: [] });
    await expectSound(service().env);
  });

  // The last one, because it breaks the database.
  it('one whose node is no longer in the project ends, and touches nothing', async () => {
    const member = await tenant('stray');
    await connect(service(), 'stray', 'eth0', 'stray-net');
    service().simulated('sw-stray').faults = { unreachable: true };
    const [id] = await release(member, 'stray', 'stray');
    await eventually(async () => ((await showRelease(member, id)).detaches.length > 0 ? true : undefined));
    const statement = `update nodes set project_id = null where label = 'stray'`;
    await runSql(service(), { sqlite: statement, postgres: statement });
    expect(await releaseEnded(member, id)).toMatchObject({
      state: 'failed',
      problem: 'node stray is no longer in project stray',
    });
    service().simulated('sw-stray').faults = {};
  });
});
