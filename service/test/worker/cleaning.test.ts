import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  cleaningOf,
  cleaningThat,
  ended,
  freeNodes,
  isStuckAt,
  leave,
  makeGatedSite,
  stepOf,
} from '../support/services/gated-node.ts';
import { setObm } from '../support/services/obm-rack.ts';
import { release, releaseEnded, showRelease } from '../support/services/releases.ts';
import { message } from '../support/services/shared-service.ts';
import { done, eventually, makeUser, reserve } from '../support/services/world.ts';
import { setPolicy, sweep, tamper } from '../support/switches/drift-helpers.ts';

/** Long enough to be tried once, and over soon. */
const soon = { CORRAL_CLEANING_DEADLINE: '0.05' };

const eventTypes = async (client: { get(path: string): Promise<{ body: unknown }> }): Promise<string[]> => {
  const { body } = await client.get('/events?node=n1&limit=100');
  return (body as { events: { type: string }[] }).events.map(({ type }) => type).reverse();
};

describe.each(engines)('the gate on %s', (engine) => {
  it('lets a node through that is off, on empty ports, with its boot device reset and its BMC taken back', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    await setObm(alice, true);
    await setObm(alice, false);
    await leave(alice);
    const { steps, project } = await cleaningThat(service, ended('passed'));
    expect(project).toBe('red');
    expect(steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'power passed',
      'ports passed',
      'bootdev passed',
      'bmc passed',
    ]);
    expect(steps[1]?.evidence).toMatch(/^nic eth0: port n1\/eth0 on switch sw0 is empty \(sweep \d+\)$/);
    expect([machine.power, machine.bootDevice, machine.token]).toEqual(['off', 'none', null]);
    expect(await freeNodes(service)).toEqual(['n1']);
    await reserve(service, 'blue', 'n1');
  });

  it('is not there unless it is configured', async () => {
    const { service, machine, alice } = await makeGatedSite(engine, { CORRAL_CLEANING_ENABLED: 'false' });
    await leave(alice);
    expect(await freeNodes(service)).toEqual(['n1']);
    expect((await done(service.admin.get('/cleanings'))).body).toEqual({ cleanings: [], next: null, enabled: false });
    expect(machine.power).toBe('on');
  });

  it('keeps a node from everybody while its BMC does not answer, and lets it through when it does', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    machine.fault = { on: ['create_token'], kind: 'status', status: 500 };
    await leave(alice);
    const stuck = await cleaningThat(service, isStuckAt('power'));
    expect(await freeNodes(service)).toEqual([]);
    const overview = (await done(service.admin.get('/overview/nodes?which=free'))).body as { nodes: unknown[] };
    expect(overview.nodes).toEqual([]);
    const refused = await message(alice.post('/project/red/connect_node', { node: 'n1' }));
    expect(refused).toBe('node n1 is being cleaned after its last project; try again later');
    expect(await message(service.admin.post('/project/blue/connect_node', { node: 'n1' }))).toContain(stuck.cleaning);
    expect((await done(service.anonymous.get('/node/n1'))).body).toMatchObject({ name: 'n1', project: null });
    machine.fault = null;
    await cleaningThat(service, ended('passed'));
    await reserve(service, 'blue', 'n1');
  });

  it('quarantines a node whose BMC does not answer until the deadline; a retry begins with the first step', async () => {
    const { service, machine, alice } = await makeGatedSite(engine, soon);
    machine.fault = { on: ['power_off'], kind: 'status', status: 500 };
    await leave(alice);
    const { cleaning, reason } = await cleaningThat(service, ended('failed'));
    expect(reason).toMatch(/^step power: not done at its deadline: /);
    expect(await freeNodes(service)).toEqual([]);
    expect(await message(alice.post('/project/red/connect_node', { node: 'n1' }))).toBe(
      'node n1 is out of service; an administrator can put it back',
    );
    expect(await message(service.admin.post('/project/red/connect_node', { node: 'n1' }))).toContain(reason);
    expect((await alice.get('/overview/node/n1')).body).toMatchObject({ blocked: [{ kind: 'gate' }] });
    machine.fault = null;
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    expect((await cleaningThat(service, ended('passed'))).cleaning).toBe(cleaning);
    expect([machine.power, machine.token]).toEqual(['off', null]);
    expect(await message(service.admin.post(`/cleaning/${cleaning}/retry`))).toContain('has passed');
  });

  it('goes on without a step that an operator has skipped, and says who did', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    machine.fault = { on: ['power_off'], kind: 'status', status: 500 };
    await leave(alice);
    const { cleaning } = await cleaningThat(service, isStuckAt('power'));
    await done(service.admin.post(`/cleaning/${cleaning}/skip`, { step: 'power', reason: 'pulled the plug' }));
    const { steps } = await cleaningThat(service, ended('passed'));
    expect(steps[0]).toMatchObject({ state: 'skipped', sentence: 'skipped by admin: pulled the plug' });
    expect(await eventTypes(service.admin)).toContain('cleaning_skip');
    expect(await freeNodes(service)).toEqual(['n1']);
  });

  it('does not let a node through whose port carries something, whatever was read before', async () => {
    const { service, alice } = await makeGatedSite(engine);
    tamper(service, 'sw0', 'n1/eth0', { native: 600 });
    await leave(alice);
    const { steps, cleaning } = await cleaningThat(service, isStuckAt('ports'));
    expect(steps[1]?.sentence).toContain('was seen to carry VLAN 600 untagged');
    expect(await message(service.admin.post(`/cleaning/${cleaning}/skip`, { step: 'ports', reason: 'x' }))).toContain(
      'step ports cannot be skipped',
    );
    expect(await freeNodes(service)).toEqual([]);
    await setPolicy(service, 'sw0', 'repair');
    await cleaningThat(service, ended('passed'));
    expect(await freeNodes(service)).toEqual(['n1']);
  });

  it('believes no reading from before the step: a port that was edited unseen keeps the node', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    // Every port was read, and was empty.
    await sweep(service, 'sw0');
    machine.fault = { on: ['create_token'], kind: 'status', status: 500 };
    await leave(alice);
    await cleaningThat(service, isStuckAt('power'));
    // Nobody has seen this yet: the switches are read on demand only.
    tamper(service, 'sw0', 'n1/eth0', { tagged: [700] });
    machine.fault = null;
    const { steps } = await cleaningThat(service, isStuckAt('ports'));
    expect(steps[1]?.sentence).toContain('700');
    expect(await freeNodes(service)).toEqual([]);
  });

  it('keeps OBM from everybody while it works, and leaves it to operators in quarantine', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    machine.fault = { on: ['power_status'], kind: 'status', status: 500 };
    await leave(alice);
    await cleaningThat(service, isStuckAt('power'));
    expect(await message(service.admin.put('/node/n1/obm', { enabled: true }))).toContain('is being cleaned');
    const { body } = await done(service.admin.post('/node/n1/quarantine', { reason: 'smells of smoke' }));
    machine.fault = null;
    await setObm(service.admin, true);
    const { cleaning } = body as { cleaning: string };
    expect(await message(service.admin.post(`/cleaning/${cleaning}/retry`))).toContain('OBM of node n1 is enabled');
    await setObm(service.admin, false);
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    await cleaningThat(service, ended('passed'));
    expect(machine.token).toBe(null);
  });

  it('is shown to operators, and to nobody else', async () => {
    const { service, alice } = await makeGatedSite(engine);
    const bob = await makeUser(service, 'bob', 'blue');
    await leave(alice);
    await cleaningThat(service, ended('passed'));
    await reserve(service, 'blue', 'n1');
    const types = await eventTypes(service.admin);
    expect(types.filter((type) => type.startsWith('cleaning'))).toEqual([
      'cleaning_started',
      'cleaning_step',
      'cleaning_step',
      'cleaning_step',
      'cleaning_step',
      'cleaning_passed',
    ]);
    for (const client of [alice, bob]) {
      expect((await eventTypes(client)).filter((type) => /cleaning|quarantine/.test(type))).toEqual([]);
      expect((await client.get('/cleanings')).status).toBe(401);
    }
  });

  it('keeps a node that is released for repair, also if that is said later, no matter who ends its release', async () => {
    const { service, alice, machine } = await makeGatedSite(engine);
    await setObm(alice, true);
    machine.fault = { kind: 'status', status: 500 };
    const [id] = await release(alice, 'red', 'n1');
    expect((await showRelease(alice, id)).for_repair).toBeNull();
    for (const note of ['smells', 'smells burnt'])
      expect((await alice.post('/project/red/release', { nodes: ['n1'], for_repair: note })).status).toBe(202);
    // Asked for again without a note, it keeps the one that it has.
    expect(await release(alice, 'red', 'n1')).toEqual([id]);
    expect(await showRelease(alice, id)).toMatchObject({ state: 'running', for_repair: 'smells burnt' });
    machine.fault = null;
    // OBM is disabled, and the node taken out, by the release or by an administrator who does it by hand.
    await service.admin.put('/node/n1/obm', { enabled: false });
    await service.admin.post('/project/red/detach_node', { node: 'n1' });
    expect(await releaseEnded(alice, id)).toMatchObject({ state: 'done', for_repair: 'smells burnt' });
    const { state, reason, cleaning } = await cleaningOf(service);
    expect([state, reason]).toEqual(['failed', 'project red released it for repair: smells burnt']);
    expect([await freeNodes(service), machine.power]).toEqual([[], 'on']);
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    await cleaningThat(service, ended('passed'));
    expect([await freeNodes(service), machine.power]).toEqual([['n1'], 'off']);
  });

  it('takes a free node out of service for an operator, and cleans it before it is back', async () => {
    const { service, alice, machine } = await makeGatedSite(engine, { CORRAL_CLEANING_ENABLED: 'false' });
    expect(await message(service.admin.post('/node/n1/quarantine', { reason: 'fan' }))).toBe(
      'node n1 is in project red; it can be quarantined when it has left',
    );
    await leave(alice);
    await done(service.admin.post('/node/n1/quarantine', { reason: 'fan' }));
    expect(await freeNodes(service)).toEqual([]);
    const { cleaning, state, reason, project } = await cleaningOf(service);
    expect([state, reason, project]).toEqual(['failed', 'fan', null]);
    expect(await message(service.admin.post('/node/n1/quarantine', { reason: 'again' }))).toContain('is quarantined');
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    await cleaningThat(service, ended('passed'));
    expect([await freeNodes(service), machine.power]).toEqual([['n1'], 'off']);
  });

  it('lets a node be deleted that it keeps', async () => {
    const { service, machine, alice } = await makeGatedSite(engine);
    machine.fault = { on: ['create_token'], kind: 'status', status: 500 };
    await leave(alice);
    await cleaningThat(service, isStuckAt('power'));
    await done(service.admin.post('/switch/sw0/port/n1/eth0/detach_nic'));
    await done(service.admin.del('/node/n1/nic/eth0'));
    await done(service.admin.del('/node/n1'));
    expect((await done(service.admin.get('/cleanings'))).body).toEqual({ cleanings: [], next: null, enabled: true });
  });

  it('never powers off a machine that another node stands for', async () => {
    const { service, obmd, machine, alice } = await makeGatedSite(engine);
    await done(service.admin.put('/node/twin', { obmd: { uri: `${obmd.uri('n1')}/`, admin_token: obmd.adminToken } }));
    await leave(alice);
    const { steps } = await cleaningThat(service, isStuckAt('power'));
    expect(steps[0]?.sentence).toBe('node twin has the same OBM address; correct one of them');
    expect(machine.power).toBe('on');
  });

  it('shows cleanings page by page, the newest first', async () => {
    const { service, alice } = await makeGatedSite(engine);
    for (const project of ['red', 'blue', 'red']) {
      await eventually(async () =>
        (await freeNodes(service)).length + (project === 'red' ? 1 : 0) > 0 ? true : undefined,
      );
      if ((await freeNodes(service)).length > 0) await reserve(service, project, 'n1');
      await leave(service.admin, 'n1', project);
      await cleaningThat(service, ended('passed'));
    }
    const first = (await done(service.admin.get('/cleanings?state=passed&limit=2'))).body as {
      cleanings: { project: string }[];
      next: string;
    };
    expect(first.cleanings.map(({ project }) => project)).toEqual(['red', 'blue']);
    const rest = (await done(service.admin.get(`/cleanings?limit=2&after=${first.next}`))).body as typeof first;
    expect([rest.cleanings.map(({ project }) => project), rest.next]).toEqual([['red'], null]);
    expect(stepOf(await cleaningOf(service), 'power')?.state).toBe('passed');
    expect((await alice.get('/cleanings')).status).toBe(401);
  });
});
