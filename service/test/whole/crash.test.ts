import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SimulatedSwitch } from '../../src/drivers/switches/simulated-switch.ts';
import { engines, freshPostgres } from '../support/services/engines.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { type Program, startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { done, eventually, obmd } from '../support/services/world.ts';

const kills = 20;
const nodes = ['n0', 'n1', 'n2', 'n3'];

/** What the service said yes to: after any crash, all of it must still be so. */
interface Acknowledged {
  readonly projects: string[];
  readonly networks: string[];
  /** Each node's newest action. */
  readonly actions: Map<string, string>;
  count: number;
}

describe.each(engines)('a service killed with -9 under load, on %s', (engine) => {
  let env: Record<string, string>;
  let dataDir: string;
  let program: Program;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'corral-crash-'));
    env = {
      CORRAL_PORT: '0',
      CORRAL_DATA_DIR: dataDir,
      CORRAL_ADMIN_PASSWORD: adminPassword,
      CORRAL_VLANS: '100-3000',
      CORRAL_ENGINE_LEASE: '0.5',
      CORRAL_ENGINE_POLL: '0.2',
      CORRAL_LOG_LEVEL: 'warn',
      ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
    };
    program = await startProgram(env);
    await buildRack(client());
  });
  afterAll(async () => {
    await program.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });

  const client = (): Client => clientOf(program.url, basic('admin', adminPassword));

  it(
    `${kills} times: nothing acknowledged is missing, every action settles, switch and database agree`,
    { timeout: 240_000 },
    async () => {
      const acknowledged: Acknowledged = { projects: [], networks: [], actions: new Map(), count: 0 };
      for (let round = 0; round < kills; round += 1) {
        const load = Promise.all(nodes.map((node) => worker(client(), node, round, acknowledged)));
        // At a random moment of the load, however fast the machine is.
        const enough = acknowledged.count + 1 + Math.floor(Math.random() * 16);
        await eventually(() => (acknowledged.count >= enough ? true : undefined));
        await program.kill('SIGKILL');
        await load;
        program = await startProgram(env);
        await checkAll(client(), acknowledged);
        await expectSound(env);
      }
      expect(acknowledged.projects.length).toBeGreaterThan(kills);
      expect(acknowledged.actions.size).toBe(nodes.length);
    },
  );

  const checkAll = async (admin: Client, { projects, networks, actions }: Acknowledged): Promise<void> => {
    expect((await done(admin.get('/projects'))).body).toEqual(expect.arrayContaining(projects));
    expect(Object.keys((await done(admin.get('/networks'))).body as object)).toEqual(expect.arrayContaining(networks));
    for (const node of nodes) {
      await eventually(async () => ((await isQuiet(admin, node)) ? true : undefined));
      const statusId = actions.get(node);
      if (statusId !== undefined) {
        const answer = await admin.get(`/networking_action/${statusId}`);
        // Forgotten only if the next action was queued and its acknowledgement was lost with the process.
        if (answer.status !== 404) expect(answer.body).toMatchObject({ status: 'DONE' });
      }
      await agrees(admin, node);
    }
  };

  const agrees = async (admin: Client, node: string): Promise<void> => {
    const { body } = await done(admin.get(`/node/${node}`));
    const recorded = Object.values((body as { nics: { networks: Record<string, string> }[] }).nics[0]?.networks ?? {});
    const { body: all } = await done(admin.get('/networks'));
    const vlans = recorded.map((network) =>
      Number((all as Record<string, { network_id: string }>)[network]?.network_id),
    );
    const [port] = new SimulatedSwitch(join(dataDir, 'simulated-switches'), 'sw0').read([`${node}/eth0`]);
    expect(port).toEqual({ port: `${node}/eth0`, native: vlans[0] ?? null, tagged: [] });
  };
});

/** Is no action pending on the nic? A detachment that cannot be is refused for one reason or the other. */
const isQuiet = async (admin: Client, node: string): Promise<boolean> => {
  const { body } = await admin.post(`/node/${node}/nic/eth0/detach_network`, { network: 'never' });
  return !(body as { msg: string }).msg.includes('pending');
};

const buildRack = async (admin: Client): Promise<void> => {
  await done(admin.put('/project/load'));
  await done(admin.put('/network/never', { owner: 'load', access: 'load', net_id: '' }));
  await done(admin.put('/switch/sw0', { type: 'mock', hostname: 'sw0', username: 'u', password: 'p' }));
  for (const node of nodes) {
    await done(admin.put(`/node/${node}`, { obmd }));
    await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
    await done(admin.put(`/switch/sw0/port/${node}/eth0`));
    await done(admin.post(`/switch/sw0/port/${node}/eth0/connect_nic`, { node, nic: 'eth0' }));
    await done(admin.post('/project/load/connect_node', { node }));
  }
};

/** Creates and connects until the process is gone, and remembers what it was told. */
const worker = async (admin: Client, node: string, round: number, acknowledged: Acknowledged): Promise<void> => {
  try {
    for (let count = 0; ; count += 1) {
      const label = `${node}-${round}-${count}`;
      if ((await admin.put(`/project/${label}`)).status === 200) acknowledged.projects.push(label);
      const made = await admin.put(`/network/${label}`, { owner: 'load', access: 'load', net_id: '' });
      if (made.status === 200) acknowledged.networks.push(label);
      const queued = await change(admin, node, label);
      acknowledged.count += 1;
      if (queued.status === 202) acknowledged.actions.set(node, (queued.body as { status_id: string }).status_id);
    }
  } catch {
    // The line went dead: that is the point.
  }
};

/** Detaches what is there, or connects the new network. */
const change = async (admin: Client, node: string, network: string) => {
  const { body } = await admin.get(`/node/${node}`);
  const [attached] = Object.values((body as { nics: { networks: Record<string, string> }[] }).nics[0]?.networks ?? {});
  return attached === undefined
    ? admin.post(`/node/${node}/nic/eth0/connect_network`, { network })
    : admin.post(`/node/${node}/nic/eth0/detach_network`, { network: attached });
};
