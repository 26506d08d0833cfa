import type { SealedColumn } from '@corral/base/secrets/sealed-store';

/** Settings that are no secrets. */
export const plainSettings = {
  prunedEvents: 'events_pruned_up_to',
  unknownMachines: 'machines_unknown',
  hypervisor: 'hypervisor',
  classKey: 'node_class_key',
} as const;

/** Every column that holds sealed values: what a rotation of the key re-seals. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'switches', key: 'id', column: 'config' },
  { table: 'nodes', key: 'id', column: 'obm_admin_token' },
  { table: 'nodes', key: 'id', column: 'obm_token' },
  { table: 'subscriptions', key: 'id', column: 'target' },
  { table: 'subscriptions', key: 'id', column: 'secret' },
  { table: 'subscriptions', key: 'id', column: 'old_secret' },
  { table: 'settings', key: 'name', column: 'value', plain: Object.values(plainSettings) },
];
