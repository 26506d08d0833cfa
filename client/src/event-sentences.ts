type Detail = Readonly<Record<string, unknown>>;

const changesDone: Readonly<Record<string, string>> = {
  connect: '{node} is on {network}',
  detach: '{node} is off {network}',
  revert: '{node} is off all networks',
};
const changesFailed: Readonly<Record<string, string>> = {
  connect: '{node} could not be connected to {network}',
  detach: '{node} could not be detached from {network}',
  revert: '{node} could not be taken off its networks',
};

/**
 * What happened, for every type of event; the caller stands before it. `{node}`, `{network}`, `{switch}` and `{headnode}`
 * are links, with the nic, port or hnic of the event; with `.name`, what is gone, they are only names. `{detail.x}` is
 * what the event says of itself.
 */
export const eventSentences: Readonly<Record<string, string | ((detail: Detail) => string)>> = {
  bmc_delete: 'deleted the BMC of {node}',
  bmc_register: 'registered the BMC of {node}',
  claim_cancelled: 'cancelled a claim of {project}',
  claim_ended: ({ state }) =>
    state === 'expired'
      ? 'ended a claim of {project}: its time is over'
      : 'ended a claim of {project}: {detail.reason}',
  claim_served: 'was served {detail.count} nodes for {project}, after a wait',
  claim_waiting: 'waits for {detail.count} nodes for {project}',
  cleaning_maintenance: 'handed {node} to the maintenance service',
  cleaning_passed: 'finished cleaning {node}',
  cleaning_retry: 'began to clean {node} again',
  cleaning_skip: 'skipped step {detail.step} of the cleaning of {node}: {detail.reason}',
  cleaning_started: 'began to clean {node}',
  cleaning_step: 'step {detail.step} of the cleaning of {node} {detail.outcome}',
  headnode_connect_network: 'connected {headnode} to {network}',
  headnode_create: 'created headnode {headnode} for {project}',
  headnode_create_hnic: 'added hnic {headnode}',
  headnode_delete: 'deleted headnode {headnode.name}',
  headnode_delete_hnic: 'removed hnic {headnode}',
  headnode_delete_leftover: 'deleted machine {detail.uuid}, which had no headnode',
  headnode_detach_network: 'detached {headnode} from its network',
  headnode_start: 'started {headnode}',
  headnode_stop: 'stopped {headnode}',
  maintenance_notified: 'reported {node} to the maintenance service',
  network_create: ({ public: isPublic }) =>
    isPublic === true ? 'created the public network {network}' : 'created network {network}',
  network_delete: 'deleted network {network.name}',
  network_grant_project_access: 'granted {detail.project} access to {network}',
  network_revoke_project_access: 'revoked access of {detail.project} to {network}',
  networking_action_done: ({ change }) => changesDone[String(change)] ?? 'a change of {node} is done {network}',
  networking_action_failed: ({ change }) => changesFailed[String(change)] ?? 'a change of {node} failed {network}',
  node_connect_network: 'asked to connect {node} to {network}',
  node_delete: 'deleted node {node.name}',
  node_delete_metadata: 'removed metadata {detail.label} of {node}',
  node_delete_nic: 'deleted nic {node}',
  node_detach_network: 'asked to detach {node} from {network}',
  node_disable_obm: 'disabled OBM of {node}',
  node_enable_obm: 'enabled OBM of {node}',
  node_power_cycle: 'restarted {node}',
  node_power_off: 'turned {node} off',
  node_power_on: 'turned {node} on',
  node_quarantined: 'quarantined {node}: {detail.reason}',
  node_register: 'registered node {node}',
  node_register_nic: 'registered nic {node}',
  node_release_failed: 'could not give {node} back',
  node_release_for_repair: 'gives {node} back for repair: {detail.for_repair}',
  node_release_started: 'asked to give {node} back',
  node_released: 'gave {node} back',
  node_set_bootdev: 'set the boot device of {node} to {detail.bootdev}',
  node_set_metadata: 'set metadata {detail.label} of {node}',
  node_set_obmd: 'set the OBM daemon of {node}',
  port_connect_nic: 'recorded that {node} is plugged into {switch}',
  port_detach_nic: 'recorded that {node} is unplugged from {switch}',
  port_drift: '{switch} carries something that is not recorded',
  port_drift_over: '{switch} is as recorded again',
  port_in_doubt: 'a change that was given up may still reach {switch}',
  port_known: 'what {switch} carries is known again',
  port_late_write: 'a change that was given up reached {switch}, and is being corrected',
  port_repaired: 'put {switch} back as recorded',
  port_revert: 'asked to put {switch} back',
  port_suspect: 'nobody knows what {switch} carries',
  project_claim: 'claimed {detail.count} nodes for {project}',
  project_connect_node: 'reserved {node} for {project}',
  project_create: 'created project {project}',
  project_delete: 'deleted project {project}',
  project_detach_node: 'released {node} from {project}',
  quota_delete: ({ default: isDefault }) =>
    isDefault === true
      ? 'deleted the default quota of {detail.what}'
      : 'deleted the quota of {detail.what} of {project}',
  quota_set: ({ default: isDefault, limit }) => {
    const most = limit === null ? 'no limit' : '{detail.limit}';
    return `set the ${isDefault === true ? 'default quota' : 'quota of {project}'} of {detail.what} to ${most}`;
  },
  session_end: 'signed out',
  session_open: 'signed in',
  show_console: 'opened the console of {node}',
  subscription_create: 'subscribed {detail.origin} to events as {detail.subscription}',
  subscription_dead_letters: ({ count }) =>
    `gave up ${count === 1 ? 'an event' : `${String(count)} events`} for subscription {detail.subscription}: {detail.reason}`,
  subscription_delete: 'deleted subscription {detail.subscription}',
  subscription_paused: 'paused subscription {detail.subscription}: {detail.reason}',
  subscription_rotate_secret: 'gave subscription {detail.subscription} a new secret',
  subscription_update: ({ paused }) =>
    typeof paused === 'boolean'
      ? `${paused ? 'paused' : 'resumed'} subscription {detail.subscription}`
      : 'changed subscription {detail.subscription}',
  switch_delete: 'deleted switch {switch.name}',
  switch_delete_port: 'deleted port {switch.name}',
  switch_duplicate: '{switch} is the same device as {detail.same_as}',
  switch_fault: '{switch} refused a change',
  switch_reachable: '{switch} answers again',
  switch_register: 'registered switch {switch}',
  switch_register_port: 'registered port {switch}',
  switch_replaced: 'another device answers as {switch}',
  switch_resolved: '{switch} is one device again',
  switch_set_policy: ({ policy }) =>
    policy === 'repair'
      ? 'lets ports of {switch} that differ be repaired'
      : 'lets ports of {switch} that differ be reported',
  switch_unreachable: '{switch} does not answer',
  switch_update: ({ fields }) =>
    Array.isArray(fields)
      ? `changed ${fields.join(', ').replaceAll('_', ' ')} of switch {switch}`
      : 'changed switch {switch}',
  token_create: 'created token {detail.token} of {user}',
  token_revoke: 'revoked token {detail.token} of {user}',
  user_add_project: 'added {user} to {project}',
  user_create: ({ is_admin }) => (is_admin === true ? 'created administrator {user}' : 'created user {user}'),
  user_delete: 'deleted user {user}',
  user_remove_project: 'removed {user} from {project}',
  user_set_admin: ({ is_admin }) =>
    is_admin === true ? 'made {user} an administrator' : 'made {user} an administrator no longer',
  user_set_mail: ({ address, enabled }) =>
    typeof enabled === 'boolean'
      ? `turned mail to {user} ${enabled ? 'on' : 'off'}`
      : `${address === 'removed' ? 'removed' : 'set'} the mail address of {user}`,
  user_set_password: ({ reset }) =>
    reset === true ? 'set a new password for {user}' : 'changed the password of {user}',
};

