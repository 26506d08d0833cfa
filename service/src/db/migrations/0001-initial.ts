import type { Migration } from '@corral/base/db/migrations';

/*
 * Constraint names are sentences: they are what an operator reads when a constraint fails, and what
 * `constraints.ts` maps to the errors of the interface. No foreign key cascades: in use = cannot go.
 */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  statements: ({ id, bigint }) => [
    `create table projects (
      ${id}, label text not null,
      constraint project_label_is_unique unique (label))`,

    `create table users (
      ${id}, label text not null, password_hash text not null,
      is_admin integer not null constraint is_admin_is_a_flag check (is_admin in (0, 1)),
      version integer not null default 1,
      constraint user_label_is_unique unique (label))`,

    `create table user_projects (
      user_id ${bigint} not null references users (id),
      project_id ${bigint} not null references projects (id),
      constraint one_membership_per_user_and_project primary key (user_id, project_id))`,
    `create index user_projects_by_project on user_projects (project_id)`,

    `create table networks (
      ${id}, label text not null,
      owner_id ${bigint} references projects (id),
      is_public integer not null constraint is_public_is_a_flag check (is_public in (0, 1)),
      vlan integer not null constraint vlan_is_1_to_4094 check (vlan between 1 and 4094),
      vlan_is_assigned integer not null constraint vlan_is_assigned_is_a_flag check (vlan_is_assigned in (0, 1)),
      constraint network_label_is_unique unique (label),
      constraint one_network_per_vlan unique (vlan))`,
    `create index networks_by_owner on networks (owner_id)`,
    `create index public_networks on networks (label) where is_public = 1`,

    `create table network_access (
      network_id ${bigint} not null references networks (id),
      project_id ${bigint} not null references projects (id),
      constraint one_grant_per_network_and_project primary key (network_id, project_id))`,
    `create index network_access_by_project on network_access (project_id)`,

    `create table switches (
      ${id}, label text not null, type text not null, config text not null,
      constraint switch_label_is_unique unique (label))`,

    `create table ports (
      ${id}, switch_id ${bigint} not null references switches (id), label text not null,
      suspect text, suspect_retry_at ${bigint}, suspect_attempts integer not null default 0,
      constraint port_label_is_unique_per_switch unique (switch_id, label))`,
    `create index suspect_ports on ports (switch_id) where suspect is not null`,

    `create table suspect_networks (
      port_id ${bigint} not null references ports (id),
      network_id ${bigint} not null references networks (id),
      constraint one_suspicion_per_port_and_network primary key (port_id, network_id))`,
    `create index suspect_networks_by_network on suspect_networks (network_id)`,

    `create table nodes (
      ${id}, label text not null,
      project_id ${bigint} references projects (id),
      metadata text not null, obm_uri text not null, obm_admin_token text not null, obm_token text,
      constraint node_label_is_unique unique (label))`,
    `create index nodes_by_project on nodes (project_id, label)`,

    `create table nics (
      ${id}, node_id ${bigint} not null references nodes (id), label text not null, macaddr text not null,
      port_id ${bigint} references ports (id),
      constraint nic_label_is_unique_per_node unique (node_id, label),
      constraint one_nic_per_port unique (port_id))`,

    `create table attachments (
      ${id}, nic_id ${bigint} not null references nics (id),
      network_id ${bigint} not null references networks (id), channel text not null,
      constraint one_network_per_channel_of_a_nic unique (nic_id, channel),
      constraint one_attachment_per_nic_and_network unique (nic_id, network_id))`,
    `create index attachments_by_network on attachments (network_id)`,

    `create table actions (
      ${id}, status_id text not null, nic_id ${bigint} not null references nics (id),
      kind text not null constraint kind_of_action_is_known check (kind in ('connect', 'detach', 'revert')),
      network_id ${bigint} references networks (id), network text, channel text not null,
      status text not null constraint status_is_known check (status in ('PENDING', 'DONE', 'ERROR')),
      error text, touched integer not null default 0 constraint touched_is_a_flag check (touched in (0, 1)),
      attempts integer not null default 0, created_at ${bigint} not null, retry_at ${bigint} not null default 0,
      constraint status_id_is_unique unique (status_id),
      constraint a_pending_action_holds_its_network
        check (kind = 'revert' or (status = 'PENDING') = (network_id is not null)))`,
    `create unique index one_pending_action_per_nic on actions (nic_id) where status = 'PENDING'`,
    `create index actions_by_nic on actions (nic_id)`,
    `create index actions_by_network on actions (network_id)`,

    `create table headnodes (
      ${id}, label text not null, project_id ${bigint} not null references projects (id),
      uuid text not null, base_img text not null,
      state text not null constraint state_of_headnode_is_known
        check (state in ('created', 'started', 'stopped', 'deleting')),
      constraint headnode_label_is_unique unique (label),
      constraint headnode_uuid_is_unique unique (uuid))`,
    `create index headnodes_by_project on headnodes (project_id, label)`,

    `create table hnics (
      ${id}, headnode_id ${bigint} not null references headnodes (id), label text not null,
      network_id ${bigint} references networks (id),
      constraint hnic_label_is_unique_per_headnode unique (headnode_id, label))`,
    `create index hnics_by_network on hnics (network_id)`,

    `create table leases (
      name text not null constraint one_lease_per_name primary key,
      holder text not null, fence ${bigint} not null, expires_at ${bigint} not null)`,

    `create table events (
      ${id}, at ${bigint} not null, type text not null, caller text not null, request_id text,
      project text, node text, nic text, network text, headnode text, hnic text,
      switch text, port text, "user" text, detail text not null)`,
    `create index events_by_time on events (at)`,
    `create index events_by_caller on events (caller, id)`,
    `create index events_by_node on events (node, id) where node is not null`,
    `create index events_by_network on events (network, id) where network is not null`,
    `create index events_by_headnode on events (headnode, id) where headnode is not null`,
    `create index events_by_switch on events (switch, id) where switch is not null`,
    `create index events_by_user on events ("user", id) where "user" is not null`,

    // Which projects may see an event. By id, so that a project made later under an old label sees nothing old.
    `create table event_projects (
      event_id ${bigint} not null references events (id), project_id ${bigint} not null, project text not null,
      constraint one_audience_per_event_and_project primary key (event_id, project_id))`,
    `create index event_projects_by_id on event_projects (project_id, event_id)`,
    `create index event_projects_by_label on event_projects (project, event_id)`,

    `create table notifications (
      ${id}, node text not null, attempts integer not null default 0, retry_at ${bigint} not null)`,
    `create index notifications_by_time on notifications (retry_at)`,

    `create table consoles (
      node_id ${bigint} not null constraint one_console_per_node primary key references nodes (id),
      session text not null)`,

    `create table settings (name text not null constraint one_value_per_setting primary key, value text not null)`,
  ],
};
