import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory } from '../services/data-directory.ts';
import { freshPostgres } from '../services/engines.ts';
import { basic, type Client, clientOf } from '../http/http-client.ts';
import { runSql } from '../services/run-sql.ts';
import { adminPassword } from '../services/service.ts';
import { type Program, startProgram } from '../services/service-program.ts';
import { done } from '../services/world.ts';
import { freePort } from '../vitest/parts.ts';

type Env = Readonly<Record<string, string>>;

/** A machine of its own: with an address, a data directory and a copy of the key file. */
export interface PowerMachine {
  readonly env: Env;
  readonly keyFile: string;
  /** Where its daemon is for the others. */
  readonly daemonUrl: string;
  /** Its process; only while it runs. */
  readonly program: () => Program;
  readonly admin: () => Client;
  /** Is it this machine that has the BMCs? */
  hasBmcs(): Promise<boolean>;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Machines that share a PostgreSQL. Each is played by a loopback address. */
export interface PowerMachines {
  readonly first: PowerMachine;
  readonly second: PowerMachine;
  /** The settings of one more, without a daemon. */
  readonly plain: Env;
  sql(statement: string): Promise<Record<string, unknown>[]>;
  /** Has all machines get the key file of the first. */
  copyKey(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes two machines; the first runs and has the BMCs, the second is a standby. */
export const startPowerMachines = async (env: Env = {}): Promise<PowerMachines> => {
  const directory = await dataDirectory('corral-machines-');
  const shared = {
    CORRAL_PORT: '0',
    CORRAL_DATABASE_URL: await freshPostgres(),
    CORRAL_ADMIN_PASSWORD: adminPassword,
    CORRAL_OBMD_CALL_GAP: '0',
    ...env,
  };
  const keyFileOf = (name: string): string => join(directory, name, 'secret.key');
  const placeOf = async (name: string): Promise<Env> => {
    await mkdir(join(directory, name), { mode: 0o700 });
    return { ...shared, CORRAL_DATA_DIR: join(directory, name), CORRAL_KEY_FILE: keyFileOf(name) };
  };
  const machineOf = async (name: string, address: string): Promise<PowerMachine> => {
    const listen = `${address}:${await freePort()}`;
    const daemonUrl = `http://${listen}`;
    const settings = { ...(await placeOf(name)), CORRAL_OBMD: listen, CORRAL_OBMD_URL: daemonUrl };
    let running: Program | null = null;
    const program = (): Program => {
      if (running === null) throw new Error(`machine ${name} does not run`);
      return running;
    };
    const admin = (): Client => clientOf(program().url, basic('admin', adminPassword));
    return {
      env: settings,
      keyFile: keyFileOf(name),
      daemonUrl,
      program,
      admin,
      hasBmcs: async () => (await fetch(`${daemonUrl}/readyz`)).status === 200,
      start: async () => {
        running = await startProgram(settings);
        await done(admin().get('/projects'));
      },
      kill: async () => {
        await running?.kill('SIGKILL');
        running = null;
      },
    };
  };
  const machines = [await machineOf('one', '127.0.0.2'), await machineOf('two', '127.0.0.3')] as const;
  const [first, second] = machines;
  const plain = await placeOf('three');
  const stop = async (): Promise<void> => {
    for (const machine of machines) await machine.kill();
    await rm(directory, { recursive: true, force: true });
  };
  const copyKey = async (): Promise<void> => {
    for (const name of ['two', 'three']) await copyFile(first.keyFile, keyFileOf(name));
  };
  try {
    await first.start();
    await copyKey();
    await second.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    first,
    second,
    plain,
    sql: async (statement) =>
      (await runSql({ env: shared, dataDir: directory }, { sqlite: statement, postgres: statement })) as Record<
        string,
        unknown
      >[],
    copyKey,
    stop,
  };
};
