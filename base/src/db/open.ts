import type { Db } from './db.ts';
import type { Migration } from './migrate.ts';

/** Where the data is. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly connections: number };

/** What one program keeps in a database. Two programs may share a PostgreSQL: their tables have different names. */
export interface Holdings<Topic extends string> {
  /** Who is connected, as PostgreSQL shows it, and the channel on which replicas hear each other. */
  readonly name: string;
  /** The table that says which migrations were applied. */
  readonly history: string;
  readonly migrations: readonly Migration[];
  readonly topics: readonly Topic[];
  /** Did a constraint speak that the program has a sentence for? */
  readonly isVerdict: (error: unknown) => boolean;
}

/** Opens the database and brings it up to date. Only the engine that is used is loaded: it shows in the time to start. */
export const openDatabase = async <Schema, Topic extends string>(
  location: DatabaseLocation,
  holdings: Holdings<Topic>,
): Promise<Db<Schema, Topic>> => {
  if (location.engine === 'sqlite') return (await import('./sqlite.ts')).openSqlite(location.path, holdings);
  return (await import('./postgres.ts')).openPostgres(location.url, location.connections, holdings);
};
