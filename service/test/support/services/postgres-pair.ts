import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, freePort, postgresIn } from '../vitest/parts.ts';

/** A PostgreSQL with a hot standby that follows it. */
export interface PostgresPair {
  readonly primary: number;
  readonly standby: number;
  /** Makes the standby as a copy of the primary, and starts it. */
  readonly follow: () => Promise<void>;
  /** The standby takes changes from now on. */
  readonly promote: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export const startPostgresPair = async (): Promise<PostgresPair> => {
  const bin = await findPostgres();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  const directory = await mkdtemp(join(tmpdir(), 'corral-pair-'));
  const command = await postgresIn(directory, bin);
  const [primary, standby] = [await freePort(), await freePort()];
  const running = new Set<string>();
  const data = (name: string): string => join(directory, name);
  const start = async (name: string, port: number): Promise<void> => {
    const options = `-k ${directory} -p ${port} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=50`;
    await command('pg_ctl', ['-D', data(name), '-w', '-l', data(`${name}.log`), '-o', options, 'start']);
    running.add(name);
  };
  await command('initdb', ['-D', data('primary'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  await start('primary', primary);
  return {
    primary,
    standby,
    follow: async () => {
      const from = ['-h', '127.0.0.1', '-p', String(primary), '-U', 'postgres'];
      await command('pg_basebackup', [...from, '-D', data('standby'), '-R', '-c', 'fast', '--no-sync']);
      await start('standby', standby);
    },
    promote: async () => {
      await command('pg_ctl', ['-D', data('standby'), '-w', 'promote']);
    },
    stop: async () => {
      for (const name of running) await command('pg_ctl', ['-D', data(name), '-w', '-m', 'immediate', 'stop']);
      await rm(directory, { recursive: true, force: true });
    },
  };
};
