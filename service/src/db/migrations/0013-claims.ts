import type { Migration } from '@corral/base/db/migrations';
import type { TableAccess } from '@corral/base/db/table-access';
import { metadataValueOf } from '../metadata-value.ts';

/** Nodes are found by their metadata, and claims wait for those that fit. */
export const claims: Migration = {
  version: 13,
  name: 'claims',
  statements: ({ id, bigint }) => [
    `create table node_metadata (
      node_id ${bigint} not null references nodes (id), key text not null, text text, number text,
      constraint one_value_per_node_and_key primary key (node_id, key))`,
    `create index node_metadata_by_text on node_metadata (key, text, node_id)`,
    `create index node_metadata_by_number on node_metadata (key, number, node_id)`,

    `create table claims (
      ${id}, label text not null,
      project_id ${bigint} not null references projects (id),
      user_id ${bigint} references users (id), identity_id ${bigint} references identities (id),
      maker text not null, wanted ${bigint} not null, selector text not null, prefer text not null,
      state text not null, nodes text not null default '[]', reason text,
      made_at ${bigint} not null, expires_at ${bigint} not null, ended_at ${bigint},
      constraint claim_label_is_unique unique (label),
      constraint claim_state_is_known check (state in ('waiting', 'served', 'cancelled', 'expired', 'ended')))`,
    `create index waiting_claims on claims (id) where state = 'waiting'`,
    `create index claims_by_project on claims (project_id, id)`,
    `create index claims_by_user on claims (user_id) where user_id is not null`,
    `create index claims_by_identity on claims (identity_id) where identity_id is not null`,
    `create index ended_claims on claims (ended_at) where ended_at is not null`,
  ],
  fill: async (access) => {
    for (let last = 0; ;) {
      const nodes = await access.all(`select id, metadata from nodes where id > ? order by id limit 500`, [last]);
      for (const { id, metadata } of nodes) await indexNode(access, (last = Number(id)), String(metadata));
      if (nodes.length === 0) return;
    }
  },
};

const indexNode = async ({ all }: TableAccess, id: number, metadata: string): Promise<void> => {
  for (const [key, value] of Object.entries(JSON.parse(metadata) as Record<string, unknown>)) {
    const { text, number } = metadataValueOf(value);
    await all(`insert into node_metadata (node_id, key, text, number) values (?, ?, ?, ?)`, [id, key, text, number]);
  }
};
