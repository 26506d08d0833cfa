import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@corral/base/config/config-error';
import { logCondition } from '@corral/base/db/log-condition';
import { lostFile } from '@corral/base/db/lost-file';
import { listenAt } from '@corral/base/http/http-listen';
import { Outbound } from '@corral/base/http/outbound';
import { followTls } from '@corral/base/http/tls-files';
import { version } from '@corral/base/program-version';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { openVault } from '@corral/base/secrets/open-vault';
import type { Vault } from '@corral/base/secrets/vault';
import { type RunningObmd, startObmd } from '@corral/obmd/start';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { createAuthenticator } from './auth/authenticator.ts';
import { databaseBackend } from './auth/database-backend.ts';
import { ensureFirstAdmin, type FirstAdmin, firstPasswordIn } from './auth/first-admin.ts';
import { keystoneBackend } from './auth/keystone-backend.ts';
import { nullBackend } from './auth/null-backend.ts';
import { oidcBackend } from './auth/oidc-backend.ts';
import { OidcLogin } from './auth/oidc/oidc-login.ts';
import { passwordCheck } from './auth/password-check.ts';
import { configureBackends } from './auth/configure-backends.ts';
import type { Config, Role } from './config/service-config.ts';
import { systemCaller } from './core/caller.ts';
import { ConsoleSessions } from './core/console.ts';
import { DeviceCalls } from './core/device-calls.ts';
import { insideOrigin } from './core/inside-address.ts';
import { insideObmClient } from './core/inside-obm-client.ts';
import { machineOwnership, recordOwner } from './core/machine-owner.ts';
import { adoptClassKey } from './core/node-classes.ts';
import type { ReleaseMoment } from './core/release-steps.ts';
import { createRequestContext } from './core/request-context.ts';
import { MailSender } from './core/mail-sender.ts';
import { WebhookSender } from './core/webhook-sender.ts';
import type { SignInMethods, Dependencies } from './core/dependencies.ts';
import type { Db } from './db/service-database.ts';
import { openDatabase } from './db/open-service-database.ts';
import type { Allocator } from './drivers/allocators/allocator-contract.ts';
import { vlanPool } from './drivers/allocators/vlan-pool.ts';
import type { Hypervisor } from './drivers/hypervisors/hypervisor-contract.ts';
import { libvirtHypervisor } from './drivers/hypervisors/libvirt-hypervisor.ts';
import type { MachineStep } from './drivers/hypervisors/libvirt/machine-steps.ts';
import { mockHypervisor } from './drivers/hypervisors/mock-hypervisor.ts';
import { noHypervisor } from './drivers/hypervisors/no-hypervisor.ts';
import { httpObmClient } from './drivers/obm/obm-http-client.ts';
import { switchDrivers } from './drivers/switches/switch-drivers.ts';
import { chosen, loadExtensions } from './extensions.ts';
import { bmcTypes, InsideDaemon } from './own-daemon.ts';
import { buildServer } from './server/app.ts';
import { createMetrics, type Metrics } from './server/metrics.ts';
import type { MetricsPeers } from './server/metrics-peers.ts';
import { serveOidcLogin } from './server/oidc-login-routes.ts';
import { setPublicUrl } from './server/request-origin.ts';
import { serveOperator, serveReference } from './server/operator-routes.ts';
import { groupsFor } from './server/routes/all-routes.ts';
import { refuseUnknown } from './server/request-guard.ts';
import { serveWebPages } from './server/web-pages.ts';
import { Engine } from './worker/engine.ts';
import { requireNoLostDatabase } from './lost-database.ts';
import { timeoutFor } from './worker/retry-policy.ts';
import { headnodeRecovery } from './worker/headnode-recovery.ts';
import { type HistoryStep, historyPruning } from './worker/history-pruning.ts';
import { bmcCleanup } from './worker/bmc-cleanup.ts';
import { claimCleanup, ClaimQueue } from './worker/claim-queue.ts';
import type { CleaningMoment } from './worker/cleaning-moments.ts';
import { CleaningWorker } from './worker/cleaning-worker.ts';
import { credentialCleanup } from './worker/credential-cleanup.ts';
import { type DeliveryStep, WebhookDeliveries } from './worker/webhook-deliveries.ts';
import { MaintenanceNotifier } from './worker/maintenance-notifier.ts';
import { NodeReleases } from './worker/node-releases.ts';
import type { Step } from './worker/worker-steps.ts';
import { WorkerSeats } from './worker/worker-seats.ts';

