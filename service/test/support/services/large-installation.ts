import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKeyRing } from '@corral/base/secrets/key-ring';
import { sealWith } from '@corral/base/secrets/sealing';
import Libsql from 'libsql';

/** How large an installation is, and how much of it is in motion. */
export interface LargeInstallation {
  readonly nodes: number;
  readonly pending: number;
}

const projects = 20;
const switches = 50;
const networks = 200;
const firstVlan = 100;
const nics = ['eth0', 'eth1'];

export const switchOfNode = (node: number): string => `sw${node % switches}`;

/** The network that the pending action of a node is about. */
export const networkOfNode = (node: number): { readonly label: string; readonly vlan: number } => {
  // Networks are shared out among the projects as nodes are.
  const index = (node % projects) + projects * (node % (networks / projects));
  return { label: `net${index}`, vlan: firstVlan + index };
};

type Value = string | number | null;

/** Gathers rows, and writes them as SQL: a statement that is prepared would keep the file open after the last use. */
class Rows {
  readonly #table: string;
  readonly #columns: readonly string[];
  readonly #rows: string[] = [];

  constructor(table: string, ...columns: readonly string[]) {
    this.#table = table;
    this.#columns = columns;
  }

  /** Its id, which is counted from where a new database is. */
  add(...values: readonly Value[]): number {
    this.#rows.push(values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(', '));
    return firstId + this.#rows.length - 1;
  }

  sql(): string {
    const hasId = this.#columns[0] === 'id';
    const rows = this.#rows.map((row, index) => `(${hasId ? `${firstId + index}, ` : ''}${row})`);
    return rows.length === 0
      ? ''
      : `insert into ${this.#table} (${this.#columns.join(', ')}) values ${rows.join(',')};`;
  }
}

/** Beyond what the first start made. */
const firstId = 100;

/**
 * Writes a site past the interface into the embedded database of a service that is stopped: every node in a project
 * with two nics on ports, the second on a network, the first of some about to be connected to one.
 */
export const seedLargeInstallation = (dataDir: string, { nodes, pending }: LargeInstallation): void => {
  const [key] = parseKeyRing(readFileSync(join(dataDir, 'secret.key'), 'utf8')).keys;
  const all = {
    projects: new Rows('projects', 'id', 'label'),
    networks: new Rows('networks', 'id', 'label', 'owner_id', 'is_public', 'vlan', 'vlan_is_assigned'),
    access: new Rows('network_access', 'network_id', 'project_id'),
    switches: new Rows('switches', 'id', 'label', 'type', 'config'),
    ports: new Rows('ports', 'id', 'switch_id', 'label'),
    nodes: new Rows('nodes', 'id', 'label', 'project_id', 'metadata', 'obm_uri', 'obm_admin_token'),
    metadata: new Rows('node_metadata', 'node_id', 'key', 'text'),
    usage: new Rows('usage_spans', 'node', 'class', 'project_id', 'project', 'kind', 'from_at'),
    nics: new Rows('nics', 'id', 'node_id', 'label', 'macaddr', 'port_id'),
    attachments: new Rows('attachments', 'id', 'nic_id', 'network_id', 'channel'),
    actions: new Rows(
      'actions',
      ...['id', 'status_id', 'nic_id', 'kind', 'network_id', 'network', 'channel', 'status', 'created_at'],
    ),
    events: new Rows('events', 'id', 'at', 'type', 'caller', 'node', 'detail'),
    audiences: new Rows('event_projects', 'event_id', 'project_id', 'project'),
  };
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const projectIds = numbers(projects).map((index) => all.projects.add(`p${index}`));
  const networkIds = numbers(networks).map((index) => {
    const owner = projectIds[index % projects] ?? 0;
    const id = all.networks.add(`net${index}`, owner, 0, firstVlan + index, 0);
    all.access.add(id, owner);
    return id;
  });
  const config = { hostname: 'sw', username: 'u', password: 'p' };
  const switchIds = numbers(switches).map((index) =>
    all.switches.add(`sw${index}`, 'mock', sealWith(key, JSON.stringify(config))),
  );
  const now = Date.now();
  for (const index of numbers(nodes)) {
    const projectId = projectIds[index % projects] ?? 0;
    const label = `n${index}`;
    const token = sealWith(key, `token ${index}`);
    const node = all.nodes.add(label, projectId, oddMetadata, 'http://127.0.0.1:9/', token);
    all.metadata.add(node, 'rack', oddRack);
    all.usage.add(label, '', projectId, `p${index % projects}`, 'reserved', now);
    const [first = 0, second = 0] = nics.map((nic) => {
      const port = all.ports.add(switchIds[index % switches] ?? 0, `${label}/${nic}`);
      return all.nics.add(node, nic, '52:54:00:00:00:01', port);
    });
    const { label: network } = networkOfNode(index);
    const networkId = networkIds[Number(network.slice(3))] ?? 0;
    all.attachments.add(second, networkId, 'vlan/native');
    if (index < pending)
      all.actions.add(randomUUID(), first, 'connect', networkId, network, 'vlan/native', 'PENDING', now);
    const event = all.events.add(now, 'project_connect_node', 'admin', label, '{}');
    all.audiences.add(event, projectId, `p${index % projects}`);
  }
  const db = new Libsql(join(dataDir, 'corral.db'));
  db.exec('begin immediate');
  for (const rows of Object.values(all)) db.exec(rows.sql());
  // What was deleted leaves its id behind: it must not be given again.
  db.exec("insert into projects (id, label) values (900, 'gone')");
  db.exec('delete from projects where id = 900');
  db.exec('commit');
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
};

/** Characters that are easily lost: one that ends lines for some, and one of two bytes. */
const oddRack = '\u2028é';
const oddMetadata = JSON.stringify({ rack: oddRack });
