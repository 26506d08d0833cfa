import type { Migration } from '@corral/base/db/migrations';

/** BMCs of nodes that are deleted, as long as the OBM daemon inside the service has them. */
export const departedBmcs: Migration = {
  version: 12,
  name: 'departed_bmcs',
  statements: () => [
    `create table departed_bmcs (
      obm_uri text not null constraint one_departed_bmc_per_address primary key,
      node text not null)`,
    `create index nodes_by_any_obm_address on nodes (obm_uri)`,
  ],
};
