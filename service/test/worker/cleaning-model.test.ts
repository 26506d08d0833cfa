import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { addNode, type CleaningShown, freeNodes, makeGatedSite } from '../support/services/gated-node.ts';
import { startListener } from '../support/http/http-listener.ts';
import type { Service } from '../support/services/service.ts';
import { done, eventually } from '../support/services/world.ts';
import { carried, tamper } from '../support/switches/drift-helpers.ts';
import { randomFrom, seed } from '../support/vitest/seed.ts';

interface Order {
  readonly cleaning: string;
  readonly node: string;
  readonly step: string;
  readonly token: string;
}

const labels = ['n1', 'n2', 'n3'];
const turns = 60;

describe.each(engines)('whatever happens to nodes that leave projects, on %s', (engine) => {
  it('none can be reserved that has not passed its gate, and none is lost', { timeout: 180_000 }, async () => {
    const random = randomFrom(seed);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const listener = await startListener();
    const site = await makeGatedSite(engine, {
      CORRAL_ENGINE_LEASE: '0.5',
      CORRAL_PUBLIC_URL: 'http://corral.test',
      CORRAL_CLEANING_STEPS: `wipe webhook ${listener.url}`,
      CORRAL_CLEANING_DEADLINE: '1',
      CORRAL_CLEANING_STEP_DEADLINE: '5',
    });
    const { obmd } = site;
    for (const node of labels.slice(1)) await addNode(site, node);
    let service: Service = site.service;
    onTestFinished(() => service.stop());

    const cleanings = async (): Promise<readonly CleaningShown[]> =>
      ((await done(service.admin.get('/cleanings'))).body as { cleanings: CleaningShown[] }).cleanings;
    const orders = (): readonly Order[] => listener.heard.map(({ body }) => body as Order);
    /** Nodes that were reported clean, by cleaning: only these may ever be free again after they left. */
    const reported = new Set<string>();

    const report = async (outcome: 'clean' | 'failed') => {
      const order = pick(orders());
      if (order === undefined) return;
      const { cleaning, step } = order;
      // Now and then with the token of another.
      const token = random() < 0.2 ? (pick(orders())?.token ?? '') : order.token;
      const { status } = await service.admin.post(`/cleaning/${cleaning}/result`, { step, token, outcome });
      expect([200, 401, 409, 404]).toContain(status);
      if (status === 200 && outcome === 'clean') reported.add(cleaning);
    };
    const things: readonly (() => Promise<unknown>)[] = [
      async () => {
        const [node, project] = [pick(labels), pick(['red', 'blue'])];
        const { status } = await service.admin.post(`/project/${project ?? ''}/connect_node`, { node });
        expect([200, 409]).toContain(status);
        if (status !== 200) return;
        const [newest] = (await cleanings()).filter((one) => one.node === node);
        // Never cleaned, or cleaned to its end: off, its port empty, and reported by the service of the site.
        if (newest === undefined) return;
        expect(newest.state).toBe('passed');
        expect(reported.has(newest.cleaning)).toBe(true);
        expect(obmd.machine(node ?? '')).toMatchObject({ power: 'off', token: null });
        expect(carried(service, 'sw0', `${node ?? ''}/eth0`)).toEqual({ native: null, tagged: [] });
        obmd.machine(node ?? '').powerOn();
      },
      () => service.admin.post(`/project/${pick(['red', 'blue']) ?? ''}/detach_node`, { node: pick(labels) }),
      () => service.admin.post(`/project/${pick(['red', 'blue']) ?? ''}/detach_node`, { node: pick(labels) }),
      () => report('clean'),
      () => report('clean'),
      () => report('failed'),
      async () => {
        const cleaning = pick(await cleanings())?.cleaning ?? 'none';
        const { status } = await service.admin.post(`/cleaning/${cleaning}/retry`);
        if (status === 200) reported.delete(cleaning);
      },
      async () => {
        const machine = obmd.machine(pick(labels) ?? 'n1');
        machine.fault = machine.fault === null ? { on: ['power_off'], kind: 'status', status: 500 } : null;
        await Promise.resolve();
      },
      async () => {
        // A port that is edited after the last reading is found by the next sweep, or when somebody asks for one.
        const { body } = await done(service.admin.get('/overview/nodes'));
        const held = (body as { nodes: { name: string; project: string | null }[] }).nodes
          .filter(({ project }) => project !== null)
          .map(({ name }) => name);
        const failed = (await cleanings()).filter(({ state }) => state === 'failed').map(({ node }) => node);
        const node = pick([...held, ...failed]);
        if (node !== undefined) tamper(service, 'sw0', `${node}/eth0`, random() < 0.5 ? { native: 600 } : {});
      },
      () => service.admin.post(`/node/${pick(labels) ?? ''}/quarantine`, { reason: 'a feeling' }),
      async () => {
        await service.stop();
        service = await service.restart();
      },
    ];
    for (let turn = 0; turn < turns; turn += 1) {
      await pick(things)?.();
      // Nobody leaves a project between these: what is free now, and not passed after that, was offered too early.
      const free = await freeNodes(service);
      const open = (await cleanings()).filter(({ state }) => state !== 'passed').map(({ node }) => node);
      expect(free.filter((node) => open.includes(node))).toEqual([]);
    }

    // Everything is repaired, and every node comes back to somebody.
    for (const node of labels) {
      obmd.machine(node).fault = null;
      tamper(service, 'sw0', `${node}/eth0`, {});
    }
    for (const node of labels) {
      await eventually(async () => {
        const [newest] = (await cleanings()).filter((one) => one.node === node);
        if (newest === undefined || newest.state === 'passed') return true;
        if (newest.state === 'failed') await service.admin.post(`/cleaning/${newest.cleaning}/retry`);
        for (const { cleaning, step, token } of orders().filter((order) => order.cleaning === newest.cleaning)) {
          await service.admin.post(`/cleaning/${cleaning}/result`, { step, token, outcome: 'clean' });
        }
        return undefined;
      }, 60_000);
    }
    await service.stop();
    await expectSound(service.env);
  });
});
