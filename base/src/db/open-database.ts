import type { Db } from './database.ts';
import type { ProgramTables, Opening } from './program-tables.ts';
import { DatabaseRefused, newestOf, requireNotNewer } from './migrations.ts';
import { openPostgres } from './postgres-engine.ts';
import { versionInPostgres } from './postgres-session.ts';
import { openSqlite, versionInSqlite } from './sqlite-engine.ts';

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
  if (location.engine === 'sqlite') return openSqlite(location.path, tables, opening);
  return openPostgres(location.url, location.connections, tables, opening);
};

/** The version of a program's tables, which are left as they are; 0: there are none. */
export const versionIn = async (
  location: DatabaseLocation,
  { history }: Pick<ProgramTables<string>, 'history'>,
): Promise<number> => {
  if (location.engine === 'sqlite') return versionInSqlite(location.path, history);
  return versionInPostgres(location.url, history);
};

/** Where it is, without secrets, for messages: an address can contain a password. */
export const describeLocation = (location: DatabaseLocation): string =>
  location.engine === 'sqlite' ? location.path : 'PostgreSQL';
