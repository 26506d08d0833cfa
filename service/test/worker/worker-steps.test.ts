import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Step, steps } from '../../src/worker/worker-steps.ts';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { adminPassword, type Service, startService } from '../support/services/service.ts';
import { message } from '../support/services/shared-service.ts';
import { carried, driftOf, eventsOf, saved, sweep, tamper } from '../support/switches/drift-helpers.ts';
import {
  connect,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  reserve,
} from '../support/services/world.ts';

const vlan = 100;
const empty = { native: null, tagged: [] };

/** Work that a worker can die of: what there is before, what is asked for, and what must be so in the end. */
interface Work {
  /** The steps at which it is killed. */
  readonly reaches: readonly Step[];
  /** Makes a node of this name on a switch of its own. */
  prepare(service: Service, node: string): Promise<void>;
  /** Asks for the work; the answer is lost if the process dies before it gives one. */
  ask(admin: Client, node: string): Promise<unknown>;
  check(service: Service, node: string): Promise<void>;
}

const before = ['leased', 'planned', 'session opened'] as const;
const pass = ['marked as touched', 'ports changed', 'ports read back', 'decided', 'settled'] as const;
const saving = ['configuration saved', 'save recorded'] as const;

const switchOf = (node: string): string => `sw-${node}`;
const portOf = (node: string): string => `${node}/eth0`;
const reserved = async (service: Service, node: string): Promise<void> => {
  await makeNode(service, node, ['eth0'], switchOf(node));
  await reserve(service, 'red', node);
};
const attached = async (service: Service, node: string): Promise<void> => {
  await reserved(service, node);
  await connect(service, node, 'eth0', 'net');
  await saved(service, switchOf(node));
};
const change = (verb: 'connect' | 'detach') => (admin: Client, node: string) =>
  admin.post(`/node/${node}/nic/eth0/${verb}_network`, { network: 'net' });

/** Switch, startup configuration and database all say the same. */
const agree = async (service: Service, node: string, networks: object, state: object): Promise<void> => {
  const { body } = await done(service.admin.get(`/switch/${switchOf(node)}/port/${portOf(node)}`));
  expect(body).toEqual({ node, nic: 'eth0', networks });
  expect((await sweep(service, switchOf(node))).ports).toEqual([]);
  await saved(service, switchOf(node));
  service.simulated(switchOf(node)).reboot();
  expect(carried(service, switchOf(node), portOf(node))).toEqual(state);
};