/** Where the pages for browsers are built to; from here it is as far for the bundle as for the sources. */
const pagesFolder = new URL('../../console/dist/pages/', import.meta.url);

/** A service that is up. */
export interface Running {
  readonly url: string;
  readonly role: Role;
  readonly firstAdmin: FirstAdmin;
  /** The OBM daemon inside this process; null: there is none. */
  readonly obmd: Pick<RunningObmd, 'url' | 'adminTokenFile' | 'isStandby' | 'standbyTo'> | null;
  /** No new requests; what runs is finished or left to be taken up again. */
  readonly stop: () => Promise<void>;
  /** Resolves when an embedded database was lost, with what is to be done. */
  readonly failed: Promise<Error>;
}

/** Told of every step, so that a test can kill the process between any two. */
type Observe = (step: Step | MachineStep | HistoryStep | DeliveryStep | ReleaseMoment | CleaningMoment) => void;

/** Puts everything together and starts it. The only function that knows everything. `peers`: null if it is alone. */
export const start = async (
  config: Config,
  log: Logger,
  step: Observe = () => undefined,
  peers: MetricsPeers | null = null,
): Promise<Running> => {
  requireNoLostDatabase(config);
  const db = await openDatabase(config.database);
  logCondition(db.condition, 'the database', log);
  try {
    return await startOn(db, config, log, step, peers);
  } catch (error) {
    await db.close();
    throw error;
  }
};

