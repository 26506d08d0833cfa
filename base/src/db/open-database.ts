import type { Db } from './database.ts';
import type { ProgramTables, Opening } from './program-tables.ts';
import { DatabaseRefused, newestOf, requireNotNewer } from './migrations.ts';
import { openPostgres } from './postgres-engine.ts';
import { versionInPostgres } from './postgres-session.ts';
import { openSqlite, versionInSqlite } from './sqlite-engine.ts';
import { isDamaged } from './sqlite-fault.ts';

/** Where the data is. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly connections: number };

/** Opens the database and brings it up to date. */
export const openDatabase = <Schema, Topic extends string>(
  location: DatabaseLocation,
  tables: ProgramTables<Topic>,
): Promise<Db<Schema, Topic>> => openWith(location, tables, 'up to date');

/** Opens a database that is up to date already, and refuses any other. */
export const openCurrent = async <Schema, Topic extends string>(
  location: DatabaseLocation,
  tables: ProgramTables<Topic>,
): Promise<Db<Schema, Topic>> => {
  await requireCurrent(location, tables);
  return openWith(location, tables, 'as it is');
};

/** Refuses a database whose tables of this program are missing, older or newer than it is. */
export const requireCurrent = async (
  location: DatabaseLocation,
  tables: Pick<ProgramTables<string>, 'history' | 'migrations'>,
): Promise<void> => {
  const version = await versionIn(location, tables);
  if (version === 0) {
    throw new DatabaseRefused(`there is no database yet (${describeLocation(location)}); start the service once first`);
  }
  requireNotNewer(version, tables.migrations);
  const newest = newestOf(tables.migrations);
  if (version === newest) return;
  throw new DatabaseRefused(
    `the database (${describeLocation(location)}) is at version ${version}, this program requires version ${newest}: run corral-admin migrate first`,
  );
};

const openWith = async <Schema, Topic extends string>(
  location: DatabaseLocation,
  tables: ProgramTables<Topic>,
  opening: Opening,
): Promise<Db<Schema, Topic>> => {
  if (location.engine === 'sqlite')
    return openSqlite<Schema, Topic>(location.path, tables, opening).catch((error: unknown) => {
      throw damageOf(error, location.path);
    });
  return openPostgres(location.url, location.connections, tables, opening);
};

/** A file that is no database, or no longer one, is for the operator; anything else is as it was. */
const damageOf = (error: unknown, path: string): unknown =>
  isDamaged(error)
    ? new DatabaseRefused(
        `the database ${path} is damaged (${error instanceof Error ? error.message : String(error)}): move it away with the files ${path}-wal and ${path}-shm, then restore a backup with corral-admin restore`,
        { cause: error },
      )
    : error;

/** The version of a program's tables, which are left as they are; 0: there are none. */
export const versionIn = async (
  location: DatabaseLocation,
  { history }: Pick<ProgramTables<string>, 'history'>,
): Promise<number> => {
  if (location.engine === 'sqlite') {
    try {
      return versionInSqlite(location.path, history);
    } catch (error) {
      throw damageOf(error, location.path);
    }
  }
  return versionInPostgres(location.url, history);
};

/** Where it is, without secrets, for messages: an address can contain a password. */
export const describeLocation = (location: DatabaseLocation): string =>
  location.engine === 'sqlite' ? location.path : 'PostgreSQL';
