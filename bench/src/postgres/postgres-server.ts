import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processorMs } from '../process.ts';

const run = promisify(execFile);
const home = '/usr/lib/postgresql';

/** A PostgreSQL of the benchmark's own, as it comes: commits are flushed. */
export interface PostgresServer {
  readonly url: string;
  /** Its own, which goes with it. */
  readonly directory: string;
  /** Runs one of PostgreSQL's programs on the database, and gives what it printed. */
  tool(name: 'psql' | 'pgbench', args: readonly string[]): Promise<string>;
  /** Processor time of all its processes so far, in ms. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** `memory`: its files are in memory, so that what is measured is not the disk. */
export const startPostgres = async (files: 'disk' | 'memory' = 'disk'): Promise<PostgresServer> => {
  const bin = newestBin();
  const place = files === 'memory' && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const directory = mkdtempSync(join(place, 'corral-bench-postgres-'));
  // PostgreSQL refuses to run as root, so root lends it to the user of the package.
  const isRoot = userInfo().uid === 0;
  if (isRoot) chownSync(directory, Number((await run('id', ['-u', 'postgres'])).stdout), -1);
  const program = async (name: string, args: readonly string[]): Promise<string> => {
    const command = [join(bin, name), ...args];
    const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    return (await run(file, rest, { cwd: directory, maxBuffer: 2 ** 26 })).stdout;
  };
  const data = join(directory, 'data');
  const port = await freePort();
  await program('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  const options = `-k ${directory} -p ${port} -c listen_addresses=127.0.0.1 -c max_connections=200`;
  await program('pg_ctl', ['-D', data, '-w', '-l', join(directory, 'log'), '-o', options, 'start']);
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    directory,
    tool: (name, args) => program(name, ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', ...args]),
    cpuMs: () => processorMs(Number(pid)),
    stop: async () => {
      await program('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const newestBin = (): string => {
  const versions = existsSync(home) ? readdirSync(home).map(Number) : [];
  const bins = versions.sort((a, b) => b - a).map((version) => join(home, String(version), 'bin'));
  const bin = bins.find((candidate) => existsSync(join(candidate, 'pgbench')));
  if (bin === undefined) throw new Error('no PostgreSQL with pgbench is installed; install it with: npm run parts');
  return bin;
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
