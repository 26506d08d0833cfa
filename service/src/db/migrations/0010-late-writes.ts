import type { Migration } from '@corral/base/db/migrations';

/** Which session of a switch is the newest, which ports one writes to, and where something of it may still arrive. */
export const lateWrites: Migration = {
  version: 10,
  name: 'late-writes',
  statements: ({ bigint }) => [
    `alter table switches add column session ${bigint} not null default 0`,
    `alter table ports add column written_by ${bigint}`,
    `alter table ports add column late_until ${bigint}`,
    `alter table ports add column late_read_at ${bigint}`,
    `create index ports_being_written on ports (switch_id) where written_by is not null`,
    `create index ports_with_late_writes on ports (switch_id) where late_until is not null`,
  ],
};
