import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { expectNothingToSay } from '../support/http/expect-answers.ts';
import { runSql } from '../support/services/run-sql.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import {
  aTime,
  carried,
  driftOf,
  eventsOf,
  metricOf,
  saved,
  setPolicy,
  sweep,
  tamper,
} from '../support/switches/drift-helpers.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  reserve,
  settled,
} from '../support/services/world.ts';

const network = 'net';
const vlan = 100;

/** What the switches carry, against what is recorded. */
describe.each(engines)('drift on %s', (engine) => {
  const service = sharedService(engine);

  const makeWorld = async (on = service()): Promise<void> => {
    if ((await on.admin.get('/project/red/nodes')).status === 200) return;
    await makeProject(on, 'red');
    await makeNetwork(on, network, 'red');
    await makeNetwork(on, 'more', 'red');
  };
  /** A node of project red on a switch of its own, its nic on a network. */
  const attached = async (node: string): Promise<string> => {
    await makeWorld();
    const onSwitch = `sw-${node}`;
    await makeNode(service(), node, ['eth0'], onSwitch);
    await reserve(service(), 'red', node);
    await connect(service(), node, 'eth0', network);
    return onSwitch;
  };
  const release = (node: string) => service().admin.post('/project/red/detach_node', { node });

  it('a switch that carries what is recorded has none, however often it is swept', async () => {
    const onSwitch = await attached('fine');
    await connect(service(), 'fine', 'eth0', 'more', 'vlan/101');
    const first = await sweep(service(), onSwitch);
    expect(first).toMatchObject({ switch: onSwitch, policy: 'report', swept_at: aTime(), fault: null, ports: [] });
    expect((await sweep(service(), onSwitch)).ports).toEqual([]);
    expect(await eventsOf(service(), 'port_drift', onSwitch)).toEqual([]);
  });

  it('a port that somebody edited is found by a sweep, announced once, and over when it is put back by hand', async () => {
    const onSwitch = await attached('edited');
    tamper(service(), onSwitch, 'edited/eth0', { native: vlan, tagged: [500, 501] });
    expect((await driftOf(service(), onSwitch)).ports).toEqual([]);
    const { ports } = await sweep(service(), onSwitch);
    const detail = { recorded: { native: vlan, tagged: '' }, seen: { native: vlan, tagged: '500-501' } };
    expect(ports).toEqual([
      { port: 'edited/eth0', node: 'edited', nic: 'eth0', project: 'red', ...detail, since: aTime() },
    ]);
    expect((await sweep(service(), onSwitch)).ports).toEqual(ports);
    expect(await eventsOf(service(), 'port_drift', onSwitch)).toMatchObject([
      { switch: onSwitch, port: 'edited/eth0', node: 'edited', nic: 'eth0', detail },
    ]);

    tamper(service(), onSwitch, 'edited/eth0', { native: 600 });
    const changed = await sweep(service(), onSwitch);
    expect(changed.ports).toMatchObject([{ seen: { native: 600, tagged: '' }, since: ports[0]?.since }]);
    expect(await eventsOf(service(), 'port_drift', onSwitch)).toHaveLength(2);

    tamper(service(), onSwitch, 'edited/eth0', { native: vlan });
    expect((await sweep(service(), onSwitch)).ports).toEqual([]);
    expect(await eventsOf(service(), 'port_drift_over', onSwitch)).toMatchObject([{ port: 'edited/eth0' }]);
    expect(await eventsOf(service(), 'port_drift', onSwitch)).toHaveLength(2);
  });

  it('a port that lost what is recorded is drift as well', async () => {
    const onSwitch = await attached('emptied');
    tamper(service(), onSwitch, 'emptied/eth0', {});
    expect((await sweep(service(), onSwitch)).ports).toMatchObject([
      { port: 'emptied/eth0', recorded: { native: vlan, tagged: '' }, seen: { native: null, tagged: '' } },
    ]);
  });

  it('a port with something on it that its driver does not understand is drift, whatever else it shows', async () => {
    const onSwitch = await attached('unclear');
    const seen = { native: vlan, tagged: '', unclear: 'channel-group 1 mode active' };
    tamper(service(), onSwitch, 'unclear/eth0', { ...seen, tagged: [] });
    expect((await sweep(service(), onSwitch)).ports).toMatchObject([{ port: 'unclear/eth0', seen }]);
    expect((await done(service().admin.get(`/switch/${onSwitch}/port/unclear/eth0`))).body).toMatchObject({
      drift: seen,
    });
    await detach(service(), 'unclear', 'eth0', network);
    tamper(service(), onSwitch, 'unclear/eth0', { unclear: seen.unclear });
    await sweep(service(), onSwitch);
    expect(await message(release('unclear'))).toContain('"channel-group 1 mode active" on the port is not understood');
  });

  it('under the policy "report" a port is left alone; under "repair" it is put back and announced', async () => {
    const onSwitch = await attached('repaired');
    tamper(service(), onSwitch, 'repaired/eth0', { native: 600 });
    expect((await sweep(service(), onSwitch)).ports).toHaveLength(1);
    expect(carried(service(), onSwitch, 'repaired/eth0')).toEqual({ native: 600, tagged: [] });
    await setPolicy(service(), onSwitch, 'repair');
    await eventually(async () => ((await driftOf(service(), onSwitch)).ports.length === 0 ? true : undefined));
    expect(carried(service(), onSwitch, 'repaired/eth0')).toEqual({ native: vlan, tagged: [] });
    expect(await eventsOf(service(), 'port_repaired', onSwitch)).toMatchObject([{ port: 'repaired/eth0' }]);
    expect(await eventsOf(service(), 'switch_set_policy', onSwitch)).toMatchObject([{ detail: { policy: 'repair' } }]);

    tamper(service(), onSwitch, 'repaired/eth0', { tagged: [601] });
    await sweep(service(), onSwitch);
    await eventually(() => (carried(service(), onSwitch, 'repaired/eth0').native === vlan ? true : undefined));
    await eventually(async () => ((await driftOf(service(), onSwitch)).ports.length === 0 ? true : undefined));
    expect(await eventsOf(service(), 'port_repaired', onSwitch)).toHaveLength(2);
  });

  it('a repair that the switch refuses is tried again until it works', async () => {
    const onSwitch = await attached('stubborn');
    await setPolicy(service(), onSwitch, 'repair');
    service().simulated(onSwitch).faults = { refuse: ['stubborn/eth0'] };
    tamper(service(), onSwitch, 'stubborn/eth0', { native: 600 });
    expect((await sweep(service(), onSwitch)).ports).toMatchObject([{ seen: { native: 600 } }]);
    expect((await sweep(service(), onSwitch)).ports).toMatchObject([{ seen: { native: 600 } }]);
    service().simulated(onSwitch).faults = {};
    await eventually(async () => ((await driftOf(service(), onSwitch)).ports.length === 0 ? true : undefined));
    expect(carried(service(), onSwitch, 'stubborn/eth0')).toEqual({ native: vlan, tagged: [] });
  });

  it('a port without a nic that carries something is drift too, and is emptied by a repair', async () => {
    await makeSwitch(service(), 'sw-spare');
    await done(service().admin.put('/switch/sw-spare/port/spare'));
    tamper(service(), 'sw-spare', 'spare', { tagged: [700] });
    expect((await sweep(service(), 'sw-spare')).ports).toMatchObject([
      { port: 'spare', node: null, nic: null, project: null, seen: { native: null, tagged: '700' } },
    ]);
    expect((await done(service().admin.get('/switch/sw-spare/port/spare'))).body).toEqual({
      drift: { native: null, tagged: '700' },
    });
    await setPolicy(service(), 'sw-spare', 'repair');
    await eventually(() => (carried(service(), 'sw-spare', 'spare').tagged.length === 0 ? true : undefined));
  });

  it('a node with a drifting port cannot leave its project', async () => {
    const onSwitch = await attached('held');
    await detach(service(), 'held', 'eth0', network);
    tamper(service(), onSwitch, 'held/eth0', { native: vlan });
    await sweep(service(), onSwitch);
    expect(await refusal(release('held'))).toBe('409 BlockedError');
    expect(await message(release('held'))).toContain(
      `node held cannot leave project red: port held/eth0 on switch ${onSwitch} was seen to carry VLAN ${vlan} untagged`,
    );
    await settled(service(), await service().admin.post(`/switch/${onSwitch}/port/held/eth0/revert`));
    await done(release('held'));
  });

  it('connecting a network to a drifting port, and detaching one from it, sets it right', async () => {
    const onSwitch = await attached('busy');
    tamper(service(), onSwitch, 'busy/eth0', { native: 800, tagged: [801] });
    expect((await sweep(service(), onSwitch)).ports).toHaveLength(1);
    await connect(service(), 'busy', 'eth0', 'more', 'vlan/101');
    expect(carried(service(), onSwitch, 'busy/eth0')).toEqual({ native: vlan, tagged: [101] });
    expect((await driftOf(service(), onSwitch)).ports).toEqual([]);

    tamper(service(), onSwitch, 'busy/eth0', { native: 800, tagged: [801] });
    expect((await sweep(service(), onSwitch)).ports).toHaveLength(1);
    await detach(service(), 'busy', 'eth0', 'more');
    expect(carried(service(), onSwitch, 'busy/eth0')).toEqual({ native: vlan, tagged: [] });
    expect((await sweep(service(), onSwitch)).ports).toEqual([]);
  });

  it('a project sees nothing of switches: drift is for administrators', async () => {
    const onSwitch = await attached('discreet');
    await makeUser(service(), 'alice', 'red');
    tamper(service(), onSwitch, 'discreet/eth0', { native: 600 });
    await sweep(service(), onSwitch);
    const { text } = await done(service().as('alice').get('/events?node=discreet'));
    expect(text).toContain('networking_action_done');
    expect(text).not.toMatch(/port_drift|sw-discreet/);
  });

  it('a switch that cannot be reached cannot be swept, and the answer says why', async () => {
    const onSwitch = await attached('dark');
    const { swept_at } = await sweep(service(), onSwitch);
    await saved(service(), onSwitch);
    service().simulated(onSwitch).faults = { unreachable: true };
    const failed = service().admin.post(`/switch/${onSwitch}/sweep`);
    expect(await refusal(failed)).toBe('502 SwitchError');
    expect(await message(failed)).toBe(`switch ${onSwitch} could not be read: connection refused`);
    expect(await driftOf(service(), onSwitch)).toMatchObject({ fault: 'connection refused', swept_at });
    expect(await metricOf(service(), 'corral_switch_up', onSwitch)).toBe(0);
    service().simulated(onSwitch).faults = {};
    expect(await sweep(service(), onSwitch)).toMatchObject({ fault: null, ports: [] });
    expect(await metricOf(service(), 'corral_switch_up', onSwitch)).toBe(1);
  });

  it('a switch without registered ports is read all the same, so that its fields can be tried', async () => {
    await makeSwitch(service(), 'sw-bare');
    expect(await sweep(service(), 'sw-bare')).toMatchObject({ swept_at: aTime(), fault: null, ports: [] });
    service().simulated('sw-bare').faults = { unreachable: true };
    expect(await refusal(service().admin.post('/switch/sw-bare/sweep'))).toBe('502 SwitchError');
  });

  it('every switch is in the whole, sorted, with its policy', async () => {
    await makeSwitch(service(), 'sw-whole-b');
    await makeSwitch(service(), 'sw-whole-a');
    await setPolicy(service(), 'sw-whole-a', 'repair');
    const { switches } = (await done(service().admin.get('/drift'))).body as { switches: { switch: string }[] };
    expect(switches.filter((found) => found.switch.startsWith('sw-whole'))).toMatchObject([
      { switch: 'sw-whole-a', policy: 'repair', ports: [] },
      { switch: 'sw-whole-b', policy: 'report', ports: [] },
    ]);
    const names = switches.map((found) => found.switch);
    expect(names).toEqual([...names].sort());
  });

  it('metrics count the drifting ports of each switch', async () => {
    const onSwitch = await attached('counted');
    expect(await metricOf(service(), 'corral_drifting_ports', onSwitch)).toBe(0);
    tamper(service(), onSwitch, 'counted/eth0', { native: 600 });
    await sweep(service(), onSwitch);
    expect(await metricOf(service(), 'corral_drifting_ports', onSwitch)).toBe(1);
    expect(await metricOf(service(), 'corral_switch_swept_timestamp_seconds', onSwitch)).toBeGreaterThan(1e9);
  });

  it('without being asked, a switch is swept again from time to time', async () => {
    const other = await serviceForTest(engine, { CORRAL_ENGINE_SWEEP: '0.1' });
    await makeWorld(other);
    await makeNode(other, 'watched', ['eth0'], 'sw-watched');
    await sweep(other, 'sw-watched');
    tamper(other, 'sw-watched', 'watched/eth0', { native: 600 });
    await eventually(async () => ((await driftOf(other, 'sw-watched')).ports.length === 1 ? true : undefined));
    tamper(other, 'sw-watched', 'watched/eth0', {});
    await eventually(async () => ((await driftOf(other, 'sw-watched')).ports.length === 0 ? true : undefined));
    expect(await eventsOf(other, 'port_drift', 'sw-watched')).toHaveLength(1);
    expect(await eventsOf(other, 'port_drift_over', 'sw-watched')).toHaveLength(1);
  });

  it('a service that starts reads the switches: what changed while it was down is found', async () => {
    const first = await serviceForTest(engine, { CORRAL_ENGINE_SWEEP: '3600' });
    await makeWorld(first);
    for (const node of ['asleep', 'awake']) {
      await makeNode(first, node, ['eth0'], `sw-${node}`);
      await sweep(first, `sw-${node}`);
    }
    await first.stop();
    tamper(first, 'sw-asleep', 'asleep/eth0', { native: 600 });
    // As if the last sweep had been a while ago; that of the other switch was just now.
    const longAgo = `update switches set swept_at = swept_at - 60000 where label = 'sw-asleep'`;
    await runSql(first, { sqlite: longAgo, postgres: longAgo });
    const again = await first.restart();
    onTestFinished(again.stop);
    const { swept_at } = await driftOf(again, 'sw-awake');
    await eventually(async () => ((await driftOf(again, 'sw-asleep')).ports.length === 1 ? true : undefined));
    expect((await driftOf(again, 'sw-awake')).swept_at).toBe(swept_at);
  });

  it('a switch that hangs in a change answers who has it read, at the first attempt that begins after that', async () => {
    const other = await serviceForTest(engine, { CORRAL_ENGINE_BUDGET: '60' });
    await makeWorld(other);
    await makeNode(other, 'stuck', ['eth0'], 'sw-stuck');
    await sweep(other, 'sw-stuck');
    await reserve(other, 'red', 'stuck');
    other.simulated('sw-stuck').faults = { hang: true };
    await done(other.admin.post('/node/stuck/nic/eth0/connect_network', { network }));
    const failures = () => other.log.filter((line) => line.includes('switch communication failed')).length;
    expect(await message(other.admin.post('/switch/sw-stuck/sweep'))).toMatch(/^switch sw-stuck could not be read: /);
    // At most two had begun before.
    expect(failures()).toBeLessThanOrEqual(3);
    other.simulated('sw-stuck').faults = {};
  });

  it('a policy is "report" or "repair" and nothing else', async () => {
    await makeSwitch(service(), 'sw-policy');
    const put = (body?: unknown) => service().admin.put('/switch/sw-policy/policy', body);
    for (const body of [undefined, {}, { policy: 'ignore' }, { policy: 1 }, { policy: null }, { policy: 'Repair' }]) {
      expect(await refusal(put(body))).toBe('400 ValidationError');
      expect(await message(put(body))).toContain('policy');
    }
    expect(await message(put({ policy: 'ignore' }))).toMatch(/report.*repair/);
    expect(await message(put({ policy: 'repair', when: 'now' }))).toContain('when');
    expect((await driftOf(service(), 'sw-policy')).policy).toBe('report');
    expectNothingToSay(await put({ policy: 'repair' }));
    expectNothingToSay(await put({ policy: 'repair' }));
    expect((await driftOf(service(), 'sw-policy')).policy).toBe('repair');
  });

  it('a switch that is not there is a 404', async () => {
    const { admin } = service();
    for (const call of [
      admin.get('/switch/none/drift'),
      admin.post('/switch/none/sweep'),
      admin.put('/switch/none/policy', { policy: 'repair' }),
    ]) {
      expect(await refusal(call)).toBe('404 NotFoundError');
    }
  });
});
