import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, freePort, postgresIn } from '../vitest/parts.ts';

/** A PostgreSQL of a test's own that stores what it acknowledges, and can be stopped under load. */
export interface RestartablePostgres {
  readonly url: string;
  readonly start: () => Promise<void>;
  /** `immediate` is a crash: the next start recovers from the log. `fast` ends the sessions in order. */
  readonly stop: (mode: 'immediate' | 'fast') => Promise<void>;
  readonly remove: () => Promise<void>;
}

export const startRestartablePostgres = async (): Promise<RestartablePostgres> => {
  const bin = await findPostgres();
  if (bin === null) throw new Error('PostgreSQL is not installed');
  const directory = await mkdtemp(join(tmpdir(), 'corral-restartable-'));
  const command = await postgresIn(directory, bin);
  const port = await freePort();
  const data = join(directory, 'data');
  let isRunning = false;
  const start = async (): Promise<void> => {
    const options = `-k ${directory} -p ${port} -c listen_addresses=127.0.0.1 -c max_connections=60`;
    await command('pg_ctl', ['-D', data, '-w', '-l', join(directory, 'log'), '-o', options, 'start']);
    isRunning = true;
  };
  const stop = async (mode: 'immediate' | 'fast'): Promise<void> => {
    isRunning = false;
    await command('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop']);
  };
  await command('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    remove: async () => {
      if (isRunning) await stop('immediate');
      await rm(directory, { recursive: true, force: true });
    },
  };
};
