import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { oddSwitches } from '../support/switches/faulty-switches.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { aTime, carried, driftOf, eventsOf, setPolicy, sweep, tamper } from '../support/switches/drift-helpers.ts';
import {
  done,
  eventually,
  leftAlone,
  makeNode,
  makeProject,
  makeSwitch,
  obmd,
  settled,
} from '../support/services/world.ts';

/** A port is read when a nic is connected to it: what it carries then, nobody recorded. */
describe.each(engines)('a port that gets a nic, on %s', (engine) => {
  const service = sharedService(engine, oddSwitches);

  const nodeOn = async (node: string, onSwitch: string): Promise<void> => {
    if ((await service().admin.get('/project/red/nodes')).status === 404) await makeProject(service(), 'red');
    await makeNode(service(), node, ['eth0'], onSwitch);
  };
  const reserve = (node: string) => service().admin.post('/project/red/connect_node', { node });
  const showPort = async (node: string, onSwitch: string) =>
    (await done(service().admin.get(`/switch/${onSwitch}/port/${node}/eth0`))).body;

  it('and carries nothing is no news: the node can be reserved', async () => {
    await nodeOn('clean', 'sw-clean');
    expect(await showPort('clean', 'sw-clean')).toEqual({ node: 'clean', nic: 'eth0', networks: {} });
    expect((await driftOf(service(), 'sw-clean')).ports).toEqual([]);
    expect(await eventsOf(service(), 'port_drift', 'sw-clean')).toEqual([]);
    await done(reserve('clean'));
  });

  it('and carries something shows it everywhere, and keeps the node from being reserved until it is reverted', async () => {
    await makeSwitch(service(), 'sw-used');
    tamper(service(), 'sw-used', 'used/eth0', { native: 77, tagged: [200, 201, 202] });
    await nodeOn('used', 'sw-used');
    const seen = { native: 77, tagged: '200-202' };
    expect(await showPort('used', 'sw-used')).toEqual({ node: 'used', nic: 'eth0', networks: {}, drift: seen });
    const drift = await driftOf(service(), 'sw-used');
    expect(drift).toEqual({
      switch: 'sw-used',
      policy: 'report',
      swept_at: null,
      fault: null,
      unsaved_since: null,
      save_fault: null,
      unread: [],
      in_doubt: [],
      ports: [
        {
          port: 'used/eth0',
          node: 'used',
          nic: 'eth0',
          project: null,
          recorded: { native: null, tagged: '' },
          seen,
          since: aTime(),
        },
      ],
    });
    const all = (await done(service().admin.get('/drift'))).body as { switches: object[] };
    expect(all.switches).toContainEqual(drift);
    expect(await message(reserve('used'))).toBe(
      'node used cannot be reserved: port used/eth0 on switch sw-used was seen to carry VLAN 77 untagged and ' +
        '200-202 tagged, which is not recorded; an administrator can revert the port',
    );
    expect(await refusal(reserve('used'))).toBe('409 BlockedError');
    const reverted = await settled(service(), await service().admin.post('/switch/sw-used/port/used/eth0/revert'));
    expect(reverted.status).toBe('DONE');
    expect(carried(service(), 'sw-used', 'used/eth0')).toEqual({ native: null, tagged: [] });
    expect(await showPort('used', 'sw-used')).not.toHaveProperty('drift');
    expect((await driftOf(service(), 'sw-used')).ports).toEqual([]);
    await done(reserve('used'));
  });

  it('and carries something is cleaned at once where the policy says so', async () => {
    await makeSwitch(service(), 'sw-mended');
    await setPolicy(service(), 'sw-mended', 'repair');
    tamper(service(), 'sw-mended', 'mended/eth0', { tagged: [300] });
    await nodeOn('mended', 'sw-mended');
    await eventually(async () => ((await reserve('mended')).status === 200 ? true : undefined));
    expect(carried(service(), 'sw-mended', 'mended/eth0')).toEqual({ native: null, tagged: [] });
    expect(await eventsOf(service(), 'port_repaired', 'sw-mended')).toHaveLength(1);
  });

  it('is cleaned when the policy changes to that later', async () => {
    await makeSwitch(service(), 'sw-later');
    tamper(service(), 'sw-later', 'later/eth0', { native: 77 });
    await nodeOn('later', 'sw-later');
    expect(await refusal(reserve('later'))).toBe('409 BlockedError');
    await setPolicy(service(), 'sw-later', 'repair');
    await eventually(async () => ((await reserve('later')).status === 200 ? true : undefined));
    expect(carried(service(), 'sw-later', 'later/eth0')).toEqual({ native: null, tagged: [] });
  });

  it('of a switch that does not answer is read when it does, and the node waits for it', async () => {
    await makeSwitch(service(), 'sw-silent');
    service().simulated('sw-silent').faults = { unreachable: true };
    tamper(service(), 'sw-silent', 'dirty/eth0', { native: 77 });
    await Promise.all([nodeOn('patient', 'sw-silent'), nodeOn('dirty', 'sw-silent')]);
    expect(await refusal(reserve('patient'))).toBe('409 BlockedError');
    expect(await message(reserve('patient'))).toContain(
      'port patient/eth0 on switch sw-silent has not been read since the nic was connected',
    );
    service().simulated('sw-silent').faults = {};
    await eventually(async () => ((await reserve('patient')).status === 200 ? true : undefined));
    expect(await message(reserve('dirty'))).toContain('VLAN 77 untagged');
  });

  it('that was never read holds the node also when the nic is gone from it, until it is read or given up', async () => {
    await makeSwitch(service(), 'sw-mute');
    service().simulated('sw-mute').faults = { unreachable: true };
    await nodeOn('moved', 'sw-mute');
    await done(service().admin.post('/switch/sw-mute/port/moved/eth0/detach_nic'));
    expect(await message(reserve('moved'))).toContain(
      'port moved/eth0 on switch sw-mute, which the node was on, has not been read',
    );
    await done(service().admin.del('/switch/sw-mute/port/moved/eth0?force=true'));
    await done(reserve('moved'));
    await leftAlone(service(), 'sw-mute');
  });

  it('is read again when it gets another nic', async () => {
    await nodeOn('first', 'sw-again');
    await done(service().admin.post('/switch/sw-again/port/first/eth0/detach_nic'));
    tamper(service(), 'sw-again', 'first/eth0', { native: 77 });
    await done(service().admin.post('/switch/sw-again/port/first/eth0/connect_nic', { node: 'first', nic: 'eth0' }));
    expect(await message(reserve('first'))).toContain('VLAN 77 untagged');
  });

  it('that the switch does not have is drift, and keeps the node from being reserved', async () => {
    const { admin } = service();
    if ((await admin.get('/project/red/nodes')).status === 404) await makeProject(service(), 'red');
    await done(admin.put('/switch/gappy', { type: 'gappy', hostname: 'h' }));
    await done(admin.put('/node/lost', { obmd }));
    await done(admin.put('/node/lost/nic/eth0', { macaddr: 'm' }));
    await done(admin.put('/switch/gappy/port/gone1'));
    await done(admin.put('/switch/gappy/port/there1'));
    await done(admin.post('/switch/gappy/port/gone1/connect_nic', { node: 'lost', nic: 'eth0' }));
    expect((await done(admin.get('/switch/gappy/port/gone1'))).body).toMatchObject({ absent: true });
    expect(await message(reserve('lost'))).toContain('port gone1 on switch gappy does not exist on the switch');
    const { ports } = await sweep(service(), 'gappy');
    expect(ports).toMatchObject([{ port: 'gone1', node: 'lost', recorded: { native: null, tagged: '' }, seen: null }]);
    expect(await eventsOf(service(), 'port_drift', 'gappy')).toMatchObject([{ port: 'gone1', detail: { seen: null } }]);
    await done(admin.post('/switch/gappy/port/gone1/detach_nic'));
    await done(admin.post('/switch/gappy/port/there1/connect_nic', { node: 'lost', nic: 'eth0' }));
    await done(reserve('lost'));
  });
});