/** What was done although the service would have refused it says so. */
export const forceIn = ({ forced, force }: Detail): string =>
  (typeof forced === 'string' && forced !== '') || force === true ? ' by force' : '';

/** What a sentence needs of an event. */
interface SaidEvent {
  readonly type: string;
  readonly caller: string;
  readonly project: string | null;
  readonly detail: Detail;
  readonly node?: string;
  readonly nic?: string;
  readonly network?: string;
  readonly headnode?: string;
  readonly hnic?: string;
  readonly switch?: string;
  readonly port?: string;
  readonly user?: string;
}

/** An event as one line of plain text: who, and what happened. Nothing in it can begin another line. */
export const eventText = (event: SaidEvent): string => {
  const found = eventSentences[event.type];
  const sentence = (typeof found === 'function' ? found(event.detail) : found) ?? unknownSentence(event.type);
  const said = sentence.replaceAll(/\{([^}]+)\}/g, (_, name: string) => nameIn(name, event));
  return oneLine(`${event.caller}: ${said}${forceIn(event.detail)}`);
};

/** A type that is newer than these sentences: the words of the interface, and what it is about. */
const unknownSentence = (type: string): string =>
  `${type.replaceAll('_', ' ')} {node} {network} {switch} {headnode} {user} {project}`;

const nameIn = (name: string, event: SaidEvent): string => {
  const { node, nic, network, headnode, hnic, port, user, project } = event;
  const things: Readonly<Record<string, readonly (string | null | undefined)[]>> = {
    node: [node, nic],
    'node.name': [node],
    network: [network],
    'network.name': [network],
    switch: [event.switch, port],
    'switch.name': [event.switch, port],
    headnode: [headnode, hnic],
    'headnode.name': [headnode],
    project: [project],
    user: [user],
  };
  const said = event.detail[name.replace(/^detail\./, '')];
  const words = things[name] ?? [typeof said === 'string' || typeof said === 'number' ? String(said) : undefined];
  return words.filter((word) => typeof word === 'string').join(' ');
};

/** Without what could end a line, hide text or turn its direction round. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/ (?=[:,]|$)/g, '')
    .trim();
