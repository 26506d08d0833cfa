import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@corral/base/config/config-error';
import { logCondition } from '@corral/base/db/log-condition';
import { lostFile } from '@corral/base/db/lost-file';
import { isLoopback } from '@corral/base/http/loopback';
import { networkNamespace } from '@corral/base/process-namespace';
import { listenAt } from '@corral/base/http/http-listen';
import { followTls } from '@corral/base/http/tls-files';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { openVault } from '@corral/base/secrets/open-vault';
import type { Logger } from 'pino';
import { readOrMakeAdminToken } from './admin-token.ts';
import type { ObmdConfig } from './config/obmd-config.ts';
import type { Holder } from './core/bmc-holder.ts';
import { standby } from './core/obmd-error.ts';
import { NodeRegistry } from './core/node-registry.ts';
import type { CallReport } from './core/managed-machine.ts';
import { Ownership } from './core/bmc-ownership.ts';
import { NodeStore } from './core/node-store.ts';
import { readOrMakeServiceToken } from './core/service-token.ts';
import { type Db, openDatabase } from './db/open-obmd-database.ts';
import type { BmcDriver } from './drivers/bmc-contract.ts';
import { bmcDrivers } from './drivers/bmc-drivers.ts';
import { buildServer, refusalOf } from './server/obmd-app.ts';
import { createMetrics } from './server/obmd-metrics.ts';
import { serveOperator } from './server/obmd-operator-routes.ts';

/** A daemon that is up. */
export interface RunningObmd {
  readonly url: string;
  /** Where the admin token is kept; null: the operator gave it. */
  readonly adminTokenFile: string | null;
  /** For the processes of the service that it runs inside of, on every machine. */
  readonly serviceToken: string;
  /** Where services reach this daemon: on this machine, or everywhere if the operator said where. */
  readonly addresses: readonly [string, ...string[]];
  /** Another process looked after the nodes when this one started. */
  readonly isStandby: boolean;
  /** Which one that was; null: none, or it is not known. */
  readonly standbyTo: Pick<Holder, 'host' | 'pid'> | null;
  /** The process that manages the nodes now; null: none does. */
  readonly holder: () => Promise<Holder | null>;
  /** Is that certainly this one? */
  readonly isHolder: () => boolean;
  readonly stop: () => Promise<void>;
  /** Resolves when its embedded database was lost, with what is to be done. */
  readonly failed: Promise<Error>;
}

/** Puts the daemon together and starts it. */
export const startObmd = async (
  config: ObmdConfig,
  log: Logger,
  drivers: Readonly<Record<string, BmcDriver>> = bmcDrivers,
): Promise<RunningObmd> => {
  const db = await openDatabase(config.database);
  logCondition(db.condition, 'the database of the OBM daemon', log);
  try {
    return await startOn(db, config, log, drivers);
  } catch (error) {
    await db.close();
    throw error;
  }
};

const startOn = async (
  db: Db,
  config: ObmdConfig,
  log: Logger,
  drivers: Readonly<Record<string, BmcDriver>>,
): Promise<RunningObmd> => {
  const vault = await openVault(config.keyFile, keyCheckIn(db, 'obmd_settings'));
  const adminToken = config.adminToken ?? readOrMakeAdminToken(config.adminTokenFile);
  const serviceToken = await readOrMakeServiceToken(db, vault);
  const metrics = createMetrics();
  const report = (call: CallReport): void => {
    metrics.callDone(call);
    if (call.error === null) return;
    const { node, type, call: name, seconds, error } = call;
    log.warn({ node, type, call: name, seconds, err: error.cause }, error.message);
  };

  const post: { nodeRegistry: NodeRegistry | null } = { nodeRegistry: null };
  const note = (node: string, message: string): void => log.info({ node }, message);
  if (config.tls === null && !isLoopback(config.listen.host)) {
    log.warn('the OBM daemon listens on a non-loopback address without TLS: tokens are sent unencrypted');
  }
  const ownership: Ownership = new Ownership(db, {
    gained: async () => {
      post.nodeRegistry = await NodeRegistry.load({
        nodeStore: new NodeStore(db, vault, ownership.requirementOfHold()),
        drivers,
        outbound: config.outbound,
        limits: config.timeouts,
        report,
        permit: ownership,
        note,
      });
      log.info({ nodes: post.nodeRegistry.list().length }, 'this process manages the nodes');
    },
    lost: async () => {
      log.warn('lost the lease on the database: another process may manage the nodes now');
      const { nodeRegistry } = post;
      post.nodeRegistry = null;
      await nodeRegistry?.close();
    },
    failed: (error) => log.error({ err: error }, 'failed to take over the nodes; will retry'),
  });
  const server = buildServer({
    adminTokens: [adminToken, serviceToken],
    metrics,
    log,
    tls: config.tls,
    nodeRegistry: () => {
      if (post.nodeRegistry !== null) {
        ownership.check();
        return post.nodeRegistry;
      }
      const { other } = ownership;
      const { fault } = db.condition;
      if (other === null && fault !== null) throw fault;
      const who = other === null ? 'another process' : `process ${other.pid} on ${other.host}`;
      throw standby(`${who} manages these nodes; send requests to it, or wait until it stops`);
    },
  });
  serveOperator(server, metrics, {
    db,
    nodeRegistry: () => post.nodeRegistry,
    adminRefusal: (request) => refusalOf(request, [adminToken, serviceToken]),
  });
  // It listens first: the lease tells others where.
  await listenAt(server, { ...config.listen, exclusive: true }).catch((error: unknown) => {
    throw unlistenable(config.listen, error);
  });
  const url = urlOf(server.server.address() as AddressInfo, config.tls === null ? 'http' : 'https');
  const listens_at = reachable(url);
  try {
    await ownership.start({ listens_at, network: networkNamespace(), url: config.url });
  } catch (error) {
    await server.close();
    throw error;
  }
  const isStandby = post.nodeRegistry === null;
  const standbyTo = isStandby ? ownership.other : null;
  if (isStandby) log.warn({ holder: standbyTo }, 'standby: another process manages these nodes');
  const unfollow = config.tls ? followTls(server.server as unknown as Server, config.tls, log) : () => undefined;

  return {
    url,
    adminTokenFile: config.adminToken === null ? config.adminTokenFile : null,
    serviceToken,
    addresses: config.url === null ? [listens_at] : [config.url, listens_at],
    isStandby,
    standbyTo,
    holder: () => ownership.holder(),
    isHolder: () => ownership.isOurs,
    stop: async () => {
      unfollow();
      const { nodeRegistry } = post;
      post.nodeRegistry = null;
      await nodeRegistry?.close();
      await server.close();
      await ownership.stop();
      await db.close();
    },
    failed: lostFile(db.condition),
  };
};

const unlistenable = ({ host, port }: ObmdConfig['listen'], error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'].includes(code)) return error;
  return new ConfigError([
    `obmd.listen: the OBM daemon cannot listen on ${host}:${port} (${code}); choose another address with CORRAL_OBMD, or stop the program that listens there`,
  ]);
};

const urlOf = ({ address, family, port }: AddressInfo, scheme: string): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** One that listens on all addresses is asked on that of this machine. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
