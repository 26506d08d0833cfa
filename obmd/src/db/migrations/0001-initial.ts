import type { Migration } from '@corral/base/db/migrations';

export const initial: Migration = {
  version: 1,
  name: 'initial',
  statements: ({ id, bigint }) => [
    `create table obmd_nodes (
      ${id},
      label text not null,
      type text not null,
      info text not null,
      token_hash text,
      cycle_until ${bigint},
      constraint obmd_node_label_is_unique unique (label)
    )`,
    `create table obmd_owner (
      name text primary key,
      holder text not null,
      host text not null,
      pid ${bigint} not null,
      expires_at ${bigint} not null
    )`,
    'create table obmd_settings (name text primary key, value text not null)',
  ],
};
