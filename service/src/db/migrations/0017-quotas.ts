import type { Migration } from '@corral/base/db/migrations';

/** How much a project may have, and of what class a node is, beside the metadata that says so: counted by index. */
export const quotas: Migration = {
  version: 17,
  name: 'quotas',
  statements: ({ id, bigint }) => [
    `alter table nodes add column class text not null default ''`,
    `create index nodes_by_class on nodes (project_id, class)`,
    `create table quotas (
      ${id},
      project_id ${bigint} references projects (id),
      what text not null constraint what_is_limited_is_known check (what in ('nodes', 'networks', 'headnodes')),
      class text not null,
      most integer constraint a_limit_is_no_less_than_0 check (most >= 0),
      constraint one_quota_per_project_and_class unique (project_id, what, class),
      constraint only_nodes_have_classes check (what = 'nodes' or class = ''),
      constraint a_default_is_a_number check (project_id is not null or most is not null))`,
    `create unique index one_default_quota_per_class on quotas (what, class) where project_id is null`,
  ],
};
