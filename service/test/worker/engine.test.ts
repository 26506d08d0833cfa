import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Faults } from '../../src/drivers/switches/simulated-switch.ts';
import { engines } from '../support/services/engines.ts';
import { type Service, startService } from '../support/services/service.ts';
import {
  type Action,
  connect,
  detach,
  done,
  eventually,
  leftAlone,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

describe.each(engines)('the network engine on %s', (engine) => {
  let service: Service;
  const used = ['sw0', 'sw1'];

  beforeAll(async () => {
    service = await startService(engine);
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    await makeNetwork(service, 'other', 'red');
    await makeUser(service, 'alice', 'red');
  });
  afterEach(() => {
    for (const label of used) service.simulated(label).faults = {};
  });
  afterAll(() => service.stop());

  const nodeOn = async (node: string, onSwitch = 'sw0'): Promise<void> => {
    await makeNode(service, node, ['eth0'], onSwitch);
    await reserve(service, 'red', node);
  };
  const queue = (node: string, verb: 'connect' | 'detach', network = 'net') =>
    service.admin.post(`/node/${node}/nic/eth0/${verb}_network`, { network });
  const failing = async (faults: Faults, node: string, verb: 'connect' | 'detach' = 'connect'): Promise<Action> => {
    service.simulated('sw0').faults = faults;
    return settled(service, await queue(node, verb));
  };
  const release = (node: string) => service.admin.post('/project/red/detach_node', { node });
  const carried = (node: string, onSwitch = 'sw0') => service.simulated(onSwitch).read([`${node}/eth0`])[0];
  const showPort = async (node: string) =>
    (await done(service.admin.get(`/switch/sw0/port/${node}/eth0`))).body as { networks: object; suspect?: string };

  it('does what it says and says what it did', async () => {
    await nodeOn('plain');
    await connect(service, 'plain', 'eth0', 'net');
    await connect(service, 'plain', 'eth0', 'other', 'vlan/101');
    expect(carried('plain')).toEqual({ port: 'plain/eth0', native: 100, tagged: [101] });
    await detach(service, 'plain', 'eth0', 'net');
    expect(carried('plain')).toEqual({ port: 'plain/eth0', native: null, tagged: [101] });
    const reverted = await settled(service, await service.admin.post('/switch/sw0/port/plain/eth0/revert'));
    expect(reverted).toMatchObject({ status: 'DONE', type: 'revert_port', new_network: null, channel: '' });
    expect(carried('plain')).toEqual({ port: 'plain/eth0', native: null, tagged: [] });
    expect((await showPort('plain')).networks).toEqual({});
  });

  it('a refused change is an ERROR, and the port is as it was', async () => {
    await nodeOn('refused');
    const action = await failing({ refuse: ['refused/eth0'] }, 'refused');
    expect(action).toMatchObject({ status: 'ERROR', error: expect.stringContaining('refused') as string });
    expect(await showPort('refused')).toEqual({ node: 'refused', nic: 'eth0', networks: {} });
    await done(release('refused'));
  });

  it('a change that is not read back is never DONE', async () => {
    await nodeOn('lied');
    const action = await failing({ lie: ['lied/eth0'] }, 'lied');
    expect(action).toMatchObject({ status: 'ERROR', error: expect.stringContaining('does not show it') as string });
    expect((await showPort('lied')).networks).toEqual({});
  });

  it('a detachment that is not read back leaves the attachment recorded', async () => {
    await nodeOn('stuck');
    await connect(service, 'stuck', 'eth0', 'net');
    const action = await failing({ lie: ['*'] }, 'stuck', 'detach');
    expect(action.status).toBe('ERROR');
    expect((await showPort('stuck')).networks).toEqual({ 'vlan/native': 'net' });
    expect((await release('stuck')).status).toBe(409);
  });

  it('a switch that cannot be reached fails the action within its budget, and the port is not suspect', async () => {
    await makeNode(service, 'far', ['eth0'], 'sw2');
    await reserve(service, 'red', 'far');
    await leftAlone(service, 'sw2');
    service.simulated('sw2').faults = { unreachable: true };
    const action = await settled(service, await queue('far', 'connect'));
    expect(action).toMatchObject({ status: 'ERROR', error: expect.stringContaining('could not be reached') as string });
    expect((await service.admin.get('/switch/sw2/port/far/eth0')).body).not.toHaveProperty('suspect');
    await done(release('far'));
  });

  it('a switch that is back within the budget loses nothing', async () => {
    await nodeOn('back');
    service.simulated('sw0').faults = { unreachable: true };
    const queued = await queue('back', 'connect');
    await eventually(() => service.log.some((line) => line.includes('switch communication failed')) || undefined);
    service.simulated('sw0').faults = {};
    expect((await settled(service, queued)).status).toBe('DONE');
    expect(carried('back')).toMatchObject({ native: 100 });
  });

  it('a port of which nobody knows what it carries is suspect: its node stays, its network stays, until it is put back', async () => {
    await nodeOn('doubt');
    await makeNetwork(service, 'doubtful', 'red');
    service.simulated('sw0').faults = { drop: true };
    const action = await settled(
      service,
      await service.admin.post('/node/doubt/nic/eth0/connect_network', { network: 'doubtful' }),
    );
    expect(action.status).toBe('ERROR');
    expect((await showPort('doubt')).suspect).toContain('connection reset');
    expect(await release('doubt')).toMatchObject({
      status: 409,
      body: { type: 'BlockedError', msg: expect.stringContaining('doubt/eth0') as string },
    });
    expect(await service.admin.del('/network/doubtful')).toMatchObject({ status: 409, body: { type: 'BlockedError' } });
    service.simulated('sw0').faults = {};
    await eventually(async () => ((await showPort('doubt')).suspect === undefined ? true : undefined));
    expect(carried('doubt')).toEqual({ port: 'doubt/eth0', native: null, tagged: [] });
    await done(release('doubt'));
    await done(service.admin.del('/network/doubtful'));
  });

  it('so is a port that was written to once, if its switch cannot be reached until the budget is used up', async () => {
    await makeNode(service, 'cut', ['eth0'], 'sw3');
    await reserve(service, 'red', 'cut');
    await leftAlone(service, 'sw3');
    service.simulated('sw3').faults = { drop: true };
    const queued = await queue('cut', 'connect');
    await eventually(() => (carried('cut', 'sw3')?.native === 100 ? true : undefined));
    service.simulated('sw3').faults = { unreachable: true };
    expect((await settled(service, queued)).status).toBe('ERROR');
    expect((await done(service.admin.get('/switch/sw3/port/cut/eth0'))).body).toHaveProperty('suspect');
    service.simulated('sw3').faults = {};
  });

  it('a switch that hangs, one that refuses and one that lies delay no other switch', async () => {
    await nodeOn('hung');
    await nodeOn('quick', 'sw1');
    service.simulated('sw0').faults = { hang: true };
    const hung = await queue('hung', 'connect');
    expect((await settled(service, await queue('quick', 'connect'))).status).toBe('DONE');
    const { body } = await service.admin.get(`/networking_action/${(hung.body as { status_id: string }).status_id}`);
    expect(body).toMatchObject({ status: 'PENDING' });
    expect((await settled(service, hung)).status).toBe('ERROR');
  });

  it('one refused port does not spoil the pass for the others', async () => {
    await nodeOn('good');
    await nodeOn('bad');
    service.simulated('sw0').faults = { refuse: ['bad/eth0'] };
    const [good, bad] = await Promise.all([queue('good', 'connect'), queue('bad', 'connect')]);
    expect((await settled(service, good)).status).toBe('DONE');
    expect((await settled(service, bad)).status).toBe('ERROR');
  });

  it('what a project sees of a failure names no switch and no port', async () => {
    await nodeOn('discreet');
    const action = await failing({ refuse: ['*'] }, 'discreet');
    expect(action.error).not.toMatch(/sw0|discreet\/eth0/);
    const { body } = await service.as('alice').get('/events?node=discreet');
    expect(JSON.stringify(body)).not.toContain('sw0');
    const { body: seen } = await service.admin.get('/events?node=discreet&type=switch_fault');
    expect(JSON.stringify(seen)).toContain('sw0');
  });
});
