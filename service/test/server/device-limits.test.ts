import { join } from 'node:path';
import { type LabObmd, startLabObmd } from '@corral/lab';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { DeviceUse } from '../../src/core/device-calls.ts';
import { createRequestContext } from '../../src/core/request-context.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { routes } from '../support/authorization/authorization-matrix.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines } from '../support/services/engines.ts';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import {
  changes,
  deviceCallsOf,
  type DeviceLimitFixture,
  makeManaged,
  makeFixture,
  questions,
} from '../support/obm/device-limit-calls.ts';
import { backstage, oddHypervisor } from '../support/headnodes/faulty-hypervisor.ts';
import { gate } from '../support/services/obm-rack.ts';
import type { Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, leftAlone, makeNetwork, makeNode } from '../support/services/world.ts';

const adminToken = 'a3f9-lab-admin-token';
const patient = { CORRAL_OBM_TIMEOUT: '30', CORRAL_LIMITS_RATE: '0' };

/** One daemon for a suite; its machines have the names of nodes. */
const sharedDaemon = (): (() => LabObmd) => {
  let obmd: LabObmd | null = null;
  beforeAll(async () => {
    obmd = await startLabObmd({ adminToken });
  });
  afterAll(() => obmd?.close());
  return () => {
    if (obmd === null) throw new Error('the daemon is started before the first test');
    return obmd;
  };
};

const countOf = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

describe('calls that reach devices', () => {
  const reaching = routes.filter(({ devices }) => devices !== null);
  const names = (some: typeof routes): string[] => [...new Set(some.map(({ name }) => name))].sort();

  it('and that tenants may make have each a case here', () => {
    const ofTenants = reaching.filter(({ access }) => access !== 'admin');
    expect(names(ofTenants)).toEqual([...Object.keys(changes), ...questions].sort());
    expect(names(ofTenants.filter(({ devices }) => devices === 'changes'))).toEqual(Object.keys(changes).sort());
  });

  it('and that only operators may make are these', () => {
    expect(names(reaching.filter(({ access }) => access === 'admin'))).toEqual([
      'bmc_delete',
      'bmc_register',
      'bmc_test',
      'headnode_delete_leftover',
      'list_bmcs',
      'node_delete',
      'port_connect_nic',
      'port_revert',
      'show_bmc',
      'show_drift',
      'show_node_wiring',
      'show_switch_wiring',
      'switch_delete',
      'switch_set_policy',
      'switch_sweep',
      'switch_test',
      'switch_update',
    ]);
  });
});

