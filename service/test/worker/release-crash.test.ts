import { rm } from 'node:fs/promises';
import { type LabMachine, type LabObmd, startLabObmd } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ReleaseMoment, releaseSteps } from '../../src/core/release-steps.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { registerNode, replicaOf, setObm } from '../support/services/obm-rack.ts';
import { type Release, release, releaseEnded } from '../support/services/releases.ts';
import { adminPassword, type Service, serviceForTest, startService } from '../support/services/service.ts';
import { carried } from '../support/switches/drift-helpers.ts';
import { connect, done, eventually, makeNetwork, makeNode, makeProject, reserve } from '../support/services/world.ts';

const adminToken = 'a3f9-lab-admin-token';
const nics = ['eth0', 'eth1'];

/** At "release failed" the release has ended; all others are brought to their end. */
const outcomes = (step: ReleaseMoment): Release['state'] => (step === 'release failed' ? 'failed' : 'done');

const projectOf = async (service: Service, node: string): Promise<unknown> =>
  ((await done(service.admin.get(`/node/${node}`))).body as { project: unknown }).project;
const countOf = async (service: Service, node: string, type: string): Promise<number> =>
  ((await done(service.admin.get(`/events?node=${node}&type=${type}&after=0`))).body as { events: unknown[] }).events
    .length;

describe.each(engines)('a process that is killed while it releases a node, on %s', { timeout: 60_000 }, (engine) => {
  let service: Service;
  let obmd: LabObmd;
  let count = 0;

  beforeAll(async () => {
    obmd = await startLabObmd({ adminToken });
    service = await startService(engine, { CORRAL_ENGINE_LEASE: '0.5', CORRAL_ENGINE_BUDGET: '30' });
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
  });
  afterAll(async () => {
    await service.stop();
    await obmd.close();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  /** A node of project red: on a network by two nics, with its OBM enabled. */
  const prepared = async (node: string): Promise<LabMachine> => {
    const machine = obmd.add(node);
    await makeNode(service, node, nics, `sw-${node}`);
    await done(service.admin.put(`/node/${node}/obmd`, { uri: obmd.uri(node), admin_token: adminToken }));
    await reserve(service, 'red', node);
    await setObm(service.admin, true, node);
    for (const nic of nics) await connect(service, node, nic, 'net');
    return machine;
  };

  it.each(releaseSteps)('at "%s": the next one brings it to its end', async (step) => {
    const node = `n${(count += 1)}`;
    const machine = await prepared(node);
    const isRefused = outcomes(step) === 'failed';
    if (isRefused) service.simulated(`sw-${node}`).faults = { refuse: [`${node}/eth1`] };
    await service.stop();

    const dying = await startDyingProgram(service.env, step, 1);
    onTestFinished(() => dying.kill());
    const asked = clientOf(dying.url, basic('admin', adminPassword))
      .post('/project/red/release', { nodes: [node] })
      .catch(() => null);
    expect(await dying.death).toBe('SIGKILL');
    await asked;

    service = await service.restart();
    const [found] = (await done(service.admin.get('/project/red/releases'))).body as Release[];
    expect(found?.node).toBe(node);
    const ended = await releaseEnded(service.admin, found?.release);
    expect(ended).toMatchObject({ state: outcomes(step) });
    expect(carried(service, `sw-${node}`, `${node}/eth0`)).toEqual({ native: null, tagged: [] });
    if (isRefused) {
      expect(await projectOf(service, node)).toBe('red');
      service.simulated(`sw-${node}`).faults = {};
      await releaseEnded(service.admin, (await release(service.admin, 'red', node))[0]);
    }
    expect(await projectOf(service, node)).toBeNull();
    expect(machine.token).toBeNull();
    for (const nic of nics)
      expect(carried(service, `sw-${node}`, `${node}/${nic}`)).toEqual({ native: null, tagged: [] });
    for (const type of ['project_detach_node', 'node_released', 'node_disable_obm'])
      expect([type, await countOf(service, node, type)]).toEqual([type, 1]);
    await expectSound(service.env);
  });
});

describe.skipIf(!engines.includes('postgres'))('releases with two processes on one PostgreSQL', () => {
  it('every release is done once, whichever process was asked and whichever does it', { timeout: 60_000 }, async () => {
    const obmd = await startLabObmd({ adminToken });
    onTestFinished(() => obmd.close());
    const service = await serviceForTest('postgres', { CORRAL_ENGINE_BUDGET: '30' });
    const replica = await replicaOf(service);
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    const nodes = Array.from({ length: 6 }, (_, index) => `n${index}`);
    for (const node of nodes) {
      obmd.add(node);
      await registerNode(service, node, obmd.uri(node));
      await reserve(service, 'red', node);
      await setObm(service.admin, true, node);
    }
    await makeNode(service, 'wired', ['eth0', 'eth1']);
    await reserve(service, 'red', 'wired');
    for (const nic of nics) await connect(service, 'wired', nic, 'net');
    const all = [...nodes, 'wired'];
    const [here, there] = await Promise.all([
      release(service.admin, 'red', ...all),
      release(replica.admin, 'red', ...all.toReversed()),
    ]);
    expect(there.toReversed()).toEqual(here);
    for (const id of here)
      expect(await releaseEnded(replica.admin, id)).toMatchObject({ state: 'done', problem: null });
    for (const node of all) {
      for (const type of ['node_release_started', 'project_detach_node', 'node_released'])
        expect([node, type, await countOf(service, node, type)]).toEqual([node, type, 1]);
    }
    expect(await eventually(() => obmd.calls.length)).toBeGreaterThan(0);
    await expectSound(service.env);
  });
});
