import type { Db } from './db.ts';
import type { Holdings, Opening } from './holdings.ts';
import { DatabaseRefused, newestOf, requireNotNewer } from './migrate.ts';
import { openPostgres, versionInPostgres } from './postgres.ts';
import { openSqlite, versionInSqlite } from './sqlite.ts';

/** Where the data is. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly connections: number };

/** Opens the database and brings it up to date. */
export const openDatabase = <Schema, Topic extends string>(
  location: DatabaseLocation,
  holdings: Holdings<Topic>,
): Promise<Db<Schema, Topic>> => openWith(location, holdings, 'up to date');

/** Opens a database that is up to date already, and refuses any other. */
export const openCurrent = async <Schema, Topic extends string>(
  location: DatabaseLocation,
  holdings: Holdings<Topic>,
): Promise<Db<Schema, Topic>> => {
  await requireCurrent(location, holdings);
  return openWith(location, holdings, 'as it is');
};

/** Refuses a database whose tables of this program are missing, older or newer than it is. */
export const requireCurrent = async (
  location: DatabaseLocation,
  holdings: Pick<Holdings<string>, 'history' | 'migrations'>,
): Promise<void> => {
  const version = await versionIn(location, holdings);
  if (version === 0) {
    throw new DatabaseRefused(`there is no database yet (${placeOf(location)}); start the service once first`);
  }
  requireNotNewer(version, holdings.migrations);
  const newest = newestOf(holdings.migrations);
  if (version === newest) return;
  throw new DatabaseRefused(
    `the database (${placeOf(location)}) is at version ${version}, this program requires version ${newest}: run corral-admin migrate first`,
  );
};

const openWith = async <Schema, Topic extends string>(
  location: DatabaseLocation,
  holdings: Holdings<Topic>,
  opening: Opening,
): Promise<Db<Schema, Topic>> => {
  if (location.engine === 'sqlite') return openSqlite(location.path, holdings, opening);
  return openPostgres(location.url, location.connections, holdings, opening);
};

/** The version of a program's tables, which are left as they are; 0: there are none. */
export const versionIn = async (
  location: DatabaseLocation,
  { history }: Pick<Holdings<string>, 'history'>,
): Promise<number> => {
  if (location.engine === 'sqlite') return versionInSqlite(location.path, history);
  return versionInPostgres(location.url, history);
};

/** Where it is, without secrets, for messages: an address can contain a password. */
export const placeOf = (location: DatabaseLocation): string =>
  location.engine === 'sqlite' ? location.path : 'PostgreSQL';
