/*
 * A site of any size, as statements that both databases take. It has what grows with the nodes: four nics each on ports
 * of switches with 48, ten old events and two settled actions a node, a project for every twenty nodes, which has
 * reserved ten of them, and a user for each. Networks do not grow: there are 4,094 VLANs, however many nodes there are.
 */
const nicsPerNode = 4;
const nodesPerProject = 20;
const eventsPerNode = 10;
const firstVlan = 3_000;
/** Long ago, so that nothing takes it for news. */
const firstEventAt = Date.UTC(2026, 0, 1);

/** How the nics are spread. */
export interface SiteShape {
  readonly portsPerSwitch: number;
  readonly networks: number;
}

/** Switches of one unit. */
const usual: SiteShape = { portsPerSwitch: 48, networks: 400 };

/** What the seed takes from a switch and a node that were registered by calls: secrets are sealed by the service. */
export const patterns = { switch: 'pattern', node: 'pattern' } as const;

/** Labels of the site, by index. */
export const siteLabels = {
  node: (index: number): string => `node-${padded(index)}`,
  project: (index: number): string => `project-${padded(index)}`,
  switch: (index: number): string => `switch-${padded(index)}`,
  user: (index: number): string => `user-${padded(index)}`,
  network: (index: number): string => `network-${padded(index)}`,
} as const;

const padded = (index: number): string => String(index).padStart(6, '0');

/** How many there are of what grows, for so many nodes. */
export const sizesOf = (nodes: number, { portsPerSwitch } = usual) =>
  ({
    nics: nodes * nicsPerNode,
    switches: Math.ceil((nodes * nicsPerNode) / portsPerSwitch),
    projects: Math.ceil(nodes / nodesPerProject),
    events: nodes * eventsPerNode,
  }) as const;

/** Rows for 0 to `count` - 1, with the number as `i`. */
const counted = (count: number): string =>
  `(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1}) select i from n) n`;

const label = (kind: string, index: string): string => `'${kind}-' || substr(cast(1000000 + ${index} as text), 2)`;

/** Into tables where the pattern is the only switch and the only node. */
export const siteStatements = (nodes: number, shape = usual): readonly string[] => {
  const { portsPerSwitch, networks } = shape;
  const { nics, switches, projects, events } = sizesOf(nodes, shape);
  // Ids are given in order, and the pattern has the first.
  const nodeId = (index: string): string => `(select id from nodes where label = '${patterns.node}') + 1 + ${index}`;
  const switchId = (index: string): string =>
    `(select id from switches where label = '${patterns.switch}') + 1 + ${index}`;
  const isReserved = `(i % ${nodesPerProject}) < ${nodesPerProject / 2}`;
  return [
    `insert into projects (label) select ${label('project', 'i')} from ${counted(projects)} order by i`,
    `insert into users (label, password_hash, is_admin) select ${label('user', 'i')}, '', 0 from ${counted(projects)} order by i`,
    `insert into user_projects (user_id, project_id) select users.id, projects.id from users
      join projects on projects.label = 'project-' || substr(users.label, 6) where users.label like 'user-%'`,
    `insert into networks (label, is_public, vlan, vlan_is_assigned)
      select ${label('network', 'i')}, 1, ${firstVlan} + i, 1 from ${counted(networks)} order by i`,
    `insert into switches (label, type, config)
      select ${label('switch', 'i')}, 'mock', (select config from switches where label = '${patterns.switch}')
      from ${counted(switches)} order by i`,
    `insert into nodes (label, project_id, metadata, obm_uri, obm_admin_token)
      select ${label('node', 'i')},
        case when ${isReserved} then (select min(id) from projects where label like 'project-%') + i / ${nodesPerProject} end,
        '{"rack":"r1"}', 'http://127.0.0.1:9/node/' || i,
        (select obm_admin_token from nodes where label = '${patterns.node}')
      from ${counted(nodes)} order by i`,
    `insert into ports (switch_id, label, was_clean)
      select ${switchId(`i / ${portsPerSwitch}`)}, 'gi1/0/' || (i % ${portsPerSwitch}), 1 from ${counted(nics)} order by i`,
    `insert into nics (node_id, label, macaddr, port_id)
      select ${nodeId(`i / ${nicsPerNode}`)}, 'eth' || (i % ${nicsPerNode}), '52:54:00:00:00:01',
        (select min(id) from ports) + i
      from ${counted(nics)} order by i`,
    `insert into attachments (nic_id, network_id, channel)
      select (select min(id) from nics) + i * ${nicsPerNode},
        (select min(id) from networks) + i % ${networks}, 'vlan/native'
      from ${counted(nodes)} where ${isReserved} order by i`,
    `insert into actions (status_id, nic_id, kind, network, channel, status, created_at)
      select 'old-' || i, (select min(id) from nics) + (i / 2) * ${nicsPerNode} + i % 2, 'connect',
        ${label('network', `(i / 2) % ${networks}`)}, 'vlan/native', 'DONE', ${firstEventAt} + i
      from ${counted(2 * nodes)} order by i`,
    `insert into events (at, type, caller, project, node, nic, network, detail)
      select ${firstEventAt} + i, case i % 4 when 0 then 'project_connect_node' when 1 then 'node_connect_network'
          when 2 then 'networking_action_done' else 'project_detach_node' end,
        ${label('user', `(i % ${nodes}) / ${nodesPerProject}`)}, ${label('project', `(i % ${nodes}) / ${nodesPerProject}`)},
        ${label('node', `i % ${nodes}`)}, 'eth0', ${label('network', `i % ${networks}`)}, '{"channel":"vlan/native"}'
      from ${counted(events)} order by i`,
    `insert into event_projects (event_id, project_id, project)
      select events.id, projects.id, projects.label from events join projects on projects.label = events.project
      where events.request_id is null and events.project like 'project-%'`,
  ];
};
