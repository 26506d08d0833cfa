import type { Migration } from '@corral/base/db/migrations';

/**
 * Nodes that are being given back, and those that were lately. Nodes and projects are named by id and not referred to:
 * an id is never given twice, and a release that is over must not keep anything from being deleted.
 */
export const releases: Migration = {
  version: 14,
  name: 'releases',
  statements: ({ id, bigint }) => [
    `create table releases (
      ${id}, label text not null, node_id ${bigint} not null, node text not null,
      project_id ${bigint} not null, project text not null, caller text not null,
      state text not null constraint state_of_release_is_known check (state in ('running', 'done', 'failed')),
      step text not null constraint step_of_release_is_known check (step in ('networks', 'obm', 'project')),
      detaches text not null, problem text, operator_problem text,
      attempts integer not null default 0, failing_since ${bigint}, retry_at ${bigint} not null default 0,
      started_at ${bigint} not null, ended_at ${bigint},
      constraint release_label_is_unique unique (label),
      constraint a_release_that_is_over_has_ended check ((state = 'running') = (ended_at is null)))`,
    `create unique index one_running_release_per_node on releases (node_id) where state = 'running'`,
    `create index running_releases on releases (retry_at) where state = 'running'`,
    `create index releases_by_project on releases (project_id, ended_at)`,
    `create index ended_releases on releases (ended_at) where ended_at is not null`,
  ],
};
