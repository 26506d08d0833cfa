import type { Migration } from '@corral/base/db/migrations';

export const bootAfter: Migration = {
  version: 2,
  name: 'boot-after',
  statements: () => ['alter table obmd_nodes add column boot_after text'],
};
