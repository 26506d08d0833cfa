import type { Migration } from '@corral/base/db/migrations';

/** What a node goes through between two projects, and which sweep of its switch read a port last. */
export const cleanings: Migration = {
  version: 15,
  name: 'cleanings',
  statements: ({ id, bigint }) => [
    `alter table ports add column read_in_sweep ${bigint}`,
    `alter table nodes add column gate text
      constraint gate_is_known check (gate in ('cleaning', 'maintenance', 'quarantined'))`,

    `create table cleanings (
      ${id}, label text not null, node_id ${bigint} not null references nodes (id), project text,
      state text not null
        constraint cleaning_state_is_known check (state in ('running', 'maintenance', 'passed', 'failed')),
      reason text, created_at ${bigint} not null, ended_at ${bigint}, due_at ${bigint} not null,
      constraint cleaning_label_is_unique unique (label))`,
    `create index cleanings_by_node on cleanings (node_id, id)`,
    `create index cleanings_by_state on cleanings (state, id)`,
    `create index cleanings_by_due on cleanings (due_at) where state = 'running'`,
    `create unique index one_open_cleaning_per_node on cleanings (node_id) where state <> 'passed'`,

    `create table cleaning_steps (
      ${id}, cleaning_id ${bigint} not null references cleanings (id), position integer not null,
      name text not null, kind text not null,
      state text not null
        constraint step_state_is_known check (state in ('pending', 'running', 'passed', 'failed', 'skipped')),
      attempts integer not null, started_at ${bigint}, deadline_at ${bigint}, ended_at ${bigint},
      sentence text, evidence text, progress text, token_hashes text not null,
      constraint one_step_per_cleaning_and_name unique (cleaning_id, name))`,
  ],
};
