import { rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { labCertificate } from '@corral/lab';
import { loadConfig } from '@corral/obmd/config/load-obmd-config';
import { openDatabase } from '@corral/obmd/db/open-obmd-database';
import { startObmd } from '@corral/obmd/start';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { dataDirectory } from '../services/data-directory.ts';
import { type EngineName, migratedPostgres } from '../services/engines.ts';
import { basic } from '../http/http-client.ts';
import { type Service, startService } from '../services/service.ts';

type Env = Readonly<Record<string, string>>;

const adminToken = 'e1b7-obmd-admin-token';

/** Where the real OBM daemon is: inside the service's process, or a server of its own. */
export type DaemonLocation = 'inside' | 'beside';

/** A service with a real OBM daemon. */
export interface ServiceWithDaemon {
  readonly service: Service;
  readonly daemonUrl: string;
  readonly adminToken: string;
  /** All that either of them logged. */
  log(): string;
  /** Makes a BMC known to the daemon, and the node with it to the service. */
  addNode(node: string, type: string, info: Readonly<Record<string, unknown>>): Promise<void>;
  stopDaemon(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both; what the daemon is told goes by the names of its own settings. */
export const startServiceWithDaemon = async (
  engine: EngineName,
  place: DaemonLocation,
  env: Env = {},
): Promise<ServiceWithDaemon> => {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const listens = { CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBMD_ADMIN_TOKEN: adminToken };
    const beside = place === 'beside' ? await startBeside(engine, { ...listens, ...daemonPart(env) }) : null;
    if (beside) undo.push(() => beside.stop());
    const service = await startService(engine, beside ? servicePart(env) : { ...listens, ...env });
    undo.push(() => rm(service.dataDir, { recursive: true, force: true }));
    undo.push(() => service.stop());
    const daemonUrl = beside?.url ?? service.obmdUrl ?? '';
    return {
      service,
      daemonUrl,
      adminToken,
      log: () => [...service.log, ...(beside?.log ?? [])].join(''),
      addNode: async (node, type, info) => {
        const uri = `${daemonUrl}/node/${node}`;
        await put(uri, basic('admin', adminToken), { type, info });
        await put(`${service.url}/v0/node/${node}`, service.admin.headers['authorization'] ?? '', {
          obmd: { uri, admin_token: adminToken },
        });
      },
      stopDaemon: async () => beside?.stop(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

const put = async (url: string, authorization: string, body: unknown): Promise<void> => {
  const dispatcher = new Agent({ connect: { ca: labCertificate } });
  const sent = { method: 'PUT', headers: { authorization }, body: JSON.stringify(body), dispatcher } as const;
  const answer = await request(url, sent);
  expect(answer.statusCode, await answer.body.text()).toBe(200);
  await dispatcher.close();
};

const isOfDaemon = (name: string): boolean => name.startsWith('CORRAL_OBMD');
const part = (env: Env, isIn: (name: string) => boolean): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isIn(name)));
const daemonPart = (env: Env): Env => part(env, isOfDaemon);
const servicePart = (env: Env): Env => part(env, (name) => !isOfDaemon(name));

interface Beside {
  readonly url: string;
  readonly log: readonly string[];
  stop(): Promise<void>;
}

const startBeside = async (engine: EngineName, env: Env): Promise<Beside> => {
  const dataDir = await dataDirectory('corral-obmd-');
  const log: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(chunk.toString());
      done();
    },
  });
  const database: Env =
    engine === 'postgres' ? { CORRAL_DATABASE_URL: await migratedPostgres('obmd', openDatabase) } : {};
  const begin = async () =>
    startObmd(loadConfig({ CORRAL_DATA_DIR: dataDir, ...database, ...env }), pino({ level: 'debug' }, sink));
  const daemon = await begin().catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  let stopped: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    await daemon.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: daemon.url, log, stop: () => (stopped ??= end()) };
};
