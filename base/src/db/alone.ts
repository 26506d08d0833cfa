import type { Access } from './access.ts';
import { inUse } from './migrate.ts';
import type { Holdings } from './holdings.ts';
import { type DatabaseLocation, placeOf } from './open.ts';
import { isAloneWithPostgres } from './postgres.ts';
import { holdSqlite } from './sqlite.ts';
import type { Table } from './tables.ts';

/**
 * Refuses while one of these programs uses the database. Nobody else can open a file from then on until this process
 * ends; on PostgreSQL that is for `lockTables`.
 */
export const requireAloneWith = async (
  location: DatabaseLocation,
  programs: readonly Pick<Holdings<string>, 'name'>[],
): Promise<void> => {
  if (location.engine === 'sqlite') {
    holdSqlite(location.path);
    return;
  }
  const names = programs.map(({ name }) => name);
  if (!(await isAloneWithPostgres(location.url, names))) throw inUse(placeOf(location));
};

/** Shorter than a session may idle in a transaction: one of this very process may be what is waited for. */
const longestWaitMs = 10_000;

/**
 * Has tables of a PostgreSQL to itself until the transaction ends, however long its statements take: others cannot write
 * to them (`share`), or not even read (`access exclusive`). False: somebody else does not let go of them.
 */
export const lockTables = async (
  { all }: Access,
  tables: readonly Table[],
  mode: 'share' | 'access exclusive',
): Promise<boolean> => {
  await all('set local statement_timeout = 0');
  await all(`set local lock_timeout = ${longestWaitMs}`);
  try {
    await all(`lock table ${tables.map(({ name }) => `"${name}"`).join(', ')} in ${mode} mode`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') return false;
    throw error;
  }
};
