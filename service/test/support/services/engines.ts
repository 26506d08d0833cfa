import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { dataDirectory } from './data-directory.ts';

export type EngineName = 'sqlite' | 'postgres';

/** The engines that every behaviour is tried on. */
export const engines: readonly EngineName[] = inject('postgres') === null ? ['sqlite'] : ['sqlite', 'postgres'];

/** Makes an empty PostgreSQL database; the whole server goes when the tests are over. */
export const freshPostgres = (): Promise<string> =>
  onServer(async (client, urlOf) => {
    const name = freshName();
    await client.query(`create database ${name}`);
    return urlOf(name);
  });

/**
 * A PostgreSQL database with a program's tables and nothing in them. `migrate` makes them once in a run; then they are
 * copied, which takes the server a fourth of the work.
 */
export const migratedPostgres = (
  program: 'corral' | 'obmd',
  migrate: (location: { engine: 'postgres'; url: string; connections: number }) => Promise<{ close(): Promise<void> }>,
): Promise<string> =>
  onServer(async (client, urlOf) => {
    const template = `${inject('run')}_${program}`;
    const isThere = async (): Promise<boolean> =>
      (await client.query('select from pg_database where datname = $1', [template])).rowCount === 1;
    if (!(await isThere())) {
      // Other workers may be about to make it too.
      await client.query('select pg_advisory_lock(hashtext($1))', [template]);
      if (!(await isThere())) {
        const unfinished = freshName();
        await client.query(`create database ${unfinished}`);
        await (await migrate({ engine: 'postgres', url: urlOf(unfinished), connections: 1 })).close();
        await client.query(`alter database ${unfinished} rename to ${template}`);
      }
      await client.query('select pg_advisory_unlock(hashtext($1))', [template]);
    }
    const name = freshName();
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    return urlOf(name);
  });

/**
 * Puts a SQLite file with a program's tables and nothing in them to a path. `migrate` makes them once in a process; then
 * the file is copied.
 */
export const migratedSqlite = async (
  path: string,
  migrate: (location: { engine: 'sqlite'; path: string }) => Promise<{ close(): Promise<void> }>,
): Promise<void> => {
  template ??= (async () => {
    const directory = await dataDirectory('corral-template-');
    const file = join(directory, 'template.db');
    await (await migrate({ engine: 'sqlite', path: file })).close();
    const content = await readFile(file);
    await rm(directory, { recursive: true, force: true });
    return content;
  })();
  await writeFile(path, await template, { mode: 0o600 });
};
let template: Promise<Buffer> | undefined;

const freshName = (): string => `corral_${randomBytes(6).toString('hex')}`;

const onServer = async <T>(
  work: (client: pg.Client, urlOf: (database: string) => string) => Promise<T>,
): Promise<T> => {
  const server = inject('postgres');
  if (server === null) throw new Error('there is no PostgreSQL here');
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client, (database) => server.replace(/\/[^/]*$/, `/${database}`));
  } finally {
    await client.end();
  }
};
