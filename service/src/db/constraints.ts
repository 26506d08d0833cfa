/*
 * Errors of database constraints. Checks inside an operation come first and are more precise; these messages are for
 * the moment when a constraint is what stopped a change. PostgreSQL reports the constraint's name, SQLite the
 * columns.
 */

/** What went wrong when a constraint spoke. */
export interface Verdict {
  readonly type: 'DuplicateError' | 'BlockedError';
  readonly message: string;
}

interface Constraint extends Verdict {
  readonly name: string;
  readonly columns: string;
}

const constraint =
  (type: Verdict['type']) =>
  (name: string, columns: string, message: string): Constraint => ({ type, name, columns, message });

const taken = constraint('DuplicateError');
const inUse = constraint('BlockedError');

const constraints: readonly Constraint[] = [
  taken('project_label_is_unique', 'projects.label', 'a project with this label already exists'),
  taken('user_label_is_unique', 'users.label', 'a user with this name already exists'),
  taken(
    'one_membership_per_user_and_project',
    'user_projects.user_id, user_projects.project_id',
    'the user is already in this project',
  ),
  taken('network_label_is_unique', 'networks.label', 'a network with this label already exists'),
  inUse('one_network_per_vlan', 'networks.vlan', 'another network has this VLAN id'),
  taken(
    'one_grant_per_network_and_project',
    'network_access.network_id, network_access.project_id',
    'the project already has access to this network',
  ),
  taken('switch_label_is_unique', 'switches.label', 'a switch with this label already exists'),
  taken('port_label_is_unique_per_switch', 'ports.switch_id, ports.label', 'the switch already has this port'),
  taken('node_label_is_unique', 'nodes.label', 'a node with this label already exists'),
  taken('nic_label_is_unique_per_node', 'nics.node_id, nics.label', 'the node already has this nic'),
  taken('one_nic_per_port', 'nics.port_id', 'the port already has a nic'),
  inUse(
    'one_network_per_channel_of_a_nic',
    'attachments.nic_id, attachments.channel',
    'the channel is in use on this nic',
  ),
  taken(
    'one_attachment_per_nic_and_network',
    'attachments.nic_id, attachments.network_id',
    'the network is already on this nic',
  ),
  inUse('one_pending_action_per_nic', 'actions.nic_id', 'a networking action is pending on this nic'),
  inUse('one_running_release_per_node', 'releases.node_id', 'a release of this node is in progress'),
  taken('headnode_label_is_unique', 'headnodes.label', 'a headnode with this label already exists'),
  taken('hnic_label_is_unique_per_headnode', 'hnics.headnode_id, hnics.label', 'the headnode already has this hnic'),
  taken(
    'one_quota_per_project_and_class',
    'quotas.project_id, quotas.what, quotas.class',
    'the project already has such a quota',
  ),
  taken('one_default_quota_per_class', 'quotas.what, quotas.class', 'there is already such a default quota'),
  taken(
    'one_identity_per_backend_and_subject',
    'identities.backend, identities.subject',
    'the user has just signed in elsewhere; try again',
  ),
  taken('subscription_label_is_unique', 'subscriptions.label', 'a subscription with this label already exists'),
  taken(
    'token_label_is_unique_per_user',
    'api_tokens.user_id, api_tokens.label',
    'a token with this name already exists',
  ),
  taken(
    'token_label_is_unique_per_identity',
    'api_tokens.identity_id, api_tokens.label',
    'a token with this name already exists',
  ),
];

/** What a database error says about a unique or foreign key, or null if it is about something else. */
export const verdictOf = (error: unknown): Verdict | null => {
  const { code, constraint, message } = error as { code?: string; constraint?: string; message?: string };
  if (code === '23505') return constraints.find(({ name }) => name === constraint) ?? null;
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return constraints.find(({ columns }) => message?.endsWith(`: ${columns}`)) ?? null;
  }
  const isForeignKey = code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
  return isForeignKey
    ? { type: 'BlockedError', message: 'something still refers to this object; detach it first' }
    : null;
};
