import type { Migration } from '@corral/base/db/migrations';

/** What the engine, the metrics, the recovery and OBM calls look for is found without a look at the whole site. */
export const growth: Migration = {
  version: 11,
  name: 'growth',
  statements: () => [
    `create index switches_by_sweep on switches (sweep_at)`,
    `create index switches_with_wanted_sweeps on switches (id) where sweep_answered < sweep_wanted`,
    `create index unsaved_switches on switches (id) where unsaved_since is not null`,
    `create index repairing_switches on switches (id) where policy = 'repair'`,
    `create index failed_actions on actions (nic_id) where status = 'ERROR'`,
    `create index nodes_by_obm_address on nodes (obm_uri) where obm_token is not null`,
    `create index headnodes_being_made on headnodes (making) where making = 1`,
    `create index headnodes_being_deleted on headnodes (state) where state = 'deleting'`,
  ],
};
