import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missingParts } from '../../../../lab/src/installed-parts.ts';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where a PostgreSQL for tests listens, or null: none is installed. */
    readonly postgres: string | null;
    /** A name that no other run has, for what its workers share. */
    readonly run: string;
  }
}

const run = promisify(execFile);
const debianHome = '/usr/lib/postgresql';

/** Before all tests: starts a PostgreSQL of our own, if one is installed, and stops it afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  requireSwitches();
  project.provide('run', `corral_${randomBytes(6).toString('hex')}`);
  const given = process.env['CORRAL_TEST_POSTGRES_URL'];
  const bin = await findPostgres();
  if (given === undefined && bin === null) {
    if (process.env['CORRAL_REQUIRE_PARTS'] === '1') {
      throw new Error('PostgreSQL is missing and CORRAL_REQUIRE_PARTS is set; install it with: npm run parts');
    }
    project.provide('postgres', null);
    return () => Promise.resolve();
  }
  if (given !== undefined || bin === null) {
    project.provide('postgres', given ?? null);
    return () => Promise.resolve();
  }
  const server = await startPostgres(bin);
  project.provide('postgres', server.url);
  return server.stop;
}

/** Where every suite has to run, a switch that cannot is a failure before the first test. */
const requireSwitches = (): void => {
  const missing = missingParts();
  if (missing.length === 0 || process.env['CORRAL_REQUIRE_PARTS'] !== '1') return;
  throw new Error(
    `${missing.join(' and ')} cannot run here and CORRAL_REQUIRE_PARTS is set; install them with: npm run parts, and run as root`,
  );
};

/** Where the programs of the newest PostgreSQL are; null: none is installed. */
export const findPostgres = async (): Promise<string | null> => {
  const versions = await readdir(debianHome).catch(() => []);
  const newest = versions
    .map(Number)
    .filter((version) => version >= 15)
    .sort((a, b) => b - a)[0];
  const bin = join(debianHome, String(newest), 'bin');
  return newest !== undefined && existsSync(join(bin, 'initdb')) ? bin : null;
};

/** PostgreSQL refuses to run as root, so root lends it, and the directory, to the package's own user. */
export const postgresIn = async (
  directory: string,
  bin: string,
): Promise<(name: string, args: readonly string[]) => Promise<unknown>> => {
  if (userInfo().uid !== 0) return (name, args) => run(join(bin, name), [...args], { cwd: directory });
  const { stdout } = await run('id', ['-u', 'postgres']);
  await chown(directory, Number(stdout), -1);
  return (name, args) => run('runuser', ['-u', 'postgres', '--', join(bin, name), ...args], { cwd: directory });
};

const startPostgres = async (bin: string): Promise<{ url: string; stop: () => Promise<void> }> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-postgres-'));
  const command = await postgresIn(directory, bin);
  const port = await freePort();
  const data = join(directory, 'data');
  await command('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
  // Other machines are played by other loopback addresses.
  await appendFile(join(data, 'pg_hba.conf'), 'host all all 127.0.0.0/8 trust\n');
  // Nothing has to outlive a crash, and there are so many databases that autovacuum would never rest.
  const careless = '-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c autovacuum=off';
  const options = `-k ${directory} -p ${port} -c listen_addresses=127.0.0.1 ${careless} -c max_connections=200`;
  await command('pg_ctl', ['-D', data, '-w', '-l', join(directory, 'log'), '-o', options, 'start']);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await command('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** A port of loopback that nobody listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
