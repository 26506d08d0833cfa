import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { oddSwitches } from '../support/switches/faulty-switches.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { carried, driftOf, eventsOf, metricOf } from '../support/switches/drift-helpers.ts';
import { runSql } from '../support/services/run-sql.ts';
import {
  connect,
  done,
  eventually,
  leftAlone,
  makeNetwork,
  makeNode,
  makeProject,
  obmd,
  reserve,
  settled,
} from '../support/services/world.ts';

interface Attempt {
  readonly time: number;
  readonly faults: number;
  readonly switch: string;
}

/** The attempts to talk to a switch that failed, in order. */
const failures = (service: Service, onSwitch: string): Attempt[] =>
  service.log
    .filter((line) => line.includes('switch communication failed'))
    .map((line) => JSON.parse(line) as Attempt)
    .filter((attempt) => attempt.switch === onSwitch);

/** Waits until a switch has failed so many times in a row. */
const failedTimes = (service: Service, onSwitch: string, times: number): Promise<Attempt> =>
  eventually(() => failures(service, onSwitch).find(({ faults }) => faults === times));

/** A switch that fails again and again is left alone for a while. */
describe.each(engines)('the breaker of a switch on %s', (engine) => {
  /** Project red with network `net` and two nodes on each of the switches `bad-sw` and `good-sw`. */
  const makeWorld = async (env: Readonly<Record<string, string>>): Promise<Service> => {
    const service = await serviceForTest(engine, { CORRAL_ENGINE_DEVICE_TIMEOUT: '0.1', ...env });
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    for (const onSwitch of ['bad-sw', 'good-sw']) {
      for (const node of [`${onSwitch}-1`, `${onSwitch}-2`]) {
        await makeNode(service, node, ['eth0'], onSwitch);
        await reserve(service, 'red', node);
      }
    }
    await leftAlone(service, 'bad-sw');
    return service;
  };
  const queue = (service: Service, node: string) =>
    service.admin.post(`/node/${node}/nic/eth0/connect_network`, { network: 'net' });
  const statusOf = async (service: Service, queued: { body: unknown }) => {
    const { status_id } = queued.body as { status_id: string };
    return ((await done(service.admin.get(`/networking_action/${status_id}`))).body as { status: string }).status;
  };

  it('a switch that is back after an outage is read as a whole, without being asked', async () => {
    const service = await makeWorld({ CORRAL_ENGINE_SWEEP: '0' });
    service.simulated('bad-sw').faults = { unreachable: true };
    const queued = await queue(service, 'bad-sw-1');
    await failedTimes(service, 'bad-sw', 3);
    // Its power was cut, and it came back with what it had months ago.
    service.simulated('bad-sw').write([{ port: 'bad-sw-2/eth0', native: 777, tagged: [] }]);
    service.simulated('bad-sw').faults = {};
    expect((await settled(service, queued)).status).toBe('DONE');
    const { ports } = await eventually(async () => {
      const drift = await driftOf(service, 'bad-sw');
      return drift.ports.length > 0 ? drift : undefined;
    });
    expect(ports).toMatchObject([{ port: 'bad-sw-2/eth0', seen: { native: 777, tagged: '' } }]);
  });

  it('opens after three failures in a row: nobody calls the switch before its probe, whatever is queued', async () => {
    const service = await makeWorld({ CORRAL_ENGINE_BUDGET: '30' });
    service.simulated('bad-sw').faults = { hang: true };
    const first = await queue(service, 'bad-sw-1');
    await failedTimes(service, 'bad-sw', 3);
    // Due at once: without the breaker the switch would be called for it.
    const second = await queue(service, 'bad-sw-2');
    await failedTimes(service, 'bad-sw', 5);
    const attempts = failures(service, 'bad-sw');
    expect(attempts.map(({ faults }) => faults)).toEqual([1, 2, 3, 4, 5]);
    const gaps = attempts.slice(1).map(({ time }, index) => time - (attempts[index]?.time ?? 0));
    // The shortest pauses there are before the fourth and the fifth attempt; time can only add to them.
    expect(gaps[2]).toBeGreaterThanOrEqual(400);
    expect(gaps[3]).toBeGreaterThanOrEqual(800);

    expect(await eventsOf(service, 'switch_unreachable', 'bad-sw')).toMatchObject([
      { detail: { reason: expect.stringContaining('did not accept the login') as string } },
    ]);
    expect(await metricOf(service, 'corral_switch_up', 'bad-sw')).toBe(0);
    expect((await driftOf(service, 'bad-sw')).fault).toContain('did not accept the login');
    expect(await statusOf(service, first)).toBe('PENDING');

    service.simulated('bad-sw').faults = {};
    for (const queued of [first, second]) expect((await settled(service, queued)).status).toBe('DONE');
    expect(carried(service, 'bad-sw', 'bad-sw-2/eth0')).toEqual({ native: 100, tagged: [] });
    expect(await eventsOf(service, 'switch_unreachable', 'bad-sw')).toHaveLength(1);
    expect(await eventsOf(service, 'switch_reachable', 'bad-sw')).toHaveLength(1);
    expect((await driftOf(service, 'bad-sw')).fault).toBeNull();
    expect(await metricOf(service, 'corral_switch_up', 'bad-sw')).toBe(1);
  });

  it('two failures are nothing to tell anybody', async () => {
    const service = await makeWorld({ CORRAL_ENGINE_BUDGET: '30' });
    service.simulated('bad-sw').faults = { unreachable: true };
    const queued = await queue(service, 'bad-sw-1');
    await failedTimes(service, 'bad-sw', 1);
    service.simulated('bad-sw').faults = {};
    expect((await settled(service, queued)).status).toBe('DONE');
    const times = failures(service, 'bad-sw').length;
    expect(await eventsOf(service, 'switch_unreachable', 'bad-sw')).toHaveLength(times < 3 ? 0 : 1);
    expect(await eventsOf(service, 'switch_reachable', 'bad-sw')).toHaveLength(times < 3 ? 0 : 1);
  });

  it('while it is open an action still ends when its budget does, untouched, and without a call', async () => {
    const first = await makeWorld({ CORRAL_ENGINE_BUDGET: '30' });
    first.simulated('bad-sw').faults = { hang: true };
    const stuck = await queue(first, 'bad-sw-1');
    await failedTimes(first, 'bad-sw', 3);
    await first.stop();
    // Twice as far off it would not be believed.
    const later = `update switches set probe_at = ${Date.now() + 15_000} where label = 'bad-sw'`;
    await runSql(first, { sqlite: later, postgres: later });

    const second = await first.restart({ CORRAL_ENGINE_BUDGET: '0.3' });
    try {
      const fresh = await queue(second, 'bad-sw-2');
      for (const queued of [stuck, fresh]) {
        expect(await settled(second, queued)).toMatchObject({
          status: 'ERROR',
          error: expect.stringContaining('could not be reached') as string,
        });
      }
      expect(failures(second, 'bad-sw')).toEqual([]);
      const { body } = await done(second.admin.get('/switch/bad-sw/port/bad-sw-2/eth0'));
      expect(body).toEqual({ node: 'bad-sw-2', nic: 'eth0', networks: {} });
      await done(second.admin.post('/project/red/detach_node', { node: 'bad-sw-2' }));
    } finally {
      await second.stop();
    }
  });

  it('an open one delays no other switch', async () => {
    const service = await makeWorld({ CORRAL_ENGINE_BUDGET: '30' });
    service.simulated('bad-sw').faults = { hang: true };
    const stuck = await queue(service, 'bad-sw-1');
    await failedTimes(service, 'bad-sw', 3);
    await connect(service, 'good-sw-1', 'eth0', 'net');
    await connect(service, 'good-sw-2', 'eth0', 'net');
    expect(await statusOf(service, stuck)).toBe('PENDING');
    expect(failures(service, 'good-sw')).toEqual([]);
    service.simulated('bad-sw').faults = {};
    expect((await settled(service, stuck)).status).toBe('DONE');
  });

  it('it stays open over a restart of the service', async () => {
    const first = await makeWorld({ CORRAL_ENGINE_BUDGET: '30' });
    first.simulated('bad-sw').faults = { hang: true };
    const queued = await queue(first, 'bad-sw-1');
    await failedTimes(first, 'bad-sw', 4);
    await first.stop();
    const second = await first.restart();
    try {
      await eventually(() => failures(second, 'bad-sw')[0]);
      expect(failures(second, 'bad-sw')[0]?.faults).toBe((failures(first, 'bad-sw').at(-1)?.faults ?? 0) + 1);
      second.simulated('bad-sw').faults = {};
      expect((await settled(second, queued)).status).toBe('DONE');
      expect(await eventsOf(second, 'switch_unreachable', 'bad-sw')).toHaveLength(1);
      expect(await eventsOf(second, 'switch_reachable', 'bad-sw')).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });

  it.each([
    ['first', ['bad', 'a', 'b', 'c', 'd']],
    ['last', ['a', 'b', 'c', 'd', 'bad']],
  ])('one port that spoils every pass, registered %s, does not keep the others from being done', async (_, ports) => {
    const service = await serviceForTest(engine, { ...oddSwitches, CORRAL_ENGINE_BUDGET: '8' });
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    const jammed = `jammed-${engine}-${ports[0] ?? ''}`;
    await done(service.admin.put(`/switch/${jammed}`, { type: 'jammed', hostname: 'h' }));
    for (const port of ports) {
      await done(service.admin.put(`/node/${port}`, { obmd }));
      await done(service.admin.put(`/node/${port}/nic/eth0`, { macaddr: 'm' }));
      await done(service.admin.put(`/switch/${jammed}/port/${port}`));
      await done(service.admin.post(`/switch/${jammed}/port/${port}/connect_nic`, { node: port, nic: 'eth0' }));
      await reserve(service, 'red', port);
    }
    const bad = await queue(service, 'bad');
    // From here on what is queued waits for the probe, and is due together with the bad one.
    await failedTimes(service, jammed, 3);
    const others = await Promise.all(ports.filter((port) => port !== 'bad').map((port) => queue(service, port)));
    const endings = await Promise.all(others.map((answer) => settled(service, answer)));
    expect(endings.map(({ node, status }) => `${node} ${status}`)).toEqual(['a DONE', 'b DONE', 'c DONE', 'd DONE']);
    expect((await settled(service, bad)).status).toBe('ERROR');
  });
});
