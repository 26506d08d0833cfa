import { newestOf } from '@corral/base/db/migrations';
import { programTables as obmdHoldings } from '@corral/obmd/db/open-obmd-database';
import { holdings } from '../../../src/db/open-service-database.ts';

/** The versions of the databases that the programs work with. */
export const newest = newestOf(holdings.migrations);
export const newestOfDaemon = newestOf(obmdHoldings.migrations);

const namesOf = (migrations: readonly { readonly name: string }[]): string =>
  migrations.map(({ name }) => name).join(', ');

/** The names of the service's migrations after a version, and of all of the daemon's, as `migrate` tells them. */
export const stepsAfter = (version: number): string =>
  namesOf(holdings.migrations.filter((migration) => migration.version > version));
export const stepsOfDaemon = namesOf(obmdHoldings.migrations);
