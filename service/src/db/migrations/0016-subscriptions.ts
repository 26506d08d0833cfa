import type { Migration } from '@corral/base/db/migrations';

/** Webhooks: who is sent which events, how far that is, and what could not be delivered. */
export const subscriptions: Migration = {
  version: 16,
  name: 'subscriptions',
  statements: ({ id, bigint }) => [
    `create table subscriptions (
      ${id}, label text not null, uid text not null, project_id ${bigint} references projects (id),
      made_by text not null, made_at ${bigint} not null,
      target text not null, origin text not null, filter text not null,
      secret text not null, old_secret text, old_until ${bigint},
      state text not null constraint subscription_state_is_known check (state in ('active', 'paused')),
      paused_because text,
      position ${bigint} not null, attempts ${bigint} not null default 0, retry_at ${bigint} not null default 0,
      delivered ${bigint} not null default 0, given_up ${bigint} not null default 0, lost_up_to ${bigint},
      last_at ${bigint}, last_result text,
      constraint subscription_label_is_unique unique (label),
      constraint old_secret_has_an_end check ((old_secret is null) = (old_until is null)))`,
    `create index subscriptions_by_project on subscriptions (project_id)`,

    `create table dead_letters (
      ${id}, subscription_id ${bigint} not null references subscriptions (id),
      event_id ${bigint} not null, body text not null, reason text not null, died_at ${bigint} not null)`,
    `create index dead_letters_by_subscription on dead_letters (subscription_id, id)`,
  ],
};
