import type { Migration } from '@corral/base/db/migrations';

/** Every filter on events has an index in the order of ids, and what is old is found without a look at the rest. */
export const eventHistory: Migration = {
  version: 7,
  name: 'event-history',
  statements: () => [
    `create index events_by_type on events (type, id)`,
    `create index events_by_nic on events (nic, id) where nic is not null`,
    `create index events_by_hnic on events (hnic, id) where hnic is not null`,
    `create index events_by_port on events (port, id) where port is not null`,
    `create index settled_actions_by_time on actions (created_at) where status <> 'PENDING'`,
  ],
};
