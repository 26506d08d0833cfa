import type { Migration } from '@corral/base/db/migrations';

/** What switches were last seen to carry, how they are doing, and what is to be done about a difference. */
export const readings: Migration = {
  version: 2,
  name: 'readings',
  statements: ({ bigint }) => [
    `alter table ports add column reading text`,
    `alter table ports add column read_at ${bigint}`,
    `alter table ports add column drift_since ${bigint}`,
    `alter table ports add column unread integer not null default 0
      constraint unread_is_a_flag check (unread in (0, 1))`,
    `create index drifting_ports on ports (switch_id) where drift_since is not null`,
    `create index unread_ports on ports (switch_id) where unread = 1`,

    `alter table switches add column policy text not null default 'report'
      constraint policy_is_known check (policy in ('report', 'repair'))`,
    `alter table switches add column sweep_at ${bigint} not null default 0`,
    `alter table switches add column swept_at ${bigint}`,
    `alter table switches add column sweep_wanted ${bigint} not null default 0`,
    `alter table switches add column sweep_answered ${bigint} not null default 0`,
    `alter table switches add column strangers text`,
    `alter table switches add column unsaved_since ${bigint}`,
    `alter table switches add column save_at ${bigint} not null default 0`,
    `alter table switches add column save_fault text`,
    `alter table switches add column fault text`,
    `alter table switches add column faults integer not null default 0`,
    `alter table switches add column probe_at ${bigint} not null default 0`,
  ],
};
