import type { PostgresServer } from './postgres-server.ts';

/** Free nodes with two nics each, written straight into the tables. */
export const seedPostgres = (server: PostgresServer, nodes: number): Promise<string> =>
  server.tool('psql', [
    '-v',
    'ON_ERROR_STOP=1',
    '-qc',
    `insert into switches (label, type, config) select 'seed-' || i, 'mock', '' from generate_series(0, ${Math.floor(nodes / 24)}) i;
    insert into nodes (label, metadata, obm_uri, obm_admin_token)
      select 'node-' || lpad(i::text, 6, '0'), '{"rack":"r1"}', 'http://127.0.0.1:9/', '' from generate_series(0, ${nodes - 1}) i;
    insert into ports (switch_id, label) select switches.id, nodes.label || '/' || nic from nodes
      join switches on switches.label = 'seed-' || (substr(nodes.label, 6)::int / 24), (values ('eth0'), ('eth1')) nics (nic);
    insert into nics (node_id, label, macaddr, port_id) select nodes.id, split_part(ports.label, '/', 2), '52:54:00:00:00:01', ports.id
      from ports join nodes on nodes.label = split_part(ports.label, '/', 1);
    analyze;`,
  ]);
