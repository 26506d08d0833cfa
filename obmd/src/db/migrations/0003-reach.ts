import type { Migration } from '@corral/base/db/migrations';

export const reach: Migration = {
  version: 3,
  name: 'reach',
  statements: () => [
    'alter table obmd_owner add column listens_at text',
    'alter table obmd_owner add column network text',
    'alter table obmd_owner add column url text',
  ],
};
