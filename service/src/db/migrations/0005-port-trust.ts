import type { Migration } from '@corral/base/db/migrations';

/** What is known against a port outlives its nic, a restore, and an outage of its switch. */
export const portTrust: Migration = {
  version: 5,
  name: 'port-trust',
  statements: ({ bigint }) => [
    `alter table ports add column was_clean integer not null default 0
      constraint was_clean_is_a_flag check (was_clean in (0, 1))`,
    `update ports set was_clean = 1 where reading is not null`,
    `alter table ports add column may_carry_any integer not null default 0
      constraint may_carry_any_is_a_flag check (may_carry_any in (0, 1))`,
    `create index ports_that_may_carry_any on ports (switch_id) where may_carry_any = 1`,

    `create table held_nodes (
      port_id ${bigint} not null references ports (id),
      node_id ${bigint} not null references nodes (id),
      constraint one_hold_per_port_and_node primary key (port_id, node_id))`,
    `create index held_nodes_by_node on held_nodes (node_id)`,

    `alter table switches add column fault_since ${bigint}`,
  ],
};
