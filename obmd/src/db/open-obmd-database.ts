import type * as base from '@corral/base/db/database';
import type { ProgramTables } from '@corral/base/db/program-tables';
import { type DatabaseLocation, openCurrent as current, openDatabase as open } from '@corral/base/db/open-database';
import { initial } from './migrations/0001-initial.ts';
import { bootAfter } from './migrations/0002-boot-after.ts';
import { reach } from './migrations/0003-reach.ts';
import type { Database } from './obmd-schema.ts';

/** The daemon's database, either engine. */
export type Db = base.Db<Database, never>;
export type Tx = base.Tx<Database>;

/** What the daemon keeps in a database. */
export const programTables: ProgramTables<never> = {
  name: 'obmd',
  history: 'obmd_schema_migrations',
  migrations: [initial, bootAfter, reach],
  tables: [
    { name: 'obmd_nodes', key: ['id'] },
    { name: 'obmd_owner', key: ['name'] },
    { name: 'obmd_settings', key: ['name'] },
  ] satisfies readonly { readonly name: keyof Database; readonly key: readonly string[] }[],
  topics: [],
  isVerdict: () => false,
};

/** Opens the daemon's database and brings it up to date. */
export const openDatabase = (location: DatabaseLocation): Promise<Db> => open(location, programTables);

/** Opens the daemon's database if it is up to date, and refuses it otherwise. */
export const openCurrent = (location: DatabaseLocation): Promise<Db> => current(location, programTables);
