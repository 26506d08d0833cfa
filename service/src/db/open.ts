import type { Db } from './db.ts';

/** Where the data is. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly connections: number };

/** Opens the database and brings it up to date. Only the engine that is used is loaded: it shows in the time to start. */
export const openDatabase = async (location: DatabaseLocation): Promise<Db> => {
  if (location.engine === 'sqlite') return (await import('./sqlite.ts')).openSqlite(location.path);
  return (await import('./postgres.ts')).openPostgres(location.url, location.connections);
};
