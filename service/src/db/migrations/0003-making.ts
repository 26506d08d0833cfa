import type { Migration } from '@corral/base/db/migrations';

export const making: Migration = {
  version: 3,
  name: 'making',
  statements: () => [
    `alter table headnodes add column making integer not null default 0
      constraint making_is_a_flag check (making in (0, 1))`,
  ],
};
