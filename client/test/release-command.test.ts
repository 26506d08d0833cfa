import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { passwordOf, type Service } from '../../service/test/support/services/service.ts';
import { sharedService } from '../../service/test/support/services/shared-service.ts';
import { carried, sweep, tamper } from '../../service/test/support/switches/drift-helpers.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
} from '../../service/test/support/services/world.ts';
import { type Shell, shellForTest } from './support/shell.ts';

const shellOf = (service: Service, name: string): Promise<Shell> =>
  shellForTest({ CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: name, CORRAL_PASSWORD: passwordOf(name) });

describe.each(engines)('corral release, on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-120' });

  /** A tenant with a node of his own, on a switch of its own, and two networks. */
  const tenant = async (name: string, node: string = name): Promise<Shell> => {
    const user = `ada-${name}`;
    await makeProject(service(), name);
    await makeUser(service(), user, name);
    for (const network of ['a', 'b']) await makeNetwork(service(), `${name}-${network}`, name);
    await reserved(name, node);
    return shellOf(service(), user);
  };
  const reserved = async (project: string, node: string): Promise<void> => {
    await makeNode(service(), node, ['eth0', 'eth1'], `sw-${node}`);
    await eventually(async () =>
      (await service().admin.post(`/project/${project}/connect_node`, { node })).status === 200 ? true : undefined,
    );
  };
  const projectOf = async (node: string): Promise<unknown> =>
    ((await done(service().admin.get(`/node/${node}`))).body as { project: unknown }).project;
  const vlanOf = async (network: string): Promise<string> =>
    ((await done(service().admin.get('/networks'))).body as Record<string, { network_id: string }>)[network]
      ?.network_id ?? '';

  it('detaches every network, disables OBM and releases the node; once more is nothing to do', async () => {
    const shell = await tenant('whole');
    const obmd = await startLabObmd({ adminToken: 't', tickMs: 20 });
    onTestFinished(() => obmd.close());
    obmd.add('whole');
    await done(service().admin.put('/node/whole/obmd', { uri: obmd.uri('whole'), admin_token: 't' }));
    await done(service().admin.put('/node/whole/obm', { enabled: true }));
    await connect(service(), 'whole', 'eth0', 'whole-a');
    await connect(service(), 'whole', 'eth0', 'whole-b', `vlan/${await vlanOf('whole-b')}`);
    await connect(service(), 'whole', 'eth1', 'whole-a');
    const { code, out } = await shell('release whole');
    expect({ code, out }).toMatchObject({ code: 0 });
    for (const step of [
      'nic eth0 is detached from network whole-a',
      'nic eth0 is detached from network whole-b',
      'nic eth1 is detached from network whole-a',
      'OBM is disabled',
      '✓ node whole is released from project whole',
    ])
      expect(out).toContain(step);
    expect(await projectOf('whole')).toBeNull();
    for (const nic of ['eth0', 'eth1'])
      expect(carried(service(), 'sw-whole', `whole/${nic}`)).toEqual({ native: null, tagged: [] });
    expect(await shell('release whole')).toMatchObject({ code: 0, out: '✓ node whole is in no project\n' });
  });

  it('shows everything that keeps a node, releases the others, and goes on where it stopped', async () => {
    const shell = await tenant('held');
    await reserved('held', 'held-2');
    await connect(service(), 'held', 'eth0', 'held-a');
    for (const nic of ['eth0', 'eth1']) tamper(service(), 'sw-held', `held/${nic}`, { native: 7 });
    await sweep(service(), 'sw-held');
    service().simulated('sw-held').faults = { refuse: ['held/eth1'] };
    const first = await shell('release held held-2');
    expect(first.code).toBe(1);
    expect(first.out).toMatch(/✗ node held is not released:\n {2}the switch port of nic eth1 was seen to carry/);
    expect(first.out).toContain('✓ node held-2 is released from project held');
    expect(first.err).toMatch(/1 of 2 nodes could not be released\nrun it again to continue: corral release held\n/);
    expect([await projectOf('held'), await projectOf('held-2')]).toEqual(['held', null]);
    service().simulated('sw-held').faults = {};
    tamper(service(), 'sw-held', 'held/eth1', {});
    await sweep(service(), 'sw-held');
    const again = await shell('release held');
    expect({ ...again }).toMatchObject({ code: 0 });
    expect(again.out).not.toContain('detached');
    expect(await projectOf('held')).toBeNull();
  });

  it('--for-repair says what is wrong, and leaves the node to an administrator', async () => {
    const shell = await tenant('broken');
    const { code, out } = await shell("release broken --for-repair 'fan is loud'");
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toContain('✓ node broken is released from project broken, and waits for repair');
    const [{ release }] = JSON.parse((await shell('project release list broken --json')).out) as [{ release: string }];
    expect((await shell(`project release show ${release}`)).out).toMatch(/^for repair +fan is loud$/m);
    expect((await done(service().admin.get('/cleanings?node=broken'))).body).toMatchObject({
      cleanings: [{ state: 'failed', reason: 'project broken released it for repair: fan is loud' }],
    });
  });

  it('--for-repair that stopped halfway is in what to type next', async () => {
    const shell = await tenant('stuck');
    tamper(service(), 'sw-stuck', 'stuck/eth0', { native: 7 });
    await sweep(service(), 'sw-stuck');
    const { code, err } = await shell("release stuck --for-repair 'fan is loud'");
    expect(code).toBe(1);
    expect(err).toContain("run it again to continue: corral release stuck --for-repair 'fan is loud'");
  });

  it('waits for a change that is pending, and undoes what it brought', async () => {
    const shell = await tenant('busy');
    service().simulated('sw-busy').faults = { delayMs: 300 };
    expect((await shell('node network connect busy eth0 busy-a')).code).toBe(0);
    const { code, out } = await shell('release busy');
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toContain('nic eth0 is detached from network busy-a');
    expect(await projectOf('busy')).toBeNull();
  });

  it('as JSON has the steps and the refusals of each node, also of those that one may not touch', async () => {
    const shell = await tenant('mine');
    await makeProject(service(), 'others');
    await reserved('others', 'theirs');
    const { code, out } = await shell('release mine theirs nowhere --json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      { node: 'mine', project: 'mine', done: ['it has left project mine'], refusals: [] },
      { node: 'theirs', project: null, done: [], refusals: [expect.stringContaining('needs access to the project')] },
      { node: 'nowhere', project: null, done: [], refusals: ['node nowhere does not exist'] },
    ]);
    expect(await projectOf('theirs')).toBe('others');
  });

  it('--no-wait returns at once and says how to follow it; --timeout says that it goes on', async () => {
    const shell = await tenant('patient');
    const obmd = await startLabObmd({ adminToken: 't', tickMs: 20 });
    onTestFinished(() => obmd.close());
    const machine = obmd.add('patient');
    await done(service().admin.put('/node/patient/obmd', { uri: obmd.uri('patient'), admin_token: 't' }));
    await done(service().admin.put('/node/patient/obm', { enabled: true }));
    machine.fault = { kind: 'status', status: 500 };
    const at = await shell('release patient --no-wait');
    expect(at.code).toBe(0);
    const [, line = ''] =
      /^being released: node patient \(corral (project release show [\da-f-]{36})\)\n$/.exec(at.out) ?? [];
    expect(line).not.toBe('');
    const short = await shell('release patient --timeout 3');
    expect(short.code).toBe(4);
    expect(short.out).toMatch(/✗ node patient is not released:\n {2}the release has not ended after 3 s/);
    expect((await shell(line)).out).toMatch(/^state +disabling OBM; trying again: .*OBM daemon/m);
    machine.fault = null;
    const { code, out } = await shell('release patient');
    expect({ code, out }).toMatchObject({ code: 0 });
    expect((await shell(line)).out).toMatch(/^state +done/m);
    expect((await shell('project release list patient --json')).out).toMatch(/"state": "done"/);
    expect(await projectOf('patient')).toBeNull();
  });
});