const works: Readonly<Record<string, Work>> = {
  'a connection': {
    reaches: [...before, ...pass, ...saving],
    prepare: reserved,
    ask: change('connect'),
    check: (service, node) => agree(service, node, { 'vlan/native': 'net' }, { native: vlan, tagged: [] }),
  },
  'a detachment': {
    reaches: pass,
    prepare: attached,
    ask: change('detach'),
    check: async (service, node) => {
      await agree(service, node, {}, empty);
      await done(service.admin.post('/project/red/detach_node', { node }));
    },
  },
  'a repair': {
    reaches: ['marked as touched', 'ports changed', 'settled'],
    prepare: async (service, node) => {
      await attached(service, node);
      tamper(service, switchOf(node), portOf(node), { native: 600 });
      await sweep(service, switchOf(node));
    },
    ask: (admin, node) => admin.put(`/switch/${switchOf(node)}/policy`, { policy: 'repair' }),
    check: (service, node) => agree(service, node, { 'vlan/native': 'net' }, { native: vlan, tagged: [] }),
  },
  'a first look at a port': {
    reaches: ['ports checked', 'check recorded'],
    prepare: async (service, node) => {
      await makeNode(service, node);
      await done(service.admin.put(`/node/${node}/nic/eth0`, { macaddr: 'm' }));
      await makeSwitch(service, switchOf(node));
      await done(service.admin.put(`/switch/${switchOf(node)}/port/${portOf(node)}`));
      tamper(service, switchOf(node), portOf(node), { native: 600 });
    },
    ask: (admin, node) =>
      admin.post(`/switch/${switchOf(node)}/port/${portOf(node)}/connect_nic`, { node, nic: 'eth0' }),
    check: async (service, node) => {
      await eventually(async () => (await driftOf(service, switchOf(node))).ports[0]);
      expect(await message(service.admin.post('/project/red/connect_node', { node }))).toContain('VLAN 600 untagged');
      expect(await eventsOf(service, 'port_drift', switchOf(node))).toHaveLength(1);
    },
  },
  'an update': {
    reaches: [...before, 'ports checked', 'check recorded', 'switch swept', 'sweep recorded'],
    prepare: attached,
    ask: (admin, node) => admin.patch(`/switch/${switchOf(node)}`, { hostname: 'elsewhere', password: 'another' }),
    check: async (service, node) => {
      // It is read at its new place without being asked.
      await eventually(async () => (await driftOf(service, switchOf(node))).swept_at ?? undefined);
      await agree(service, node, { 'vlan/native': 'net' }, { native: vlan, tagged: [] });
    },
  },
  'a sweep': {
    reaches: ['switch swept', 'sweep recorded'],
    prepare: async (service, node) => {
      await attached(service, node);
      tamper(service, switchOf(node), portOf(node), { native: 600 });
    },
    ask: (admin, node) => admin.post(`/switch/${switchOf(node)}/sweep`),
    check: async (service, node) => {
      // The sweep that was asked for is done, whoever waited for it is gone.
      await eventually(async () => (await driftOf(service, switchOf(node))).ports[0]);
      expect((await sweep(service, switchOf(node))).ports).toMatchObject([{ seen: { native: 600, tagged: '' } }]);
      expect(await eventsOf(service, 'port_drift', switchOf(node))).toHaveLength(1);
    },
  },
};

it('every step is reached by some work', () => {
  expect(new Set(Object.values(works).flatMap(({ reaches }) => reaches))).toEqual(new Set(steps));
});

describe.each(engines)('a worker killed with -9 on %s', (engine) => {
  let service: Service;
  let count = 0;

  beforeAll(async () => {
    service = await startService(engine, {
      CORRAL_ENGINE_LEASE: '0.5',
      CORRAL_ENGINE_BUDGET: '30',
      CORRAL_ENGINE_SESSION_IDLE: '0.05',
    });
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
  });
  afterAll(async () => {
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  /** Nothing is under way: the next process reaches no step before it is asked to. */
  const atRest = (): Promise<true> =>
    eventually(async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      const { body } = await done(service.admin.get('/drift'));
      const isSaved = (body as { switches: { unsaved_since: string | null }[] }).switches.every(
        (one) => !one.unsaved_since,
      );
      return isSaved && !/corral_actions\{.*status="PENDING"|corral_switch_lease\{/.test(metrics) ? true : undefined;
    });

  const cases = Object.entries(works).flatMap(([name, { reaches }]) => reaches.map((step) => [name, step] as const));
  it.each(cases)('in the middle of %s, at "%s": the next one brings it to its end', async (name, step) => {
    const work = works[name];
    if (work === undefined) throw new Error(`no work ${name}`);
    const node = `n${(count += 1)}`;
    await work.prepare(service, node);
    await atRest();
    await service.stop();

    const dying = await startDyingProgram(service.env, step, 1);
    onTestFinished(() => dying.kill());
    const asked = work.ask(clientOf(dying.url, basic('admin', adminPassword)), node).catch(() => null);
    expect(await dying.death).toBe('SIGKILL');
    const answer = (await asked) as { body?: { status_id?: string } } | null;

    service = await service.restart();
    await atRest();
    const statusId = answer?.body?.status_id;
    if (statusId !== undefined) {
      const { body } = await done(service.admin.get(`/networking_action/${statusId}`));
      expect(body).toMatchObject({ status: 'DONE', error: null });
    }
    await work.check(service, node);
    await atRest();
  });
});
