import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import Libsql from 'libsql';
import { call, createInstallation, type Installation } from '../installation.ts';
import { startPostgres } from '../postgres/postgres-server.ts';
import { patterns, type SiteShape, siteStatements } from './site-seed.ts';

export type Engine = 'sqlite' | 'postgres';

/** A site of one size on one database; nothing runs on it yet. */
export interface MeasuredSite {
  readonly nodes: number;
  readonly installation: Installation;
  /** Of the programs that are started beside the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly obmd: { readonly url: string; readonly adminToken: string };
  /** Processor time of a service and of the database for it so far, in µs. */
  cpuUs(servicePid: number): number;
  databaseBytes(): Promise<number>;
  remove(): Promise<void>;
}

const adminToken = 'bench';

/** No limit of the service stands in the way of a measurement. */
const settingsFor = (obmdPort: number): Record<string, string> => ({
  CORRAL_OBMD: `127.0.0.1:${obmdPort}`,
  CORRAL_OBMD_ADMIN_TOKEN: adminToken,
  CORRAL_OBMD_CALL_GAP: '0',
  CORRAL_LIMITS_RATE: '0',
  CORRAL_LIMITS_DEVICE_CHANGES: '1000000',
  CORRAL_VLANS: '100-2999',
  // Saving is what the engine does on its own time; it would fall into the measurement of some other call.
  CORRAL_ENGINE_SAVE_DELAY: '3600',
});

/** Makes a site: the service makes the tables and the patterns, the rest is written straight into them. */
export const createSite = async (engine: Engine, nodes: number, shape?: SiteShape): Promise<MeasuredSite> => {
  const server = engine === 'postgres' ? await startPostgres() : null;
  const obmdPort = await freePort();
  const env = { ...settingsFor(obmdPort), ...(server ? { CORRAL_DATABASE_URL: server.url } : {}) };
  const installation = await createInstallation(env);
  const remove = async (): Promise<void> => {
    await installation.remove();
    await server?.stop();
  };
  try {
    const service = await installation.start();
    try {
      await registerPatterns(service.url);
    } finally {
      await service.stop();
    }
    const statements = siteStatements(nodes, shape);
    if (server) await server.tool('psql', ['-v', 'ON_ERROR_STOP=1', '-qc', `${statements.join(';\n')}; analyze`]);
    else seedSqlite(installation.database, statements);
    if (server) await server.tool('psql', ['-qc', 'checkpoint']);
    return {
      nodes,
      installation,
      env: { ...env, CORRAL_DATA_DIR: installation.dataDir },
      obmd: { url: `http://127.0.0.1:${obmdPort}`, adminToken },
      cpuUs: (pid) => threadsUs(pid) + (server ? backendsUs(server.directory) : 0),
      databaseBytes: async () =>
        server
          ? Number((await server.tool('psql', ['-Atc', 'select pg_database_size(current_database())'])).trim())
          : statSync(installation.database).size,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
};

const registerPatterns = async (url: string): Promise<void> => {
  const fields = { type: 'mock', hostname: 'pattern', username: 'bench', password: 'bench' };
  await call(url, 'PUT', `/switch/${patterns.switch}`, fields);
  await call(url, 'PUT', `/node/${patterns.node}`, { obmd: { uri: 'http://127.0.0.1:9/', admin_token: 'bench' } });
};

const seedSqlite = (file: string, statements: readonly string[]): void => {
  const db = new Libsql(file);
  db.exec('begin');
  for (const statement of statements) db.exec(statement);
  db.exec('commit');
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
};

/** What the scheduler has counted for all threads of a process, in nanoseconds there. */
const threadsUs = (pid: number): number =>
  namesIn(`/proc/${pid}/task`).reduce((sum, thread) => sum + runUs(`/proc/${pid}/task/${thread}/schedstat`), 0);

/** The same of PostgreSQL's processes for clients: not of those that tidy up in their own time. */
const backendsUs = (directory: string): number => {
  const [postmaster = ''] = readFileSync(`${directory}/data/postmaster.pid`, 'utf8').split('\n');
  const children = textOf(`/proc/${postmaster}/task/${postmaster}/children`).trim().split(' ');
  return children
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes('127.0.0.1'))
    .reduce((sum, pid) => sum + runUs(`/proc/${pid}/schedstat`), 0);
};

const runUs = (file: string): number => Number(textOf(file).split(' ')[0] ?? 0) / 1000;

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

/** Nothing if the process or thread has just ended. */
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
