import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart, type LabHost, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runAdminSuccessfully } from '../support/services/run-admin.ts';
import { expectRefusal } from '../support/http/expect-answers.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { type Answer, basic, clientOf } from '../support/http/http-client.ts';
import { nodeOf, patient, plug, vlansOf } from '../support/switches/packet-switches.ts';
import { adminPassword, type Service, startService } from '../support/services/service.ts';
import { sweep } from '../support/switches/drift-helpers.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeProject,
  reserve,
  settled,
} from '../support/services/world.ts';

const engine = engines.at(-1) ?? 'sqlite';

/** Two switches with a trunk between them, as real ones have: what a port carries on one is heard on the other. */
describe.runIf(hasPart('Open vSwitch'))('a port of which too little is known, on real frames', () => {
  let service: Service;
  let ovs: LabOvs;
  const host = (index: number): LabHost => {
    const found = ovs.hosts[index];
    if (!found) throw new Error(`there is no host ${index}`);
    return found;
  };
  /** Red's, on sw0: the machine that must not be heard. */
  const red = () => nodeOf(host(0));
  /** Blue's, on sw1. */
  const blue = () => nodeOf(host(1));
  const redPort = () => host(0).port;

  beforeAll(async () => {
    const settings = {
      ...patient,
      CORRAL_ENGINE_LEASE: '2',
      CORRAL_ENGINE_SESSION_IDLE: '0.5',
      CORRAL_VLANS: '100-109',
    };
    [service, ovs] = await Promise.all([startService(engine, settings), startOvs({ hosts: 2 })]);
    await ovs.vsctl(
      ...['add-br', 'sw1', '--', 'set', 'Bridge', 'sw1', 'datapath_type=netdev'],
      ...['--', 'del-port', 'sw0', host(1).port, '--', 'add-port', 'sw1', host(1).port],
      ...['--', 'add-port', 'sw0', 'up', '--', 'set', 'Interface', 'up', 'type=patch', 'options:peer=down'],
      ...['--', 'add-port', 'sw1', 'down', '--', 'set', 'Interface', 'down', 'type=patch', 'options:peer=up'],
    );
    const quick = { type: 'ovs', settle_ms: 200 };
    await done(service.admin.put('/switch/sw0', { ...quick, ...ovs.fields }));
    await done(service.admin.put('/switch/sw1', { ...quick, ovs_bridge: 'sw1', ovsdb: `unix:${ovs.socket}` }));
    for (const [index, onSwitch] of ['sw0', 'sw1'].entries()) {
      await plug(service.admin, nodeOf(host(index)), host(index), { onSwitch });
      const reverted = await service.admin.post(`/switch/${onSwitch}/port/${host(index).port}/revert`);
      expect((await settled(service, reverted)).status).toBe('DONE');
    }
    for (const project of ['red', 'blue']) await makeProject(service, project);
    await reserve(service, 'red', red());
    await reserve(service, 'blue', blue());
  });
  afterAll(async () => {
    await ovs.stop();
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  /** How many frames of red's machine arrive at another host while this happens. */
  const heard = async (during: () => Promise<unknown>, at = host(1)): Promise<number> => {
    const capture = await at.capture();
    const stream = host(0).stream({ marker: 'red', tags: 'untagged' }, 20);
    await during();
    await stream.stop();
    return (await capture.stop()).filter(({ marker }) => marker === 'red').length;
  };
  // What never comes cannot be waited for: this is many times what a frame takes.
  const aWhile = () => sleep(400);

  /** Blue asks for a network, from the pool or with this id, and has its machine on what it got for a while. */
  const blueTakes = async (net_id = ''): Promise<Answer> => {
    const network = { owner: 'blue', access: 'blue', net_id };
    const answer = await service.admin.put('/network/taken', network);
    if (answer.status !== 200) return answer;
    await connect(service, blue(), 'eth0', 'taken');
    await aWhile();
    await detach(service, blue(), 'eth0', 'taken');
    await done(service.admin.del('/network/taken'));
    return answer;
  };
  const vlanOf = async (network: string): Promise<number> => (await vlansOf(service.admin)).get(network) ?? 0;
  const carried = () => ovs.carried(redPort());
  const clean = { native: null, tagged: [] };

  it('the trunk between the switches carries what both ends have', async () => {
    for (const index of [0, 1]) await ovs.tamper(host(index).port, { native: 105, tagged: [] });
    expect(await heard(aWhile)).toBeGreaterThan(0);
    for (const [index, onSwitch] of ['sw0', 'sw1'].entries()) {
      const reverted = await service.admin.post(`/switch/${onSwitch}/port/${host(index).port}/revert`);
      expect((await settled(service, reverted)).status).toBe('DONE');
    }
    expect(await heard(aWhile)).toBe(0);
  });

  it('a VLAN that was left on a port is nobody else’s, and is not heard', { timeout: 60_000 }, async () => {
    await makeNetwork(service, 'left', 'red');
    const vlan = await vlanOf('left');
    await ovs.tamper(redPort(), { native: vlan, tagged: [] });
    expect((await sweep(service, 'sw0')).ports).toMatchObject([{ port: redPort(), seen: { native: vlan } }]);
    let answers: readonly Answer[] = [];
    const frames = await heard(async () => {
      answers = [await service.admin.del('/network/left'), await blueTakes(), await blueTakes(String(vlan))];
    });
    expect(frames).toBe(0);
    expect(answers.map(({ status }) => status)).toEqual([409, 200, 409]);
    // One that no network has either.
    await ovs.tamper(redPort(), { native: vlan + 1, tagged: [] });
    await sweep(service, 'sw0');
    expect(await heard(async () => (answers = [await blueTakes(), await blueTakes(String(vlan + 1))]))).toBe(0);
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
    const reverted = await service.admin.post(`/switch/sw0/port/${redPort()}/revert`);
    expect((await settled(service, reverted)).status).toBe('DONE');
    await done(service.admin.del('/network/left'));
  });

  it('a VLAN that a dead process may have put on a port is nobody else’s', { timeout: 90_000 }, async () => {
    await makeNetwork(service, 'killed', 'red');
    const vlan = await vlanOf('killed');
    await service.stop();
    const dying = await startDyingProgram(service.env, 'ports changed', 1);
    onTestFinished(() => dying.kill());
    const admin = clientOf(dying.url, basic('admin', adminPassword));
    await done(admin.post(`/node/${red()}/nic/eth0/connect_network`, { network: 'killed' }));
    await dying.death;
    expect(await carried()).toEqual({ native: vlan, tagged: [] });
    // The switch forwards, and its management does not answer until the change is given up.
    ovs.breakLine({ kind: 'refuse' });
    const { env } = service;
    service = await service.restart({ CORRAL_ENGINE_BUDGET: '1' });
    await eventually(async () => {
      const { body } = await done(service.admin.get(`/switch/sw0/port/${redPort()}`));
      return 'suspect' in (body as object) ? true : undefined;
    }, 40_000);
    let answers: readonly Answer[] = [];
    const frames = await heard(async () => {
      answers = [await service.admin.del('/network/killed'), await blueTakes(), await blueTakes(String(vlan))];
    });
    expect(frames).toBe(0);
    expect(answers.map(({ status }) => status)).toEqual([409, 200, 409]);
    ovs.breakLine(null);
    await eventually(async () => ((await service.admin.del('/network/killed')).status === 200 ? true : undefined));
    expect(await carried()).toEqual(clean);
    await service.stop();
    service = await service.restart(env);
  });

  it('no VLAN is handed out while ports may carry any since a restore', { timeout: 90_000 }, async () => {
    const file = join(service.dataDir, 'backup.gz');
    await runAdminSuccessfully(service.env, 'backup', file);
    await makeNetwork(service, 'later', 'red');
    const vlan = await vlanOf('later');
    await connect(service, red(), 'eth0', 'later');
    await service.stop();
    await runAdminSuccessfully(service.env, 'restore', file, '--replace', '--yes');
    ovs.breakLine({ kind: 'refuse' });
    service = await service.restart();
    // The other switch answers, and is read.
    await eventually(async () => {
      const { body } = await done(service.admin.get(`/switch/sw1/port/${host(1).port}`));
      return 'unread' in (body as object) ? undefined : true;
    });
    let answers: readonly Answer[] = [];
    const unread = await heard(async () => (answers = [await blueTakes(), await blueTakes(String(vlan))]));
    expect(unread).toBe(0);
    for (const answer of answers) expectRefusal(answer, 'BlockedError', `port ${redPort()} on switch sw0`);
    ovs.breakLine(null);
    await eventually(async () => ((await blueTakes()).status === 200 ? true : undefined), 40_000);
    expect(await carried()).toEqual({ native: vlan, tagged: [] });
    expect(await heard(async () => (answers = [await blueTakes(), await blueTakes(String(vlan))]))).toBe(0);
    expect(answers.map(({ status }) => status)).toEqual([200, 409]);
    const reverted = await service.admin.post(`/switch/sw0/port/${redPort()}/revert`);
    expect((await settled(service, reverted)).status).toBe('DONE');
  });

  it.each([
    ['by the id of its bridge', null],
    ['by its own name', 'lab-switch'],
  ])(
    'a switch that is recorded twice, known %s, gives one port to one node',
    { timeout: 60_000 },
    async (_how, name) => {
      if (name !== null) {
        await ovs.vsctl('set', 'Open_vSwitch', '.', `external_ids:system-id=${name}`);
        // The session that is open does not go on with a switch that is another now.
        await eventually(async () => {
          await sweep(service, 'sw0');
          const { body } = await done(service.admin.get('/switch/sw0'));
          return (body as { identity?: string }).identity === `ovs ${name} bridge sw0` ? true : undefined;
        });
      }
      await makeNetwork(service, 'mine', 'red');
      await makeNetwork(service, 'yours', 'blue');
      await connect(service, blue(), 'eth0', 'yours');
      let answers: readonly Answer[] = [];
      const frames = await heard(async () => {
        const fields = { ovs_bridge: 'sw0', ovsdb: `unix:${ovs.socket}` };
        await done(service.admin.put('/switch/again', { type: 'ovs', settle_ms: 200, ...fields }));
        await plug(service.admin, 'second', host(0), { onSwitch: 'again' });
        // The port carries nothing, so nothing else speaks against it.
        const taken = await service.admin.post('/project/blue/connect_node', { node: 'second' });
        await connect(service, red(), 'eth0', 'mine');
        answers = [taken, await service.admin.post('/node/second/nic/eth0/connect_network', { network: 'yours' })];
        if (answers[1]?.status === 202) await settled(service, answers[1]);
        await aWhile();
      });
      expect(frames).toBe(0);
      expect(await carried()).toEqual({ native: await vlanOf('mine'), tagged: [] });
      expect(answers.map(({ status }) => status)).toEqual([409, 409]);
      expectRefusal(
        await service.admin.post('/project/blue/connect_node', { node: 'second' }),
        'BlockedError',
        'switch again',
        'same device as switch sw0',
      );
      for (const [node, network] of [
        [red(), 'mine'],
        [blue(), 'yours'],
      ] as const) {
        await detach(service, node, 'eth0', network);
        await done(service.admin.del(`/network/${network}`));
      }
      await done(service.admin.post(`/switch/again/port/${redPort()}/detach_nic`));
      await done(service.admin.del(`/switch/again/port/${redPort()}?force=true`));
      await done(service.admin.del('/node/second/nic/eth0'));
      await done(service.admin.del('/node/second'));
      await done(service.admin.del('/switch/again'));
    },
  );
});
