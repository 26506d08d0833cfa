import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type EngineName = 'sqlite' | 'postgres';

/** The engines that every behaviour is tried on. */
export const engines: readonly EngineName[] = inject('postgres') === null ? ['sqlite'] : ['sqlite', 'postgres'];

/** Makes an empty PostgreSQL database; the whole server goes when the tests are over. */
export const freshPostgres = async (): Promise<string> => {
  const server = inject('postgres');
  if (server === null) throw new Error('there is no PostgreSQL here');
  const name = `corral_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return server.replace(/\/[^/]*$/, `/${name}`);
};
