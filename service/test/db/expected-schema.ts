/**
 * Every table with the columns that may not be null, defaults, keys, checks and indexes. A migration that changes any of
 * it changes this list as well; what is missing here or there fails on both engines.
 */
const text = `
projects
  not null: id, label
  primary key (id) counted up
  project_label_is_unique: unique (label)
users
  defaults: mail_off 0, version 1
  is_admin_is_a_flag: check is_admin in (0, 1)
  mail_off_is_a_flag: check mail_off in (0, 1)
  not null: id, is_admin, label, mail_off, password_hash, version
  primary key (id) counted up
  user_label_is_unique: unique (label)
  users_by_mail: index (mail) where mail is not null
user_projects
  foreign key (project_id) references projects (id)
  foreign key (user_id) references users (id)
  not null: project_id, user_id
  one_membership_per_user_and_project: primary key (user_id, project_id)
  user_projects_by_project: index (project_id)
networks
  foreign key (owner_id) references projects (id)
  is_public_is_a_flag: check is_public in (0, 1)
  network_label_is_unique: unique (label)
  networks_by_owner: index (owner_id)
  not null: id, is_public, label, vlan, vlan_is_assigned
  one_network_per_vlan: unique (vlan)
  primary key (id) counted up
  public_networks: index (label) where is_public = 1
  vlan_is_1_to_4094: check vlan between 1 and 4094
  vlan_is_assigned_is_a_flag: check vlan_is_assigned in (0, 1)
network_access
  foreign key (network_id) references networks (id)
  foreign key (project_id) references projects (id)
  network_access_by_project: index (project_id)
  not null: network_id, project_id
  one_grant_per_network_and_project: primary key (network_id, project_id)
switches
  defaults: faults 0, policy 'report', probe_at 0, save_at 0, session 0, sweep_answered 0, sweep_at 0, sweep_wanted 0
  duplicate_switches: index (duplicate_of) where duplicate_of is not null
  not null: config, faults, id, label, policy, probe_at, save_at, session, sweep_answered, sweep_at, sweep_wanted, type
  policy_is_known: check policy in ('report', 'repair')
  primary key (id) counted up
  repairing_switches: index (id) where policy = 'repair'
  switch_label_is_unique: unique (label)
  switches_by_identity: index (identity) where identity is not null
  switches_by_sweep: index (sweep_at)
  switches_with_wanted_sweeps: index (id) where sweep_answered < sweep_wanted
  unsaved_switches: index (id) where unsaved_since is not null
switch_places
  foreign key (switch_id) references switches (id)
  not null: place, switch_id
  one_entry_per_switch_and_place: primary key (switch_id, place)
  switch_places_by_place: index (place)
ports
  defaults: may_carry_any 0, suspect_attempts 0, unread 0, was_clean 0
  drifting_ports: index (switch_id) where drift_since is not null
  foreign key (switch_id) references switches (id)
  may_carry_any_is_a_flag: check may_carry_any in (0, 1)
  not null: id, label, may_carry_any, suspect_attempts, switch_id, unread, was_clean
  port_label_is_unique_per_switch: unique (switch_id, label)
  ports_being_written: index (switch_id) where written_by is not null
  ports_that_may_carry_any: index (switch_id) where may_carry_any = 1
  ports_with_late_writes: index (switch_id) where late_until is not null
  primary key (id) counted up
  suspect_ports: index (switch_id) where suspect is not null
  unread_is_a_flag: check unread in (0, 1)
  unread_ports: index (switch_id) where unread = 1
  was_clean_is_a_flag: check was_clean in (0, 1)
suspect_networks
  foreign key (network_id) references networks (id)
  foreign key (port_id) references ports (id)
  not null: network_id, port_id
  one_suspicion_per_port_and_network: primary key (port_id, network_id)
  suspect_networks_by_network: index (network_id)
nodes
  defaults: class ''
  foreign key (project_id) references projects (id)
  gate_is_known: check gate in ('cleaning', 'maintenance', 'quarantined')
  node_label_is_unique: unique (label)
  nodes_by_any_obm_address: index (obm_uri)
  nodes_by_class: index (project_id, class)
  nodes_by_obm_address: index (obm_uri) where obm_token is not null
  nodes_by_project: index (project_id, label)
  not null: class, id, label, metadata, obm_admin_token, obm_uri
  primary key (id) counted up
quotas
  a_default_is_a_number: check project_id is not null or most is not null
  a_limit_is_no_less_than_0: check most >= 0
  foreign key (project_id) references projects (id)
  not null: class, id, what
  one_default_quota_per_class: unique index (what, class) where project_id is null
  one_quota_per_project_and_class: unique (project_id, what, class)
  only_nodes_have_classes: check what = 'nodes' or class = ''
  primary key (id) counted up
  what_is_limited_is_known: check what in ('nodes', 'networks', 'headnodes')
node_metadata
  foreign key (node_id) references nodes (id)
  node_metadata_by_number: index (key, number, node_id)
  node_metadata_by_text: index (key, text, node_id)
  not null: key, node_id
  one_value_per_node_and_key: primary key (node_id, key)
usage_spans
  a_span_does_not_end_before_it_begins: check until_at >= from_at
  a_span_that_ended_is_short: check until_at - from_at <= 2592000000
  kind_of_usage_is_known: check kind in ('reserved', 'powered')
  not null: class, from_at, id, kind, node, project, project_id
  one_open_span_per_node_and_kind: unique index (node, kind) where until_at is null
  primary key (id) counted up
  usage_spans_by_node: index (node, kind, until_at)
  usage_spans_by_project: index (project_id, from_at)
  usage_spans_by_time: index (from_at) where until_at is not null
held_nodes
  foreign key (node_id) references nodes (id)
  foreign key (port_id) references ports (id)
  held_nodes_by_node: index (node_id)
  not null: node_id, port_id
  one_hold_per_port_and_node: primary key (port_id, node_id)
departed_bmcs
  not null: node, obm_uri
  one_departed_bmc_per_address: primary key (obm_uri)
cleanings
  cleaning_label_is_unique: unique (label)
  cleaning_state_is_known: check state in ('running', 'maintenance', 'passed', 'failed')
  cleanings_by_due: index (due_at) where state = 'running'
  cleanings_by_node: index (node_id, id)
  cleanings_by_state: index (state, id)
  foreign key (node_id) references nodes (id)
  not null: created_at, due_at, id, label, node_id, state
  one_open_cleaning_per_node: unique index (node_id) where state <> 'passed'
  primary key (id) counted up
cleaning_steps
  foreign key (cleaning_id) references cleanings (id)
  not null: attempts, cleaning_id, id, kind, name, position, state, token_hashes
  one_step_per_cleaning_and_name: unique (cleaning_id, name)
  primary key (id) counted up
  step_state_is_known: check state in ('pending', 'running', 'passed', 'failed', 'skipped')
nics
  foreign key (node_id) references nodes (id)
  foreign key (port_id) references ports (id)
  nic_label_is_unique_per_node: unique (node_id, label)
  nics_by_macaddr: index (macaddr)
  not null: id, label, macaddr, node_id
  one_nic_per_port: unique (port_id)
  primary key (id) counted up
attachments
  attachments_by_network: index (network_id)
  foreign key (network_id) references networks (id)
  foreign key (nic_id) references nics (id)
  not null: channel, id, network_id, nic_id
  one_attachment_per_nic_and_network: unique (nic_id, network_id)
  one_network_per_channel_of_a_nic: unique (nic_id, channel)
  primary key (id) counted up
actions
  a_pending_action_holds_its_network: check kind = 'revert' or (status = 'PENDING') = (network_id is not null)
  actions_by_network: index (network_id)
  actions_by_nic: index (nic_id)
  defaults: attempts 0, retry_at 0, touched 0
  failed_actions: index (nic_id) where status = 'ERROR'
  foreign key (network_id) references networks (id)
  foreign key (nic_id) references nics (id)
  kind_of_action_is_known: check kind in ('connect', 'detach', 'revert')
  not null: attempts, channel, created_at, id, kind, nic_id, retry_at, status, status_id, touched
  one_pending_action_per_nic: unique index (nic_id) where status = 'PENDING'
  primary key (id) counted up
  settled_actions_by_time: index (created_at) where status <> 'PENDING'
  status_id_is_unique: unique (status_id)
  status_is_known: check status in ('PENDING', 'DONE', 'ERROR')
  touched_is_a_flag: check touched in (0, 1)
releases
  a_release_that_is_over_has_ended: check (state = 'running') = (ended_at is null)
  defaults: attempts 0, retry_at 0
  ended_releases: index (ended_at) where ended_at is not null
  not null: attempts, caller, detaches, id, label, node, node_id, project, project_id, retry_at, started_at, state, step
  one_running_release_per_node: unique index (node_id) where state = 'running'
  primary key (id) counted up
  release_label_is_unique: unique (label)
  releases_by_project: index (project_id, ended_at)
  running_releases: index (retry_at) where state = 'running'
  state_of_release_is_known: check state in ('running', 'done', 'failed')
  step_of_release_is_known: check step in ('networks', 'obm', 'project')
headnodes
  defaults: making 0
  foreign key (project_id) references projects (id)
  headnode_label_is_unique: unique (label)
  headnode_uuid_is_unique: unique (uuid)
  headnodes_being_deleted: index (state) where state = 'deleting'
  headnodes_being_made: index (making) where making = 1
  headnodes_by_project: index (project_id, label)
  making_is_a_flag: check making in (0, 1)
  not null: base_img, id, label, making, project_id, state, uuid
  primary key (id) counted up
  state_of_headnode_is_known: check state in ('created', 'started', 'stopped', 'deleting')
hnics
  foreign key (headnode_id) references headnodes (id)
  foreign key (network_id) references networks (id)
  hnic_label_is_unique_per_headnode: unique (headnode_id, label)
  hnics_by_network: index (network_id)
  not null: headnode_id, id, label
  primary key (id) counted up
leases
  not null: expires_at, fence, holder, name
  one_lease_per_name: primary key (name)
events
  events_by_caller: index (caller, id)
  events_by_headnode: index (headnode, id) where headnode is not null
  events_by_hnic: index (hnic, id) where hnic is not null
  events_by_network: index (network, id) where network is not null
  events_by_nic: index (nic, id) where nic is not null
  events_by_node: index (node, id) where node is not null
  events_by_port: index (port, id) where port is not null
  events_by_switch: index (switch, id) where switch is not null
  events_by_time: index (at)
  events_by_type: index (type, id)
  events_by_user: index (user, id) where "user" is not null
  not null: at, caller, detail, id, type
  primary key (id) counted up
event_projects
  event_projects_by_id: index (project_id, event_id)
  event_projects_by_label: index (project, event_id)
  foreign key (event_id) references events (id)
  not null: event_id, project, project_id
  one_audience_per_event_and_project: primary key (event_id, project_id)
notifications
  defaults: attempts 0
  not null: attempts, id, node, retry_at
  notifications_by_time: index (retry_at)
  primary key (id) counted up
consoles
  foreign key (node_id) references nodes (id)
  not null: node_id, session
  one_console_per_node: primary key (node_id)
settings
  not null: name, value
  one_value_per_setting: primary key (name)
identities
  identities_by_name: index (name)
  identity_is_admin_is_a_flag: check is_admin in (0, 1)
  not null: backend, id, is_admin, name, projects, seen_at, subject
  one_identity_per_backend_and_subject: unique (backend, subject)
  primary key (id) counted up
sessions
  foreign key (identity_id) references identities (id)
  foreign key (user_id) references users (id)
  not null: address, agent, expires_at, hash, id, label, made_at, seen_at
  primary key (id) counted up
  session_has_one_owner: check (user_id is null) <> (identity_id is null)
  session_hash_is_unique: unique (hash)
  session_label_is_unique: unique (label)
  sessions_by_expiry: index (expires_at)
  sessions_by_identity: index (identity_id)
  sessions_by_user: index (user_id)
api_tokens
  api_tokens_by_expiry: index (expires_at)
  api_tokens_by_project: index (project_id)
  foreign key (identity_id) references identities (id)
  foreign key (project_id) references projects (id)
  foreign key (user_id) references users (id)
  made_admin_is_a_flag: check made_admin in (0, 1)
  not null: expires_at, hash, id, label, made_at, read_only
  primary key (id) counted up
  read_only_is_a_flag: check read_only in (0, 1)
  token_has_one_owner: check (user_id is null) <> (identity_id is null)
  token_hash_is_unique: unique (hash)
  token_label_is_unique_per_identity: unique (identity_id, label)
  token_label_is_unique_per_user: unique (user_id, label)
  token_of_identity_has_rights: check (identity_id is null) = (made_admin is null) and (identity_id is null) = (made_projects is null)
claims
  claim_label_is_unique: unique (label)
  claim_state_is_known: check state in ('waiting', 'served', 'cancelled', 'expired', 'ended')
  claims_by_identity: index (identity_id) where identity_id is not null
  claims_by_project: index (project_id, id)
  claims_by_user: index (user_id) where user_id is not null
  defaults: nodes '[]'
  ended_claims: index (ended_at) where ended_at is not null
  foreign key (identity_id) references identities (id)
  foreign key (project_id) references projects (id)
  foreign key (user_id) references users (id)
  not null: expires_at, id, label, made_at, maker, nodes, prefer, project_id, selector, state, wanted
  primary key (id) counted up
  waiting_claims: index (id) where state = 'waiting'
subscriptions
  defaults: attempts 0, delivered 0, given_up 0, kind 'webhook', retry_at 0
  foreign key (project_id) references projects (id)
  foreign key (user_id) references users (id)
  not null: attempts, delivered, filter, given_up, id, kind, label, made_at, made_by, origin, position, retry_at, secret, state, target, uid
  old_secret_has_an_end: check (old_secret is null) = (old_until is null)
  primary key (id) counted up
  subscription_kind_is_known: check kind in ('webhook', 'mail')
  subscription_label_is_unique: unique (label)
  subscription_state_is_known: check state in ('active', 'paused')
  subscriptions_by_project: index (project_id)
  subscriptions_by_user: index (user_id) where user_id is not null
dead_letters
  dead_letters_by_subscription: index (subscription_id, id)
  foreign key (subscription_id) references subscriptions (id)
  not null: body, died_at, event_id, id, reason, subscription_id
  primary key (id) counted up
obmd_nodes
  not null: id, info, label, type
  obmd_node_label_is_unique: unique (label)
  primary key (id) counted up
obmd_owner
  not null: expires_at, holder, host, name, pid
  primary key (name)
obmd_settings
  not null: name, value
  primary key (name)
`;

/** The sentences about each table. */
export const expectedSchema: ReadonlyMap<string, readonly string[]> = new Map(
  text
    .trim()
    .split(/\n(?=\w)/)
    .map((section) => {
      const [table = '', ...sentences] = section.split('\n').map((line) => line.trim());
      return [table, sentences.filter((sentence) => sentence !== '')];
    }),
);
