import type { Db } from './db.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** Where the data is. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly connections: number };

/** Opens the database and brings it up to date. */
export const openDatabase = (location: DatabaseLocation): Promise<Db> =>
  location.engine === 'sqlite' ? openSqlite(location.path) : openPostgres(location.url, location.connections);
