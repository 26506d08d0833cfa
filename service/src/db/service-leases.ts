import { LeaseTable } from '@corral/base/db/lease-table';
import { LeaseWatch } from '@corral/base/db/lease-watch';
import type { Db } from './service-database.ts';
import type { Database } from './service-schema.ts';

export const leaseTable = new LeaseTable<Database, { readonly fence: number }>('leases', { fence: 1 });

export type ServiceLeaseWatch = LeaseWatch<Database, { readonly fence: number }>;

/** One for each database: what was seen is about its rows. */
export const leaseWatchOf = (db: Db): ServiceLeaseWatch => {
  const watch = watches.get(db) ?? new LeaseWatch(leaseTable);
  watches.set(db, watch);
  return watch;
};
const watches = new WeakMap<Db, ServiceLeaseWatch>();
