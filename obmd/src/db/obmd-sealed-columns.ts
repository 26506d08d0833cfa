import type { SealedColumn } from '@corral/base/secrets/sealed-store';

/** Every column that holds sealed values: what a rotation of the key re-seals. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'obmd_nodes', key: 'id', column: 'info' },
  { table: 'obmd_settings', key: 'name', column: 'value' },
];
