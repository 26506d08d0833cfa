import type { Table } from '@corral/base/db/table-columns';
import type { Database } from './service-schema.ts';

const byId = (...names: readonly (keyof Database)[]): Table[] => names.map((name) => ({ name, key: ['id'] }));
const by = (name: keyof Database, ...key: readonly string[]): Table => ({ name, key });

/** Every table, each after those that it refers to. */
export const tables: readonly Table[] = [
  ...byId('projects', 'users'),
  by('user_projects', 'user_id', 'project_id'),
  ...byId('networks'),
  by('network_access', 'network_id', 'project_id'),
  ...byId('switches'),
  by('switch_places', 'switch_id', 'place'),
  ...byId('ports'),
  by('suspect_networks', 'port_id', 'network_id'),
  ...byId('nodes'),
  by('node_metadata', 'node_id', 'key'),
  ...byId('quotas', 'usage_spans'),
  by('held_nodes', 'port_id', 'node_id'),
  by('departed_bmcs', 'obm_uri'),
  ...byId('cleanings', 'cleaning_steps'),
  ...byId('nics', 'attachments', 'actions', 'headnodes', 'hnics'),
  ...byId('releases'),
  by('leases', 'name'),
  ...byId('events'),
  by('event_projects', 'event_id', 'project_id'),
  ...byId('notifications'),
  by('consoles', 'node_id'),
  by('settings', 'name'),
  ...byId('identities', 'sessions', 'api_tokens', 'claims', 'subscriptions', 'dead_letters'),
];
