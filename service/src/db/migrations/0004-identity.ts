import type { Migration } from '@corral/base/db/migrations';

/**
 * People authenticated by other backends, and what is created here for people: sessions of browsers, tokens for
 * scripts.
 */
export const identity: Migration = {
  version: 4,
  name: 'identity',
  statements: ({ id, bigint }) => [
    `create table identities (
      ${id}, backend text not null, subject text not null, name text not null,
      is_admin integer not null constraint identity_is_admin_is_a_flag check (is_admin in (0, 1)),
      projects text not null, seen_at ${bigint} not null,
      constraint one_identity_per_backend_and_subject unique (backend, subject))`,
    `create index identities_by_name on identities (name)`,

    `create table sessions (
      ${id}, label text not null, hash text not null,
      user_id ${bigint} references users (id), identity_id ${bigint} references identities (id),
      made_at ${bigint} not null, seen_at ${bigint} not null, expires_at ${bigint} not null,
      address text not null, agent text not null,
      constraint session_label_is_unique unique (label),
      constraint session_hash_is_unique unique (hash),
      constraint session_has_one_owner check ((user_id is null) <> (identity_id is null)))`,
    `create index sessions_by_user on sessions (user_id)`,
    `create index sessions_by_identity on sessions (identity_id)`,
    `create index sessions_by_expiry on sessions (expires_at)`,

    `create table api_tokens (
      ${id}, label text not null, hash text not null,
      user_id ${bigint} references users (id), identity_id ${bigint} references identities (id),
      project_id ${bigint} references projects (id),
      read_only integer not null constraint read_only_is_a_flag check (read_only in (0, 1)),
      made_admin integer constraint made_admin_is_a_flag check (made_admin in (0, 1)), made_projects text,
      made_at ${bigint} not null, expires_at ${bigint} not null, used_at ${bigint},
      constraint token_hash_is_unique unique (hash),
      constraint token_label_is_unique_per_user unique (user_id, label),
      constraint token_label_is_unique_per_identity unique (identity_id, label),
      constraint token_has_one_owner check ((user_id is null) <> (identity_id is null)),
      constraint token_of_identity_has_rights check (
        (identity_id is null) = (made_admin is null) and (identity_id is null) = (made_projects is null)))`,
    `create index api_tokens_by_project on api_tokens (project_id)`,
    `create index api_tokens_by_expiry on api_tokens (expires_at)`,
  ],
};
