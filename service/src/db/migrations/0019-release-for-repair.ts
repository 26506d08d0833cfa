import type { Migration } from '@corral/base/db/migrations';

/** What is wrong with a node that is given back for repair. */
export const releaseForRepair: Migration = {
  version: 19,
  name: 'release for repair',
  statements: () => [`alter table releases add column for_repair text`],
};
