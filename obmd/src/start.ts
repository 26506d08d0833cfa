import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '@corral/base/config/config-error';
import { tellCondition } from '@corral/base/db/tell-condition';
import { isLoopback } from '@corral/base/http/loopback';
import { listenAt } from '@corral/base/http/listen';
import { followTls } from '@corral/base/http/tls';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { openVault } from '@corral/base/secrets/open-vault';
import type { Logger } from 'pino';
import { readOrMakeAdminToken } from './admin-token.ts';
import type { ObmdConfig } from './config/config.ts';
import { standby } from './core/errors.ts';
import { Fleet } from './core/fleet.ts';
import type { CallReport } from './core/machine.ts';
import { Ownership } from './core/ownership.ts';
import { Register } from './core/register.ts';
import { type Db, openDatabase } from './db/open.ts';
import type { BmcDriver } from './drivers/contract.ts';
import { bmcDrivers } from './drivers/registry.ts';
import { buildServer, refusalOf } from './server/app.ts';
import { createMetrics } from './server/metrics.ts';
import { serveOperator } from './server/operator.ts';

/** A daemon that is up. */
export interface RunningObmd {
  readonly url: string;
  /** Where the admin token is kept; null: the operator gave it. */
  readonly adminTokenFile: string | null;
  /** Another process looked after the nodes when this one started. */
  readonly isStandby: boolean;
  readonly stop: () => Promise<void>;
}

/** Puts the daemon together and starts it. */
export const startObmd = async (
  config: ObmdConfig,
  log: Logger,
  drivers: Readonly<Record<string, BmcDriver>> = bmcDrivers,
): Promise<RunningObmd> => {
  const db = await openDatabase(config.database);
  tellCondition(db.condition, 'the database of the OBM daemon', log);
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
  const metrics = createMetrics();
  const report = (call: CallReport): void => {
    metrics.callDone(call);
    if (call.error === null) return;
    const { node, type, call: name, seconds, error } = call;
    log.warn({ node, type, call: name, seconds, err: error.cause }, error.message);
  };

  const post: { fleet: Fleet | null } = { fleet: null };
  const note = (node: string, message: string): void => log.info({ node }, message);
  if (config.tls === null && !isLoopback(config.listen.host)) {
    log.warn('the OBM daemon listens on a non-loopback address without TLS: tokens are sent unencrypted');
  }
  const ownership: Ownership = new Ownership(db, {
    gained: async () => {
      post.fleet = await Fleet.load({
        register: new Register(db, vault, ownership.requireHold),
        drivers,
        outbound: config.outbound,
        limits: config.patience,
        report,
        permit: ownership,
        note,
      });
      log.info({ nodes: post.fleet.list().length }, 'this process manages the nodes');
    },
    lost: async () => {
      log.warn('lost the lease on the database: another process may manage the nodes now');
      const { fleet } = post;
      post.fleet = null;
      await fleet?.close();
    },
    failed: (error) => log.error({ err: error }, 'failed to take over the nodes; will retry'),
  });
  const server = buildServer({
    adminToken,
    metrics,
    log,
    tls: config.tls,
    fleet: () => {
      if (post.fleet !== null) {
        ownership.check();
        return post.fleet;
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
    fleet: () => post.fleet,
    adminRefusal: (request) => refusalOf(request, adminToken),
  });
  await ownership.start();
  const isStandby = post.fleet === null;
  if (isStandby) log.warn({ holder: ownership.other }, 'standby: another process manages these nodes');
  try {
    await listenAt(server, config.listen);
  } catch (error) {
    await post.fleet?.close();
    await ownership.stop();
    throw unlistenable(config.listen, error);
  }
  const unfollow = config.tls ? followTls(server.server as unknown as Server, config.tls, log) : () => undefined;

  return {
    url: urlOf(server.server.address() as AddressInfo, config.tls === null ? 'http' : 'https'),
    adminTokenFile: config.adminToken === null ? config.adminTokenFile : null,
    isStandby,
    stop: async () => {
      unfollow();
      const { fleet } = post;
      post.fleet = null;
      await fleet?.close();
      await server.close();
      await ownership.stop();
      await db.close();
    },
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
