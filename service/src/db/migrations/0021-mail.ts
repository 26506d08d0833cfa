import type { Migration } from '@corral/base/db/migrations';

/** Mail: addresses of users, whether they want any, and subscriptions that go there. */
export const mail: Migration = {
  version: 21,
  name: 'mail',
  statements: ({ bigint }) => [
    `alter table users add column mail text`,
    `alter table users add column mail_off ${bigint} not null default 0
      constraint mail_off_is_a_flag check (mail_off in (0, 1))`,
    `create index users_by_mail on users (mail) where mail is not null`,

    `alter table subscriptions add column kind text not null default 'webhook'
      constraint subscription_kind_is_known check (kind in ('webhook', 'mail'))`,
    `alter table subscriptions add column user_id ${bigint} references users (id)`,
    `alter table subscriptions add column digest_from ${bigint}`,
    `alter table subscriptions add column digest_to ${bigint}`,
    `create index subscriptions_by_user on subscriptions (user_id) where user_id is not null`,
  ],
};