const startOn = async (
  db: Db,
  config: Config,
  log: Logger,
  step: Observe,
  peers: MetricsPeers | null,
): Promise<Running> => {
  const vault = await openVault(config.keyFile, keyCheckIn(db, 'settings'));
  const allocator = vlanPool(config.vlans);
  await requirePoolCovers(db, allocator);
  const inside: { obmd: RunningObmd | null } = { obmd: null };
  const daemon = new InsideDaemon({
    db,
    vault,
    running: () => inside.obmd,
    hasSibling: config.hasSiblingObmd,
    dataDir: config.dataDir,
  });
  const outsideObm = httpObmClient({ ...config.obm, outbound: config.outbound });
  // Its address is from the operators of this service, not from those who call it.
  const insideObm = httpObmClient({ ...config.obm, outbound: new Outbound({ setting: 'outbound.allow' }) });
  const obm = insideObmClient(insideObm, outsideObm, daemon.locate);
  const consoles = new ConsoleSessions(db);
  const metrics = createMetrics(db, peers);
  const keystone = keystoneFor(config, db, metrics);
  const oidc = oidcFor(config, vault, log);
  const logins = {
    failed: (why: 'wrong' | 'throttled') => metrics.loginFailed(why),
    throttled: (login: object) => log.warn(login, 'too many failed logins: throttled'),
  };
  const passwords = passwordCheck(db, logins, config.processes);
  const firstPassword = firstPasswordIn(join(config.dataDir, 'admin-password'), (error) =>
    log.warn({ err: error }, 'failed to delete the outdated initial password file; delete it by hand'),
  );
  const plugged = await loadExtensions(config.extensions, {
    switches: switchDrivers({ simulatedSwitches: join(config.dataDir, 'simulated-switches') }),
    hypervisors: hypervisorsFor(config, step),
    auth: {
      null: nullBackend,
      database: databaseBackend(db, passwords),
      ...(keystone === null ? {} : { keystone }),
      ...(oidc === null ? {} : { oidc: oidc.backend }),
    },
  });
  const backends = Object.fromEntries(
    config.auth.map((name) => [name, chosen(plugged.auth, 'auth', name, ['keystone', 'oidc'])]),
  );
  const auth = createAuthenticator(configureBackends(db, config.identity, backends));
  const hypervisor = chosen(plugged.hypervisors, 'hypervisor', config.hypervisor);
  const webhooks = new WebhookSender({ outbound: config.outbound, ...config.webhooks });
  const mail = config.mail === null ? null : new MailSender(config.mail, config.outbound);
  const dependencies: Dependencies = {
    switches: plugged.switches,
    allocator,
    devices: new DeviceCalls({ obm, hypervisor }, config.deviceLimits),
    consoles,
    switchTimeout: (ports) => timeoutFor(ports, config.engine.deviceTimeoutMs),
    ownDaemon: daemon,
    bmcTypes,
    vault,
    outbound: config.outbound,
    projectTargets: config.webhooks.projectTargets,
    webhooks,
    hasMail: mail !== null,
    mail,
    maintenance: config.maintenance,
    cleaning: config.cleaning,
    hypervisor: config.hypervisor,
    identity: config.identity,
    signIn: signInMethods(config),
    checkPassword: passwords.check,
    firstPassword,
    extensions: [
      ...Object.keys(plugged.switches).map((name) => `corral.ext.switches.${name}`),
      'corral.ext.network_allocators.vlan_pool',
      `corral.ext.hypervisors.${config.hypervisor}`,
      ...config.auth.map((name) => `corral.ext.auth.${name}`),
    ],
  };
  await requireFitImages(hypervisor, log);
  await requireOwnMachines(db, config.hypervisor);
  const context = createRequestContext(db, dependencies, { caller: systemCaller, requestId: null });
  await ensureMaintenanceProject(context);
  await adoptClassKey(context, config.classKey);
  const servesCalls = config.role !== 'worker';
  const firstAdmin: FirstAdmin =
    servesCalls && config.auth.includes('database')
      ? await ensureFirstAdmin(context, config.adminPassword, firstPassword.file)
      : { kind: 'exists', file: null };

  const groups = servesCalls ? groupsFor(config.auth) : [];
  let isAccepting = true;
  const server = buildServer({
    db,
    dependencies,
    auth,
    requireAuthentication: config.requireAuthentication,
    http: config.http,
    metrics,
    log,
    routes: groups.flatMap(({ routes }) => routes),
  });
  const seesMetrics = config.http.metrics;
  serveOperator(server, { db, auth, metrics, seesMetrics, isAccepting: () => isAccepting });
  if (servesCalls) {
    serveReference(server, groups, version);
    await serveWebPages(server, pagesFolder);
  } else server.setNotFoundHandler(refuseUnknown);
  if (config.publicUrl !== null) setPublicUrl(server, config.publicUrl);
  if (servesCalls && oidc?.login) serveOidcLogin(server, { login: oidc.login, db, dependencies, log });
  const obmd = config.obmd ? await startObmd(config.obmd, log) : null;
  inside.obmd = obmd;
  try {
    if (obmd !== null) await adoptNodes(db, obmd.addresses, log);
    await listenAt(server, config);
  } catch (error) {
    await obmd?.stop();
    throw error;
  }

  const { tls } = config.http;
  const unfollow = tls === null ? () => undefined : followTls(server.server as unknown as Server, tls, log);

  // The embedded database has one process: there is nobody to share switches with.
  const seats = db.engine === 'sqlite' ? null : new WorkerSeats(context, config.engine.leaseMs);
  const engine =
    config.role === 'api' ? null : new Engine({ context, config: config.engine, observer: metrics, step, log }, seats);
  const workers =
    engine === null
      ? []
      : [
          engine,
          dependencies.maintenance && new MaintenanceNotifier(context, dependencies.maintenance, config.outbound, log),
          new NodeReleases(
            context,
            { patienceMs: config.releasePatienceMs, leaseMs: config.engine.leaseMs, pollMs: config.engine.pollMs },
            step,
            log,
          ),
          new CleaningWorker(context, { ...config.cleaning, leaseMs: config.engine.leaseMs }, log, step),
          headnodeRecovery(context, log),
          new ClaimQueue(context, config.engine.leaseMs, log),
          claimCleanup(context, log),
          credentialCleanup(context, log),
          bmcCleanup(context, log),
          new WebhookDeliveries(context, config.webhooks.giveUpMs, log, step),
          historyPruning({ ...config.history, heldMs: config.webhooks.giveUpMs }, context, log, step),
        ].filter((worker) => worker !== null);
  for (const worker of workers) worker.start();

  return {
    url: urlOf(server.server.address() as AddressInfo, tls === null ? 'http' : 'https'),
    role: config.role,
    firstAdmin,
    obmd: obmd && {
      url: obmd.url,
      adminTokenFile: obmd.adminTokenFile,
      isStandby: obmd.isStandby,
      standbyTo: obmd.standbyTo,
    },
    stop: async () => {
      isAccepting = false;
      unfollow();
      // Requests that are under way may take a while; switches need not wait for them.
      void engine?.leave();
      await consoles.closeAll();
      await server.close();
      await keystone?.close();
      await oidc?.backend.close();
      for (const worker of workers) await worker.stop();
      await webhooks.close();
      await insideObm.close();
      await outsideObm.close();
      await obmd?.stop();
      await db.close();
    },
    failed: Promise.race([lostFile(db.condition), ...(obmd === null ? [] : [obmd.failed])]),
  };
};

