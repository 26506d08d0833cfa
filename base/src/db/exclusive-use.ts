import { rmSync } from 'node:fs';
import type { TableAccess } from './table-access.ts';
import { inUse } from './migrations.ts';
import type { ProgramTables } from './program-tables.ts';
import { type DatabaseLocation, describeLocation } from './open-database.ts';
import { isOnlyPostgresClient } from './postgres-session.ts';
import { holdSqlite, isHeld, releaseSqlite } from './sqlite-engine.ts';
import type { Table } from './table-columns.ts';

/**
 * Refuses while one of these programs uses the database. Nobody else can open a file from then on until this process
 * ends; on PostgreSQL that is for `lockTables`.
 */
export const requireExclusiveUse = async (
  location: DatabaseLocation,
  programs: readonly Pick<ProgramTables<string>, 'name'>[],
): Promise<void> => {
  if (location.engine === 'sqlite') {
    holdSqlite(location.path);
    return;
  }
  const names = programs.map(({ name }) => name);
  if (!(await isOnlyPostgresClient(location.url, names))) throw inUse(describeLocation(location));
};

/** Removes an embedded database that this process has to itself; one that it has not is somebody else's. */
export const removeSqlite = (path: string): void => {
  if (!isHeld(path)) return;
  // While nobody else can open it.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  releaseSqlite(path);
};

/** Shorter than a session may idle in a transaction: one of this very process may be what is waited for. */
const longestWaitMs = 10_000;

/**
 * Has tables of a PostgreSQL to itself until the transaction ends, however long its statements take: others cannot write
 * to them (`share`), or not even read (`access exclusive`). False: somebody else does not let go of them.
 */
export const lockTables = async (
  { all }: TableAccess,
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
