/*
 * What a reservation and a release ask PostgreSQL for, by hand: the statements of the service, prepared, on one
 * connection for each client, which does nothing else. Not the service's own locks, and no notification: a transaction
 * that notifies waits for all others that do.
 */

const rights = `select users.id, users.label, users.is_admin, users.version, projects.label as project from users
  left join user_projects on user_projects.user_id = users.id left join projects on projects.id = user_projects.project_id
  where users.id = 1 for share of users;`;
const project = `select * from projects where label = 'bench' \\gset project_`;
const node = `select nodes.id, nodes.label, nodes.project_id, nodes.obm_uri, nodes.obm_admin_token, nodes.obm_token, nodes.metadata,
  projects.label as project from nodes left join projects on projects.id = nodes.project_id
  where nodes.label = 'node-' || lpad(:client_id::text, 6, '0') \\gset node_`;
const duplicate = `select nics.label as nic, switches.label as switch, others.label as other from nics
  inner join ports on ports.id = nics.port_id inner join switches on switches.id = ports.switch_id
  inner join switches as others on others.id = switches.duplicate_of where nics.node_id = :node_id limit 1;`;
const doubtful = `select ports.label as port, switches.label as switch, nics.label as nic, ports.suspect, ports.drift_since,
  ports.reading, ports.unread, ports.late_until from ports inner join switches on switches.id = ports.switch_id
  left join nics on nics.port_id = ports.id and nics.node_id = :node_id where ports.id in (select nics.port_id from nics
  where nics.node_id = :node_id and nics.port_id is not null union select port_id from held_nodes where node_id = :node_id)
  and (ports.suspect is not null or ports.drift_since is not null or ports.unread = 1 or ports.late_until is not null) limit 1;`;
const ties = `select networks.label as network, nics.label as nic from nics
  left join attachments on attachments.nic_id = nics.id left join networks on networks.id = attachments.network_id
  left join actions on actions.nic_id = nics.id and actions.status = 'PENDING' where nics.node_id = :node_id
  and (attachments.id is not null or actions.id is not null)
  order by case when attachments.id is null then 1 else 0 end limit 1;`;

const event = (type: string): string =>
  `insert into events (at, type, caller, request_id, project, node, detail) values ((extract(epoch from clock_timestamp()) * 1000)::bigint,
  '${type}', 'admin', 'bench', 'bench', 'node-' || lpad(:client_id::text, 6, '0'), '{}') returning id as event \\gset
insert into event_projects (event_id, project_id, project) values (:event, :project_id, 'bench');`;

type Isolation = 'serializable' | 'read committed';

const transaction = (isolation: Isolation, checks: readonly string[], projectId: string, type: string): string =>
  [
    `begin isolation level ${isolation};`,
    rights,
    project,
    node,
    ...checks,
    `update nodes set project_id = ${projectId} where id = :node_id;`,
    event(type),
    'commit;',
  ].join('\n');

/** Two transactions, one of each kind. */
export const pgbenchScript = (isolation: Isolation): string =>
  [
    transaction(isolation, [duplicate, doubtful], ':project_id', 'project_connect_node'),
    transaction(isolation, [ties, doubtful], 'null', 'project_detach_node'),
    '',
  ].join('\n');