/** Nodes that were registered under the address of the daemon inside are found wherever it is from now on. */
const adoptNodes = async (db: Db, places: readonly string[], log: Logger): Promise<void> => {
  for (const place of places) {
    const isThere = sql<boolean>`substr(obm_uri, 1, ${place.length + 1}) = ${`${place}/`}`;
    const found = await db.read((tx) => tx.selectFrom('nodes').select('id').where(isThere).limit(1).execute());
    if (found.length === 0) continue;
    const { numUpdatedRows } = await db.write((tx) =>
      tx
        .updateTable('nodes')
        .set({ obm_uri: sql<string>`${insideOrigin} || substr(obm_uri, ${place.length + 1})` })
        .where(isThere)
        .executeTakeFirst(),
    );
    log.info(
      { place, nodes: Number(numUpdatedRows) },
      'nodes of the OBM daemon inside no longer depend on its address',
    );
  }
};

const hypervisorsFor = (config: Config, step: Observe): Readonly<Record<string, Hypervisor>> => ({
  none: noHypervisor,
  mock: mockHypervisor(config.images, join(config.dataDir, 'mock-hypervisor.json')),
  libvirt: libvirtHypervisor({ ...config.libvirt, images: config.images }, step),
});

/** Machines of another hypervisor would run on, on networks that others may get. */
const requireOwnMachines = async (db: Db, name: string): Promise<void> => {
  const found = await db.read((tx) => machineOwnership(tx, name));
  if (found === 'unrecorded') await db.write((tx) => recordOwner(tx, name));
  if (typeof found === 'string') return;
  const { headnode, owner } = found;
  throw new ConfigError([
    owner === null
      ? `hypervisor: it is "${name}", but headnode ${headnode} was started and may have a machine; ` +
        'set what runs it: "libvirt", "mock" if it is simulated, or the name of an extension\'s'
      : `hypervisor: it is "${name}", but headnode ${headnode} was started with "${owner}" and may have a machine there; ` +
        `set "${owner}", and delete all headnodes that were started before you set another`,
  ]);
};

/** How long a start waits for the hypervisor. One that is down then is checked when headnodes are created. */
const fitTimeoutMs = 10_000;

/** Refuses to start with templates by which headnodes would share something. */
const requireFitImages = async (hypervisor: Hypervisor, log: Logger): Promise<void> => {
  const late = sleep(fitTimeoutMs, null, { ref: false });
  const unfit = await Promise.race([hypervisor.unfitImages?.() ?? [], late]).catch((err: unknown) => {
    log.warn({ err }, 'headnode templates not checked: the hypervisor does not answer');
    return [];
  });
  if (unfit === null) log.warn('headnode templates not checked: the hypervisor does not answer in time');
  else if (unfit.length > 0) throw new ConfigError(unfit);
};

/** What everybody may know of how to sign in: no secrets. */
const signInMethods = ({ auth, keystone, oidc }: Config): SignInMethods => ({
  basic: auth.includes('database'),
  keystone: keystone === null ? null : { url: keystone.url },
  oidc:
    oidc === null
      ? null
      : {
          issuer: oidc.issuer,
          audience: oidc.audience,
          browser: oidc.client !== null,
          device: oidc.device === null ? null : { client_id: oidc.device.id, scopes: oidc.device.scopes },
        },
});

const keystoneFor = (config: Config, db: Db, { tokenChecked }: Metrics) =>
  config.keystone === null ? null : keystoneBackend(db, { ...config.keystone, tokenChecked });

const oidcFor = ({ oidc }: Config, vault: Vault, log: Logger) => {
  if (oidc === null) return null;
  const failed = (err: unknown) =>
    log.warn({ issuer: oidc.issuer, err }, 'failed to fetch JWKS from the identity provider');
  const backend = oidcBackend({ ...oidc, failed });
  if (oidc.client === null) return { backend, login: null };
  return { backend, login: new OidcLogin({ issuer: oidc.issuer, client: oidc.client, backend, vault }) };
};

const urlOf = ({ address, family, port }: AddressInfo, scheme: string): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

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

const ensureMaintenanceProject = async (context: ReturnType<typeof createRequestContext>): Promise<void> => {
  const label = context.dependencies.maintenance?.project;
  if (label === undefined) return;
  await context.write(async (op) => {
    if (await op.tx.selectFrom('projects').select('id').where('label', '=', label).executeTakeFirst()) return;
    const { id } = await op.tx.insertInto('projects').values({ label }).returning('id').executeTakeFirstOrThrow();
    op.record({ type: 'project_create', projects: [{ id, label }] });
  });
};
