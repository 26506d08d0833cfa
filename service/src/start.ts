import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@corral/base/config/config-error';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { openVault } from '@corral/base/secrets/key-file';
import type { RunningObmd } from '@corral/obmd/start';
import type { Logger } from 'pino';
import { chainOf } from './auth/chain.ts';
import { databaseBackend } from './auth/database.ts';
import { ensureFirstAdmin, type FirstAdmin } from './auth/first-admin.ts';
import { nullBackend } from './auth/null.ts';
import type { Config } from './config/config.ts';
import { operator } from './core/caller.ts';
import { ConsoleSessions } from './core/console.ts';
import { deskFor } from './core/op.ts';
import type { Site } from './core/site.ts';
import type { Db } from './db/db.ts';
import { openDatabase } from './db/open.ts';
import type { Allocator } from './drivers/allocators/contract.ts';
import { vlanPool } from './drivers/allocators/vlan-pool.ts';
import type { Hypervisor } from './drivers/hypervisors/contract.ts';
import type { MachineStep } from './drivers/hypervisors/libvirt/steps.ts';
import { mockHypervisor } from './drivers/hypervisors/mock.ts';
import { httpObmClient } from './drivers/obm/http.ts';
import { switchDrivers } from './drivers/switches/registry.ts';
import { chosen, loadExtensions } from './extensions.ts';
import { buildServer } from './server/app.ts';
import { createMetrics } from './server/metrics.ts';
import { serveOperator } from './server/operator.ts';
import { groupsFor } from './server/routes/all.ts';
import { Engine } from './worker/engine.ts';
import { HeadnodeKeeper } from './worker/headnode-keeper.ts';
import type { Step } from './worker/steps.ts';

/** A service that is up. */
export interface Running {
  readonly url: string;
  readonly firstAdmin: FirstAdmin;
  /** The OBM daemon inside this process; null: there is none. */
  readonly obmd: Omit<RunningObmd, 'stop'> | null;
  /** No new requests; what runs is finished or left to be taken up again. */
  readonly stop: () => Promise<void>;
}

const version = '0.1.0';

/** Told of every step, so that a test can kill the process between any two. */
type Observe = (step: Step | MachineStep) => void;

/** Puts everything together and starts it. The only function that knows everything. */
export const start = async (config: Config, log: Logger, step: Observe = () => undefined): Promise<Running> => {
  const db = await openDatabase(config.database);
  try {
    return await startOn(db, config, log, step);
  } catch (error) {
    await db.close();
    throw error;
  }
};

const startOn = async (db: Db, config: Config, log: Logger, step: Observe): Promise<Running> => {
  const vault = await openVault(config.keyFile, keyCheckIn(db, 'settings'));
  const allocator = vlanPool(config.vlans);
  await requirePoolCovers(db, allocator);
  const obm = httpObmClient(config.obm);
  const consoles = new ConsoleSessions(db);
  const plugged = await loadExtensions(config.extensions, {
    switches: switchDrivers({ simulatedSwitches: join(config.dataDir, 'simulated-switches') }),
    hypervisors: await hypervisorsFor(config, step),
    auth: { null: nullBackend, database: databaseBackend(db) },
  });
  const auth = chainOf(config.auth.map((name) => chosen(plugged.auth, 'auth', name)));
  const site: Site = {
    switches: plugged.switches,
    allocator,
    hypervisor: chosen(plugged.hypervisors, 'hypervisor', config.hypervisor),
    obm,
    consoles,
    vault,
    maintenance: config.maintenance,
    extensions: [
      ...Object.keys(plugged.switches).map((name) => `corral.ext.switches.${name}`),
      'corral.ext.network_allocators.vlan_pool',
      `corral.ext.hypervisors.${config.hypervisor}`,
      ...config.auth.map((name) => `corral.ext.auth.${name}`),
    ],
  };
  const desk = deskFor(db, site, { caller: operator, requestId: null });
  await ensureMaintenanceProject(desk);
  const firstAdmin: FirstAdmin =
    config.auth.includes('database')
      ? await ensureFirstAdmin(desk, config.adminPassword, join(config.dataDir, 'admin-password'))
      : { kind: 'exists', file: null };

  const metrics = createMetrics(db);
  const groups = groupsFor(config.auth);
  let isAccepting = true;
  const server = buildServer({
    db,
    site,
    auth,
    requireAuthentication: config.requireAuthentication,
    metrics,
    log,
    routes: groups.flatMap(({ routes }) => routes),
  });
  serveOperator(server, { db, metrics, groups, version, isAccepting: () => isAccepting });
  const obmd = config.obmd ? await (await import('@corral/obmd/start')).startObmd(config.obmd, log) : null;
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (error) {
    await obmd?.stop();
    throw error;
  }

  const engine = new Engine({ db, desk, config: config.engine, observer: metrics, step, log });
  engine.start();
  const notifier = site.maintenance
    ? new (await import('./worker/notifier.ts')).Notifier(db, desk, site.maintenance, log)
    : null;
  notifier?.start();
  const keeper = new HeadnodeKeeper(desk, log);
  keeper.start();

  return {
    url: urlOf(server.server.address() as AddressInfo),
    firstAdmin,
    obmd,
    stop: async () => {
      isAccepting = false;
      await consoles.closeAll();
      await server.close();
      await engine.stop();
      await notifier?.stop();
      await keeper.stop();
      await obm.close();
      await obmd?.stop();
      await db.close();
    },
  };
};

/** A start with the mock one does not pay for the other. */
const hypervisorsFor = async (config: Config, step: Observe): Promise<Readonly<Record<string, Hypervisor>>> => {
  const mock = mockHypervisor(config.images, join(config.dataDir, 'mock-hypervisor.json'));
  if (config.hypervisor === 'mock') return { mock };
  const { libvirtHypervisor } = await import('./drivers/hypervisors/libvirt.ts');
  return { mock, libvirt: libvirtHypervisor({ ...config.libvirt, images: config.images }, step) };
};

const urlOf = ({ address, family, port }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** A pool that no longer holds what it handed out would hand it out twice, or never get it back. */
const requirePoolCovers = async (db: Db, allocator: Allocator): Promise<void> => {
  const networks = await db.read((tx) =>
    tx.selectFrom('networks').select(['label', 'vlan']).where('vlan_is_assigned', '=', 0).orderBy('vlan').execute(),
  );
  const outside = networks.filter(({ vlan }) => !allocator.has(vlan));
  if (outside.length === 0) return;
  const named = outside.map(({ label, vlan }) => `${label} (VLAN ${vlan})`).join(', ');
  throw new ConfigError([`vlans: the pool does not hold the ids of networks in use: ${named}`]);
};

const ensureMaintenanceProject = async (desk: ReturnType<typeof deskFor>): Promise<void> => {
  const label = desk.site.maintenance?.project;
  if (label === undefined) return;
  await desk.write(async (op) => {
    if (await op.tx.selectFrom('projects').select('id').where('label', '=', label).executeTakeFirst()) return;
    const { id } = await op.tx.insertInto('projects').values({ label }).returning('id').executeTakeFirstOrThrow();
    op.record({ type: 'project_create', projects: [{ id, label }] });
  });
};
