import { sql } from 'kysely';
import { always, type Invariant, mayAttach, nicOfNode } from './invariant.ts';

/** Who may use which network, and who is on it. */
export const networkInvariants: readonly Invariant[] = [
  always(
    'a network has a VLAN id from 1 to 4094',
    sql`select 'network ' || label || ' has VLAN ' || vlan as what from networks where vlan not between 1 and 4094`,
  ),
  always(
    'no two networks share a VLAN',
    sql`select 'networks ' || one.label || ' and ' || other.label || ' have VLAN ' || one.vlan as what
      from networks one join networks other on other.vlan = one.vlan and other.id > one.id`,
  ),
  always(
    'the owner of a private network has access to it',
    sql`select 'network ' || networks.label || ' of project ' || projects.label as what
      from networks join projects on projects.id = networks.owner_id where not ${mayAttach('networks.owner_id')}`,
  ),
  always(
    'a public network has no access list',
    sql`select 'network ' || networks.label || ' names project ' || projects.label as what
      from networks join network_access on network_access.network_id = networks.id
        join projects on projects.id = network_access.project_id where networks.is_public = 1`,
  ),
  always(
    'a node on a network is in a project, or is being cleaned',
    sql`select ${nicOfNode} || ' is on network ' || networks.label as what
      from attachments join nics on nics.id = attachments.nic_id join nodes on nodes.id = nics.node_id
        join networks on networks.id = attachments.network_id
      where nodes.project_id is null and (nodes.gate is null or nodes.gate = 'maintenance')`,
  ),
  always(
    'the project of a node on a network has access to it',
    sql`select ${nicOfNode} || ' of project ' || projects.label || ' is on network ' || networks.label as what
      from attachments join nics on nics.id = attachments.nic_id join nodes on nodes.id = nics.node_id
        join projects on projects.id = nodes.project_id join networks on networks.id = attachments.network_id
      where not ${mayAttach('nodes.project_id')} and (nodes.gate is null or nodes.gate = 'maintenance')`,
  ),
  always(
    'a nic on a network is on a port',
    sql`select ${nicOfNode} || ' is on network ' || networks.label as what
      from attachments join nics on nics.id = attachments.nic_id join nodes on nodes.id = nics.node_id
        join networks on networks.id = attachments.network_id where nics.port_id is null`,
  ),
  always(
    'a network is attached by a channel of its own',
    sql`select ${nicOfNode} || ' is on network ' || networks.label || ' by channel ' || attachments.channel as what
      from attachments join nics on nics.id = attachments.nic_id join nodes on nodes.id = nics.node_id
        join networks on networks.id = attachments.network_id
      where attachments.channel not in ('vlan/native', 'vlan/' || networks.vlan)`,
  ),
];
