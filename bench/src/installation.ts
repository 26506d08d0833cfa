import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Libsql from 'libsql';
import { type Measured, startProgram } from './process.ts';
import { median } from './statistics.ts';

export const password = 'bench';
export const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
const program = fileURLToPath(new URL('../../service/dist/corral-service.js', import.meta.url));

/** Where files are kept in memory, if anywhere. */
const inMemory = '/dev/shm';

/** An installation of its own, removed afterwards. */
export interface Installation {
  readonly dataDir: string;
  readonly database: string;
  /** `preload`: a module that is loaded into the service, and talks to its parent. */
  start(options?: { readonly preload: URL }): Promise<Measured>;
  /** On a disk that takes so long for a flush. */
  startOnSlowDisk(flushMs: number): Promise<Measured>;
  /** Tells a simulated switch what to do wrong. */
  misbehave(label: string, faults: object): Promise<void>;
  /** How often a simulated switch dropped the line by chance. */
  drops(label: string): Promise<number>;
  remove(): Promise<void>;
}

export const createInstallation = async (env: Record<string, string> = {}): Promise<Installation> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-bench-'));
  // A simulated switch is two small files. On a disk, replacing one takes milliseconds, which no faults ask for.
  const switches = existsSync(inMemory) ? await mkdtemp(join(inMemory, 'corral-bench-switches-')) : null;
  if (switches !== null) await symlink(switches, join(dataDir, 'simulated-switches'));
  const settings = {
    CORRAL_DATA_DIR: dataDir,
    CORRAL_PORT: '0',
    CORRAL_ADMIN_PASSWORD: password,
    CORRAL_LOG_LEVEL: 'warn',
    // The comparators do not look at switches either.
    CORRAL_ENGINE_SWEEP: '0',
    CORRAL_HYPERVISOR: 'mock',
    ...env,
  };
  return {
    dataDir,
    database: join(dataDir, 'corral.db'),
    start: (options) =>
      options
        ? startProgram(['--import', options.preload.href, program], settings, 'ipc')
        : startProgram([program], settings),
    startOnSlowDisk: (flushMs) => startProgram([program], settings, 'ignore', slowDisk(flushMs)),
    misbehave: async (label, faults) => {
      const place = join(dataDir, 'simulated-switches', label);
      await mkdir(place, { recursive: true });
      await writeFile(join(place, 'faults.json'), JSON.stringify(faults));
    },
    drops: async (label) => {
      const file = join(dataDir, 'simulated-switches', label, 'drops.json');
      return existsSync(file) ? Number(await readFile(file, 'utf8')) : 0;
    },
    remove: async () => {
      for (const place of switches === null ? [dataDir] : [dataDir, switches]) {
        await rm(place, { recursive: true, force: true });
      }
    },
  };
};

/** Every flush of the process and its threads begins so much later. strace stays out of all other calls. */
export const slowDisk = (flushMs: number): readonly string[] => [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', 'trace=fdatasync,fsync'],
  ...['-e', `inject=fdatasync,fsync:delay_enter=${flushMs * 1000}`],
];

const nodesPerSwitch = 24;

/** Free nodes with two nics each, written straight into the tables of a stopped service. */
export const seedNodes = (installation: Installation, count: number): void => {
  const db = new Libsql(installation.database);
  db.exec('begin');
  const newSwitch = db.prepare(`insert into switches (label, type, config) values (?, 'mock', '')`);
  const port = db.prepare('insert into ports (switch_id, label) values (?, ?)');
  let switchId: number | bigint = 0;
  const node = db.prepare(
    `insert into nodes (label, metadata, obm_uri, obm_admin_token) values (?, '{"rack":"r1"}', 'http://127.0.0.1:9/', '')`,
  );
  const nic = db.prepare('insert into nics (node_id, label, macaddr, port_id) values (?, ?, ?, ?)');
  for (let index = 0; index < count; index += 1) {
    if (index % nodesPerSwitch === 0) switchId = newSwitch.run([`seed-${index}`]).lastInsertRowid;
    const { lastInsertRowid: nodeId } = node.run([nodeLabel(index)]);
    for (const label of ['eth0', 'eth1']) {
      const { lastInsertRowid: portId } = port.run([switchId, `${nodeLabel(index)}/${label}`]);
      nic.run([nodeId, label, '52:54:00:00:00:01', portId]);
    }
  }
  db.exec('commit');
  db.close();
};

export const nodeLabel = (index: number): string => `node-${String(index).padStart(6, '0')}`;

/** Connections are kept: what is measured is the service, and it shares the processors with its callers. */
const agent = new Agent({ keepAlive: true });

/** Makes a call as administrator; any refusal ends the run. Not by `fetch`, which takes as long as many of our answers. */
export const call = (url: string, method: string, path: string, body?: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/v0${path}`, { agent, method, headers: { authorization } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject).once('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode < 200 || statusCode > 299) reject(new Error(`${method} ${path}: ${statusCode} ${text}`));
        else resolve(text === '' ? null : JSON.parse(text));
      });
    });
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

/** Runs work on an installation with so many nodes; whatever happens, nothing is left behind. */
export const withNodes = async <T>(
  nodes: number,
  work: (installation: Installation, service: Measured) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> => {
  const installation = await createInstallation(env);
  let service = await installation.start();
  try {
    await service.stop();
    seedNodes(installation, nodes);
    service = await installation.start();
    return await work(installation, service);
  } finally {
    await service.stop();
    await installation.remove();
  }
};

const starts = 5;

/** How long a service takes until it is ready, and what it holds then. */
export const startsOf = async (
  installation: Pick<Installation, 'start'>,
): Promise<{ readonly readyMs: number; readonly memoryMb: number }> => {
  const readyMs: number[] = [];
  const memoryMb: number[] = [];
  for (let count = 0; count < starts; count += 1) {
    const service = await installation.start();
    readyMs.push(service.readyMs);
    memoryMb.push(service.memory());
    await service.stop();
  }
  return { readyMs: median(readyMs), memoryMb: median(memoryMb) };
};
