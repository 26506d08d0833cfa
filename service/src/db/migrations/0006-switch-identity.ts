import type { Migration } from '@corral/base/db/migrations';

/** Which device is behind a record of a switch, so that no device has two. */
export const switchIdentity: Migration = {
  version: 6,
  name: 'switch-identity',
  statements: ({ bigint }) => [
    `alter table switches add column identity text`,
    `alter table switches add column duplicate_of ${bigint}`,
    `create index switches_by_identity on switches (identity) where identity is not null`,
    `create index duplicate_switches on switches (duplicate_of) where duplicate_of is not null`,

    `create table switch_places (
      switch_id ${bigint} not null references switches (id), place text not null,
      constraint one_entry_per_switch_and_place primary key (switch_id, place))`,
    `create index switch_places_by_place on switch_places (place)`,
  ],
};
