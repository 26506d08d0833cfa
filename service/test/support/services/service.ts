import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { logHooks } from '@corral/base/log-hooks';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Config } from '../../../src/config/service-config.ts';
import { loadConfig } from '../../../src/config/load-service-config.ts';
import { openDatabase } from '../../../src/db/open-service-database.ts';
import { SimulatedSwitch } from '../../../src/drivers/switches/simulated-switch.ts';
import { start } from '../../../src/start.ts';
import { dataDirectory } from './data-directory.ts';
import { type EngineName, migratedPostgres, migratedSqlite } from './engines.ts';
import { basic, type Client, clientOf } from '../http/http-client.ts';

export const adminPassword = 'correct horse battery staple';

/** A service that listens on a port of its own, with everything real but the machines. */
export interface Service {
  readonly url: string;
  /** Where the OBM daemon inside it listens, if it has one. */
  readonly obmdUrl: string | null;
  readonly admin: Client;
  readonly anonymous: Client;
  /** Everything it logged. */
  readonly log: readonly string[];
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  as(name: string, password?: string): Client;
  /** The simulated switch behind a registered one of type mock. */
  simulated(label: string): SimulatedSwitch;
  readonly stop: () => Promise<void>;
  /** The same installation again, in a new place on the same data. */
  restart(env?: Readonly<Record<string, string>>): Promise<Service>;
}

/** Settings that make tests quick; each test may say otherwise. */
const impatient = {
  CORRAL_HOST: '127.0.0.1',
  CORRAL_PORT: '0',
  CORRAL_ADMIN_PASSWORD: adminPassword,
  CORRAL_ENGINE_LEASE: '1',
  CORRAL_ENGINE_POLL: '0.5',
  CORRAL_ENGINE_BUDGET: '1.5',
  CORRAL_ENGINE_DEVICE_TIMEOUT: '0.5',
  CORRAL_ENGINE_SWEEP: '0',
  CORRAL_ENGINE_SAVE_DELAY: '0.1',
  CORRAL_ENGINE_SESSION_IDLE: '0.3',
  CORRAL_OBM_TIMEOUT: '1',
  CORRAL_HYPERVISOR: 'mock',
};

/** Starts a service on an empty database. The caller stops it. `changes` are what no setting can say. */
export const startService = async (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
  changes: Partial<Config> = {},
): Promise<Service> => {
  const dataDir = await dataDirectory('corral-test-');
  const database: Record<string, string> =
    engine === 'postgres' ? { CORRAL_DATABASE_URL: await migratedPostgres('corral', openDatabase) } : {};
  if (engine === 'sqlite') await migratedSqlite(join(dataDir, 'corral.db'), openDatabase);
  return startWith({ ...impatient, CORRAL_DATA_DIR: dataDir, ...database, ...env }, changes);
};

/** The same, stopped and removed when the test is over. */
export const serviceForTest = async (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
  changes: Partial<Config> = {},
): Promise<Service> => {
  const service = await startService(engine, env, changes);
  onTestFinished(async () => {
    await service.stop();
    await rm(service.dataDir, { recursive: true, force: true });
  });
  return service;
};

/** A service with these settings and no others. The caller stops it. */
export const startWith = async (
  env: Readonly<Record<string, string>>,
  changes: Partial<Config> = {},
): Promise<Service> => {
  const log: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString());
      done();
    },
  });
  const config = { ...loadConfig(env), ...changes };
  const running = await start(config, pino({ level: 'debug', hooks: logHooks() }, sink));
  let stopped: Promise<void> | null = null;
  return {
    url: running.url,
    obmdUrl: running.obmd?.url ?? null,
    admin: clientOf(running.url, basic('admin', adminPassword)),
    anonymous: clientOf(running.url),
    log,
    dataDir: config.dataDir,
    env,
    as: (name, password = passwordOf(name)) => clientOf(running.url, basic(name, password)),
    simulated: (label) => new SimulatedSwitch(join(config.dataDir, 'simulated-switches'), label),
    stop: () => (stopped ??= running.stop()),
    restart: (settings = {}) => startWith({ ...env, ...settings }, changes),
  };
};

/** The password that `makeUser` gives to a user. */
export const passwordOf = (name: string): string => `password of ${name}`;
