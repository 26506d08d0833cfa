import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { followTls } from '@corral/base/http/tls';
import { openVault } from '@corral/base/secrets/key-file';
import type { Logger } from 'pino';
import { readOrMakeAdminToken } from './admin-token.ts';
import type { ObmdConfig } from './config/config.ts';
import { standby } from './core/errors.ts';
import { Fleet } from './core/fleet.ts';
import type { CallReport } from './core/machine.ts';
import { Ownership } from './core/ownership.ts';
import { Register } from './core/register.ts';
import { type Db, openDatabase, type Tx } from './db/open.ts';
import type { BmcDriver } from './drivers/contract.ts';
import { bmcDrivers } from './drivers/registry.ts';
import { buildServer } from './server/app.ts';
import { createMetrics } from './server/metrics.ts';
import { serveOperator } from './server/operator.ts';

/** A daemon that is up. */
export interface RunningObmd {
  readonly url: string;
  /** Where the admin token is kept; null: the operator gave it. */
  readonly adminTokenFile: string | null;
  readonly stop: () => Promise<void>;
}

/** Puts the daemon together and starts it. */
export const startObmd = async (
  config: ObmdConfig,
  log: Logger,
  drivers: Readonly<Record<string, BmcDriver>> = bmcDrivers,
): Promise<RunningObmd> => {
  const db = await openDatabase(config.database);
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
  const vault = await openVault(config.keyFile, (sealed) => db.write((tx) => remember(tx, sealed)));
  const adminToken = config.adminToken ?? readOrMakeAdminToken(config.adminTokenFile);
  const metrics = createMetrics();
  const report = (call: CallReport): void => {
    metrics.callDone(call);
    if (call.error === null) return;
    const { node, type, call: name, seconds, error } = call;
    log.warn({ node, type, call: name, seconds, err: error.cause }, error.message);
  };

  const post: { fleet: Fleet | null } = { fleet: null };
  const register = new Register(db, vault);
  const parts = { register, drivers, limits: config.patience, report };
  const ownership = new Ownership(db, {
    gained: async () => {
      post.fleet = await Fleet.load(parts);
    },
    lost: async () => {
      log.warn('this process no longer holds the database: another one may look after the nodes now');
      const { fleet } = post;
      post.fleet = null;
      await fleet?.close();
    },
    failed: (error) => log.error({ err: error }, 'the nodes could not be taken over; trying again'),
  });
  const server = buildServer({
    adminToken,
    metrics,
    log,
    tls: config.tls,
    fleet: () => {
      if (post.fleet !== null) return post.fleet;
      const { other } = ownership;
      const who = other === null ? 'another process' : `process ${other.pid} on ${other.host}`;
      throw standby(`${who} looks after these nodes; ask it, or wait until it is gone`);
    },
  });
  serveOperator(server, metrics, () => post.fleet);
  await ownership.start();
  if (post.fleet === null) log.warn({ holder: ownership.other }, 'waiting: another process looks after these nodes');
  try {
    await server.listen(config.listen);
  } catch (error) {
    await post.fleet?.close();
    await ownership.stop();
    throw error;
  }
  const unfollow = config.tls
    ? followTls(server.server as unknown as Server, config.tls, (message) => log.info(message))
    : () => undefined;

  return {
    url: urlOf(server.server.address() as AddressInfo, config.tls === null ? 'http' : 'https'),
    adminTokenFile: config.adminToken === null ? config.adminTokenFile : null,
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

const urlOf = ({ address, family, port }: AddressInfo, scheme: string): string =>
  `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

/** Keeps the word by which a wrong key is told; the first one stays. */
const remember = async (tx: Tx, value: string): Promise<string> => {
  const name = 'key_check';
  await tx
    .insertInto('obmd_settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const kept = await tx.selectFrom('obmd_settings').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return kept.value;
};
