import type * as base from '@corral/base/db/db';
import { type DatabaseLocation, openDatabase as open } from '@corral/base/db/open';
import { initial } from './migrations/0001-initial.ts';
import type { Database } from './schema.ts';

/** The daemon's database, either engine. */
export type Db = base.Db<Database, never>;
export type Tx = base.Tx<Database>;

/** Opens the daemon's database and brings it up to date. */
export const openDatabase = (location: DatabaseLocation): Promise<Db> =>
  open(location, {
    name: 'obmd',
    history: 'obmd_schema_migrations',
    migrations: [initial],
    topics: [],
    isVerdict: () => false,
  });