// What is counted is in memory, whatever the database.
describe('changes of devices that a project asks for', () => {
  const most = 3;
  const shared = sharedService('sqlite', {
    ...oddHypervisor,
    ...patient,
    CORRAL_LIMITS_DEVICE_CHANGES: String(most),
    CORRAL_LIMITS_DEVICE_CALLS: '2',
  });
  const daemon = sharedDaemon();
  beforeEach(() => backstage.reset());
  const calls = 6;

  it.each(Object.entries(changes))('%s: are so many a minute, and then a 429 that says so', async (name, lever) => {
    const service = shared();
    const [red, blue] = [await makeFixture(service, daemon(), 'red'), await makeFixture(service, daemon(), 'blue')];
    const byRed = await lever.prepare(red, calls);
    const byBlue = await lever.prepare(blue, 1);
    const before = daemon().calls.length + backstage.calls.length;
    const statuses = await Promise.all(Array.from({ length: calls }, (_, index) => byRed(index, red.member)));
    const passed = calls - countOf(statuses, 429);
    // One more every twenty seconds, on a slow machine.
    expect(passed).toBeGreaterThanOrEqual(most);
    expect(passed).toBeLessThan(most + 3);
    expect(daemon().calls.length + backstage.calls.length - before).toBeLessThanOrEqual(passed * lever.deviceCalls);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    // What one project has used up is no other's, and operators are not limited.
    expect(await byBlue(0, blue.member), name).not.toBe(429);
    expect(await byRed(calls - 1, service.admin), name).not.toBe(429);
  });

  it('are refused with the project, the limit and when to come again', async () => {
    const scene = await makeFixture(shared(), daemon(), 'red');
    const node = await makeManaged(scene);
    const answers = [];
    for (let count = 0; count <= most; count += 1) answers.push(await scene.member.post(`/node/${node}/power_on`));
    const refused = answers.find(({ status }) => status === 429) ?? (await scene.member.post(`/node/${node}/power_on`));
    expect(refused.body).toEqual({
      type: 'TooManyRequestsError',
      msg: `project ${scene.project} has requested more than 3 changes of switches, nodes and headnodes within a minute; wait before the next one`,
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('are refused only to those who might make them', async () => {
    const scene = await makeFixture(shared(), daemon(), 'red');
    const stranger = await makeFixture(shared(), daemon(), 'blue');
    const node = await makeManaged(scene);
    for (let count = 0; count < calls; count += 1) await scene.member.post(`/node/${node}/power_on`);
    expect((await stranger.member.post(`/node/${node}/power_on`)).status).toBe(401);
    expect((await scene.member.post('/node/nowhere/power_on')).status).toBe(404);
  });

  it('count readings that reach a device a tenth, however they are asked for', async () => {
    const scene = await makeFixture(shared(), daemon(), 'red');
    const node = await makeManaged(scene);
    const before = deviceCallsOf(daemon(), node);
    const statuses: number[] = [];
    for (let count = 0; count < 40; count += 1)
      statuses.push((await scene.member.get(`/node/${node}/power_status`)).status);
    const passed = countOf(statuses, 200);
    expect(passed).toBeGreaterThanOrEqual(10 * most);
    expect(countOf(statuses, 429)).toBe(40 - passed);
    expect(countOf(statuses, 429)).toBeGreaterThan(0);
    expect(deviceCallsOf(daemon(), node) - before).toBe(passed);
  });
});

describe.each(engines)('a tenant that hammers on %s', (engine) => {
  const atOnce = 2;
  const shared = sharedService(engine, {
    ...oddHypervisor,
    ...patient,
    CORRAL_LIMITS_DEVICE_CHANGES: '0',
    CORRAL_LIMITS_DEVICE_CALLS: String(atOnce),
    CORRAL_ENGINE_SWEEP: '0',
  });
  const daemon = sharedDaemon();
  let service: Service;
  let red: DeviceLimitFixture;
  let blue: DeviceLimitFixture;
  beforeEach(async () => {
    backstage.reset();
    service = shared();
    [red, blue] = [await makeFixture(service, daemon(), 'red'), await makeFixture(service, daemon(), 'blue')];
  });
  const many = 40;
  /** Those who came before were let in by now, most of them at least. */
  const lettingIn = async (): Promise<void> => {
    for (let count = 0; count < 5; count += 1) await done(service.admin.get('/projects'));
  };
  const few = 4;
  const statusesOf = (answers: readonly { readonly status: number }[]): number[] => answers.map(({ status }) => status);

  it('with orders to a daemon that hangs leaves it to others: a few calls, a queue with an end, then 429', async () => {
    const [node, other] = [await makeManaged(red), await makeManaged(blue)];
    const { opened, open } = gate();
    daemon().machine(node).fault = { kind: 'hang', until: opened };
    const before = deviceCallsOf(daemon(), node);
    let answered = 0;
    const hammered = Array.from({ length: many }, () =>
      red.member.post(`/node/${node}/power_on`).finally(() => (answered += 1)),
    );
    // All that neither are called nor wait are refused at once.
    const refused = many - atOnce - 16 * atOnce;
    await eventually(() => (answered === refused ? true : undefined));
    await eventually(() => (deviceCallsOf(daemon(), node) - before === atOnce ? true : undefined));
    await done(blue.member.post(`/node/${other}/power_on`));
    await done(service.admin.get(`/node/${other}/power_status`));
    expect([deviceCallsOf(daemon(), node) - before, answered]).toEqual([atOnce, refused]);
    open();
    const statuses = statusesOf(await Promise.all(hammered));
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([many - refused, refused]);
  });

  it('with headnodes on a hypervisor that hangs leaves it to others', async () => {
    const headnodes = Array.from({ length: 5 }, (_, index) => `h-${red.project}-${index}`);
    for (const headnode of headnodes) await makeHeadnode(service, headnode, red.project);
    const theirs = await makeHeadnode(service, `h-${blue.project}`, blue.project);
    const { opened, open } = gate();
    backstage.before = (verb, uuid) => (verb === 'start' && uuid !== theirs ? opened : undefined);
    const started = (): number => backstage.calls.filter((call) => call.startsWith('start')).length;
    const hammered = headnodes.map((headnode) => red.member.post(`/headnode/${headnode}/start`));
    await eventually(() => (started() === atOnce ? true : undefined));
    await done(blue.member.post(`/headnode/h-${blue.project}/start`));
    expect(started()).toBe(atOnce + 1);
    open();
    expect(statusesOf(await Promise.all(hammered))).toEqual(headnodes.map(() => 200));
  });

  it('with questions about power has the daemon asked a few times: those who come meanwhile share the next answer', async () => {
    const node = await makeManaged(red);
    const { opened, open } = gate();
    daemon().machine(node).fault = { kind: 'hang', until: opened };
    const before = deviceCallsOf(daemon(), node);
    const hammered = Array.from({ length: many }, () => red.member.get(`/node/${node}/power_status`));
    await eventually(() => (deviceCallsOf(daemon(), node) - before === 1 ? true : undefined));
    await lettingIn();
    open();
    expect(statusesOf(await Promise.all(hammered))).toEqual(Array.from({ length: many }, () => 200));
    expect(deviceCallsOf(daemon(), node) - before).toBeLessThanOrEqual(few);
  });

  it('with questions about headnodes and images has the hypervisor asked a few times for each', async () => {
    const headnode = `h-${red.project}`;
    const uuid = await makeHeadnode(service, headnode, red.project);
    await done(service.admin.post(`/headnode/${headnode}/start`));
    const { opened, open } = gate();
    backstage.calls.length = 0;
    backstage.before = () => opened;
    const hammered = Array.from({ length: many }, (_, index) =>
      red.member.get(index % 2 === 0 ? `/headnode/${headnode}` : '/headnode_images'),
    );
    await eventually(() => (backstage.calls.length === 2 ? true : undefined));
    await lettingIn();
    open();
    expect(statusesOf(await Promise.all(hammered))).toEqual(Array.from({ length: many }, () => 200));
    for (const question of ['images', `vnc ${uuid}`])
      expect(backstage.calls.filter((call) => call === question).length).toBeLessThanOrEqual(few);
  });

  it('with the reach of a network has its switches swept together', async () => {
    const onSwitch = `switch-${red.project}`;
    await makeNetwork(service, `net-${red.project}`, red.project);
    await makeNode(service, `node-${red.project}`, ['eth0'], onSwitch);
    await leftAlone(service, onSwitch);
    service.simulated(onSwitch).faults = { loginMs: 300 };
    const sweeps = async (): Promise<number> => {
      const sql = `select sweep_wanted from switches where label = '${onSwitch}'`;
      const [row] = (await runSql(service, { sqlite: sql, postgres: sql })) as { sweep_wanted: number | string }[];
      return Number(row?.sweep_wanted);
    };
    const before = await sweeps();
    const startedAt = performance.now();
    const hammered = Array.from({ length: many }, () => red.member.get(`/network/net-${red.project}/reach`));
    expect(statusesOf(await Promise.all(hammered))).toEqual(Array.from({ length: many }, () => 200));
    // A reading answers for a second.
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    expect((await sweeps()) - before).toBeLessThanOrEqual(1 + seconds);
  });
});

describe('a route that does not say that it reaches devices', () => {
  it('is not let to them, nor to the engine', async () => {
    const db = await openDatabase({
      engine: 'sqlite',
      path: join(await dataDirectory('corral-undeclared-'), 'corral.db'),
    });
    onTestFinished(() => db.close());
    const asked: string[] = [];
    const devices = {
      change: () => Promise.resolve(asked.push('change')),
      query: () => Promise.resolve(asked.push('query')),
      count: () => asked.push('count'),
    };
    const installation = { devices } as unknown as Dependencies;
    const context = (use: DeviceUse | null) =>
      createRequestContext(db, installation, {
        caller: { kind: 'anonymous' },
        requestId: null,
        rights: { admit: () => undefined, effect: 'changes', devices: use },
      });
    const call = { project: 'red', at: 'daemon' };
    const change = (use: DeviceUse | null) => context(use).devices.change(call, () => Promise.resolve());
    const query = (use: DeviceUse | null) => context(use).devices.query('q', call, () => Promise.resolve());
    const notify = (use: DeviceUse | null) =>
      context(use).write(async (op) => {
        op.notify('actions');
        return Promise.resolve();
      });
    const count = (use: DeviceUse | null) =>
      context(use).write(async (op) => {
        op.countChange('red');
        return Promise.resolve();
      });
    for (const reach of [change, query, notify, count]) {
      await expect(reach(null)).rejects.toThrow('its route does not declare it');
      await reach('changes');
    }
    for (const reach of [change, count]) await expect(reach('asks')).rejects.toThrow('its route does not declare it');
    for (const reach of [query, notify]) await reach('asks');
    expect(asked).toEqual(['change', 'query', 'count', 'query']);
  });
});
