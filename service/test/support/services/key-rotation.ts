import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyRing, parseKeyRing } from '@corral/base/secrets/key-ring';
import type { RotationStep } from '@corral/base/secrets/rotate-key';
import Libsql from 'libsql';
import pg from 'pg';
import { expect } from 'vitest';
import { programFile } from '../../../../test/support/built-program.ts';
import { type Admin, runAdminSuccessfully, watched } from './run-admin.ts';
import type { EngineName } from './engines.ts';
import { type ServiceWithDaemon, startServiceWithDaemon } from '../obm/service-with-daemon.ts';
import { patient } from './obm-rack.ts';
import type { Service } from './service.ts';
import { done, makeNode, makeProject, makeSwitch, reserve } from './world.ts';

type Env = Readonly<Record<string, string>>;

/** Rotates the key, and expects it to be done. */
export const rotated = (env: Env, ...args: readonly string[]): Promise<string> =>
  runAdminSuccessfully(env, 'rotate-key', ...args);

/** The rotation as a process that does something of its own at a step. */
const startStepping = (env: Env, step: RotationStep, what: 'die' | 'hold', argument: string): Admin => {
  const args = [programFile('stepping-rotation'), step, what, argument];
  return watched(spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...env } }));
};

/** A rotation that kills itself, as by `kill -9`, when it comes to a step for the nth time. */
export const rotateAndDie = async (env: Env, step: RotationStep, times = 1): Promise<void> => {
  const { ended, output } = startStepping(env, step, 'die', String(times));
  expect(await ended, output()).toBe('SIGKILL');
};

/** A rotation that says when it comes to a step, and stands still there until a file appears. */
export const rotateHeldAt = (env: Env, step: RotationStep, file: string): Admin =>
  startStepping(env, step, 'hold', file);

export const keyFileOf = (service: Service): string => join(service.dataDir, 'secret.key');
export const ringOf = (service: Service): KeyRing => parseKeyRing(readFileSync(keyFileOf(service), 'utf8'));

/** A value in a database that looks sealed. */
export interface Found {
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

/** Every sealed value in the databases of an installation, whatever table it is in. */
export const sealedValues = async ({ env, dataDir }: Service): Promise<Found[]> => {
  const url = env['CORRAL_DATABASE_URL'];
  if (url !== undefined) return sealedInPostgres(url);
  const files = ['corral.db', 'obmd.db'].map((name) => join(dataDir, name)).filter((file) => existsSync(file));
  return files.flatMap(sealedInSqlite);
};

type Row = Readonly<Record<string, unknown>>;

const sealedIn = (table: string, rows: readonly Row[]): Found[] =>
  rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) =>
      typeof value === 'string' && /^v\d+:/.test(value) ? [{ table, column, value }] : [],
    ),
  );

const sealedInSqlite = (file: string): Found[] => {
  const database = new Libsql(file);
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
    return tables.flatMap(({ name }) => sealedIn(name, database.prepare(`select * from "${name}"`).all() as Row[]));
  } finally {
    database.close();
  }
};

const sealedInPostgres = async (url: string): Promise<Found[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    const found: Found[] = [];
    for (const { name } of rows)
      found.push(...sealedIn(name, (await client.query<Row>(`select * from "${name}"`)).rows));
    return found;
  } finally {
    await client.end();
  }
};

/** A service with the daemon inside it, and something sealed in every column that takes it. */
export const sealedHousehold = async (engine: EngineName): Promise<ServiceWithDaemon> => {
  const household = await startServiceWithDaemon(engine, 'inside', patient);
  const { service } = household;
  await makeProject(service, 'red');
  await makeNode(service, 'plain', ['eth0']);
  await makeSwitch(service, 'sw1');
  await household.addNode('n1', 'mock', { addr: 'mock://rotation' });
  await reserve(service, 'red', 'n1');
  await done(service.admin.put('/node/n1/obm', { enabled: true }));
  await done(service.admin.get('/node/n1/power_status'));
  await done(service.admin.put('/subscription/hook', { url: 'http://127.0.0.1:9/hook' }));
  await done(service.admin.post('/subscription/hook/rotate_secret'));
  return household;
};
