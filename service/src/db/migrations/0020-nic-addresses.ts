import type { Migration } from '@corral/base/db/migrations';

/** Finds the nic that has an address which a switch has learned. */
export const nicAddresses: Migration = {
  version: 20,
  name: 'nic addresses',
  statements: () => [`create index nics_by_macaddr on nics (macaddr)`],
};
