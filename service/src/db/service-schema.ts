import type { ColumnType, Generated } from 'kysely';

/*
 * The tables, as Kysely sees them. Portable columns only: whole numbers and text. Flags are 0 or 1,
 * JSON and sealed secrets are text, times are milliseconds since 1970.
 */

type Id = Generated<number>;
type Flag = 0 | 1;
type Fixed<T> = ColumnType<T, T, never>;

export interface Database {
  projects: { id: Id; label: string };
  users: {
    id: Id;
    label: Fixed<string>;
    password_hash: string;
    is_admin: Flag;
    version: Generated<number>;
    /** In lower case. An administrator set it. */
    mail: Generated<string | null>;
    /** 1: the user wants no mail. */
    mail_off: Generated<Flag>;
  };
  user_projects: { user_id: number; project_id: number };
  networks: {
    id: Id;
    label: Fixed<string>;
    /** null: the operator owns it (`admin`). */
    owner_id: Fixed<number | null>;
    is_public: Fixed<Flag>;
    vlan: Fixed<number>;
    /** 1: an administrator chose the id; 0: the allocator did. */
    vlan_is_assigned: Fixed<Flag>;
  };
  network_access: { network_id: number; project_id: number };
  switches: {
    id: Id;
    label: Fixed<string>;
    type: Fixed<string>;
    /** sealed */
    config: string;
    /** What happens when a port is seen to carry something else than is recorded. */
    policy: Generated<DriftPolicy>;
    /** When it is swept next, and when it last was. */
    sweep_at: Generated<number>;
    swept_at: Generated<number | null>;
    /** Counts the sweeps that were asked for, and the last one that an attempt answered. */
    sweep_wanted: Generated<number>;
    sweep_answered: Generated<number>;
    /** JSON: ports that nobody registered, as the last sweep saw them. null: the driver cannot tell. */
    strangers: Generated<string | null>;
    /** Since when the running configuration has not been saved; null when it is, or cannot be. */
    unsaved_since: Generated<number | null>;
    /** Not to be saved before this, because the last attempt failed, and why it did. */
    save_at: Generated<number>;
    save_fault: Generated<string | null>;
    /** Why the last attempt to talk to it failed, how many in a row did, and when to try again. */
    fault: Generated<string | null>;
    faults: Generated<number>;
    /** When the first of them failed; null when the last attempt did not. */
    fault_since: Generated<number | null>;
    /** What the device says it is, as it was last met; null: it does not say, or was never met. */
    identity: Generated<string | null>;
    /** The record that has the same device already: this one is not used. */
    duplicate_of: Generated<number | null>;
    probe_at: Generated<number>;
    /** The number of the newest session with it; an update takes one, so that sessions with the old fields are old. */
    session: Generated<number>;
  };
  /** Where switches are reached, after resolution. */
  switch_places: { switch_id: number; place: string };
  ports: {
    id: Id;
    switch_id: Fixed<number>;
    label: Fixed<string>;
    /** Why nobody knows what this port carries; null when it is known. */
    suspect: string | null;
    suspect_retry_at: number | null;
    suspect_attempts: Generated<number>;
    /** JSON: what it was last seen to carry; `null` in it: the switch has no such port. null: never read. */
    reading: Generated<string | null>;
    read_at: Generated<number | null>;
    /** Since when it has been seen to carry something else than is recorded. */
    drift_since: Generated<number | null>;
    /** The session that writes to it, until it is recorded how that ended. */
    written_by: Generated<number | null>;
    /** Until when something of a session that broke off may still arrive, and when it is read next because of that. */
    late_until: Generated<number | null>;
    late_read_at: Generated<number | null>;
    /** 1 after a nic was connected to it, its switch was moved, or a restore, until it has been read. */
    unread: Generated<Flag>;
    /** 1 once it has been seen to carry what is recorded and nothing else. */
    was_clean: Generated<Flag>;
    /** 1 while what is recorded says nothing about it: after a restore, until it has been read. */
    may_carry_any: Generated<Flag>;
    /** The number of the sweep that read it last, among those of its switch; null: none did. */
    read_in_sweep: Generated<number | null>;
  };
  /** Networks that a suspect port may carry although no attachment records it. */
  suspect_networks: { port_id: number; network_id: number };
  /** Nodes whose nic was unplugged, on record, from a port that could not be trusted. It holds them until it can be. */
  held_nodes: { port_id: number; node_id: number };
  /** BMCs of deleted nodes that are still to be deleted in the OBM daemon inside the service. */
  departed_bmcs: { obm_uri: string; node: string };
  nodes: {
    id: Id;
    label: Fixed<string>;
    project_id: number | null;
    metadata: string;
    obm_uri: string;
    /** sealed */
    obm_admin_token: string;
    /** sealed; null while OBM is disabled */
    obm_token: string | null;
    /** What its metadata says under the key of classes; empty: nothing. */
    class: Generated<string>;
    /** What keeps it from its next project; null: nothing does. */
    gate: Generated<Gate | null>;
  };
  /** How much of something a project may have. */
  quotas: {
    id: Id;
    /** null: every project that has no limit of its own for the same. */
    project_id: Fixed<number | null>;
    what: Fixed<LimitedKind>;
    /** Of nodes: only those of this class; empty: all of them. */
    class: Fixed<string>;
    /** null: this project has no limit, unlike the others. */
    most: number | null;
  };
  /** What `nodes.metadata` says, a row for each key, so that nodes are found by it (`metadata-value.ts`). */
  node_metadata: {
    node_id: number;
    key: string;
    /** null: it is too long to be looked for. */
    text: string | null;
    /** A number, as a text of digits that sorts as the numbers do; null: it is none. */
    number: string | null;
  };
  /** What nodes go through between two projects. At most one of a node is not passed. */
  cleanings: {
    id: Id;
    /** What it is called over the interface. */
    label: Fixed<string>;
    node_id: Fixed<number>;
    /** The label of the project that the node left; null: it was free. */
    project: Fixed<string | null>;
    state: CleaningState;
    /** Why the node is quarantined. */
    reason: string | null;
    /** Times of a cleaning are by the database's clock. */
    created_at: Fixed<number>;
    ended_at: number | null;
    /** When a worker looks at it next. */
    due_at: number;
  };
  cleaning_steps: {
    id: Id;
    cleaning_id: Fixed<number>;
    position: Fixed<number>;
    name: Fixed<string>;
    kind: Fixed<StepKind>;
    state: StepState;
    attempts: number;
    started_at: number | null;
    deadline_at: number | null;
    ended_at: number | null;
    /** What became of it, or what it waits for. */
    sentence: string | null;
    evidence: string | null;
    /** JSON: how far an attempt that takes a while has come. */
    progress: string | null;
    /** SHA-256 of the tokens that its result is reported with, the newest last; spaces between them. */
    token_hashes: string;
  };
  /** The ledger of usage: labels and ids are those of then, and refer to nothing. */
  usage_spans: {
    id: Id;
    node: Fixed<string>;
    class: string;
    project_id: number;
    project: string;
    kind: Fixed<UsageKind>;
    from_at: number;
    /** null: it goes on. */
    until_at: Generated<number | null>;
  };
  nics: { id: Id; node_id: Fixed<number>; label: Fixed<string>; macaddr: Fixed<string>; port_id: number | null };
  attachments: { id: Id; nic_id: Fixed<number>; network_id: Fixed<number>; channel: Fixed<string> };
  actions: {
    id: Id;
    status_id: Fixed<string>;
    nic_id: Fixed<number>;
    kind: Fixed<'connect' | 'detach' | 'revert'>;
    /** Held while the action is pending, so that the network cannot go; its label stays in the record. */
    network_id: number | null;
    network: Fixed<string | null>;
    channel: Fixed<string>;
    status: 'PENDING' | 'DONE' | 'ERROR';
    error: string | null;
    /** 1 as soon as a worker may have written to the switch on its behalf. */
    touched: Generated<Flag>;
    attempts: Generated<number>;
    created_at: Fixed<number>;
    retry_at: Generated<number>;
  };
  /** Nodes that are being given back by one call, and those that were lately. */
  releases: {
    id: Id;
    /** What it is called in the interface. */
    label: Fixed<string>;
    node_id: Fixed<number>;
    node: Fixed<string>;
    project_id: Fixed<number>;
    project: Fixed<string>;
    /** Who asked for it, as events name callers. */
    caller: Fixed<string>;
    state: ReleaseState;
    step: ReleaseStep;
    /** JSON: the detachments that it queued, oldest first. */
    detaches: string;
    /** What went wrong last: it is tried again, or the release has failed. The second is for administrators. */
    problem: string | null;
    operator_problem: string | null;
    /** Failed attempts at the step, the first of them, and when the next one is due. */
    attempts: Generated<number>;
    failing_since: Generated<number | null>;
    retry_at: Generated<number>;
    started_at: Fixed<number>;
    ended_at: number | null;
    /** What is wrong with the node, as those say who give it back; it is quarantined then. null: nothing. */
    for_repair: Generated<string | null>;
  };
  headnodes: {
    id: Id;
    label: Fixed<string>;
    project_id: Fixed<number>;
    uuid: Fixed<string>;
    base_img: Fixed<string>;
    state: HeadnodeState;
    /** 1 while its machine is being made: nobody knows how much of it is there. */
    making: Generated<Flag>;
  };
  hnics: { id: Id; headnode_id: Fixed<number>; label: Fixed<string>; network_id: number | null };
  leases: { name: string; holder: string; fence: number; expires_at: number };
  events: {
    id: Id;
    at: Fixed<number>;
    type: Fixed<string>;
    caller: Fixed<string>;
    request_id: Fixed<string | null>;
    project: Fixed<string | null>;
    node: Fixed<string | null>;
    nic: Fixed<string | null>;
    network: Fixed<string | null>;
    headnode: Fixed<string | null>;
    hnic: Fixed<string | null>;
    switch: Fixed<string | null>;
    port: Fixed<string | null>;
    user: Fixed<string | null>;
    detail: Fixed<string>;
  };
  event_projects: { event_id: number; project_id: number; project: string };
  notifications: { id: Id; node: Fixed<string>; attempts: Generated<number>; retry_at: number };
  consoles: { node_id: number; session: string };
  settings: { name: string; value: string };
  /** People authenticated by another backend, as they were last seen there. */
  identities: {
    id: Id;
    backend: Fixed<string>;
    subject: Fixed<string>;
    name: string;
    is_admin: Flag;
    /** JSON: labels. */
    projects: string;
    seen_at: number;
  };
  sessions: {
    id: Id;
    /** What it is called where it is listed; says nothing about its secret. */
    label: Fixed<string>;
    /** SHA-256 of the secret. */
    hash: Fixed<string>;
    /** Either a user or an identity. */
    user_id: Fixed<number | null>;
    identity_id: Fixed<number | null>;
    made_at: Fixed<number>;
    seen_at: number;
    expires_at: Fixed<number>;
    address: Fixed<string>;
    agent: Fixed<string>;
  };
  api_tokens: {
    id: Id;
    label: Fixed<string>;
    /** SHA-256 of the secret. */
    hash: Fixed<string>;
    /** Either a user or an identity. */
    user_id: Fixed<number | null>;
    identity_id: Fixed<number | null>;
    /** null: for everything that its owner may do. */
    project_id: Fixed<number | null>;
    read_only: Fixed<Flag>;
    /** What the person could do when it was made, as in `identities`. null: a user's, which is looked up. */
    made_admin: Fixed<Flag | null>;
    made_projects: Fixed<string | null>;
    made_at: Fixed<number>;
    expires_at: Fixed<number>;
    used_at: Generated<number | null>;
  };
  /** Claims that wait for nodes, or did. */
  claims: {
    id: Id;
    /** What it is called over the interface. */
    label: Fixed<string>;
    project_id: Fixed<number>;
    /** Either a user or an identity; neither where everybody is the operator, or when the user is deleted. */
    user_id: number | null;
    identity_id: Fixed<number | null>;
    /** The name of the person. */
    maker: Fixed<string>;
    wanted: Fixed<number>;
    /** JSON: `match` and `prefer` of the request. */
    selector: Fixed<string>;
    prefer: Fixed<string>;
    state: ClaimState;
    /** JSON: labels of the nodes that it was served with. */
    nodes: Generated<string>;
    /** Why it ended without nodes; while it waits, why it was passed over although nodes fit. */
    reason: Generated<string | null>;
    made_at: Fixed<number>;
    expires_at: Fixed<number>;
    ended_at: Generated<number | null>;
  };
  /** Webhooks and mail: who is sent which events. */
  subscriptions: {
    id: Id;
    label: Fixed<string>;
    /** No other subscription ever has it: part of the ids of its messages. */
    uid: Fixed<string>;
    /** null: the site's, which is sent what an administrator is shown. */
    project_id: Fixed<number | null>;
    made_by: Fixed<string>;
    made_at: Fixed<number>;
    kind: Fixed<'webhook' | 'mail'>;
    /** sealed: the URL, which may have a secret in its path, or the address of mail; empty for mail to a user */
    target: string;
    /** The part of it that may be shown and logged. */
    origin: string;
    /** Whose mail it is; null: it is a webhook, or goes to an address that an administrator chose. */
    user_id: Fixed<number | null>;
    /** JSON. */
    filter: string;
    /** sealed; empty for mail, which nothing signs */
    secret: string;
    /** sealed; the secret before, which also signs until then */
    old_secret: Generated<string | null>;
    old_until: Generated<number | null>;
    state: 'active' | 'paused';
    paused_because: Generated<string | null>;
    /** The last event that was delivered, given up, or is not for it. */
    position: number;
    /** How often the next one was tried, and when it is tried again. */
    attempts: Generated<number>;
    retry_at: Generated<number>;
    /** The first event of the mail for which events are being collected, until `retry_at`; null: there is none. */
    digest_from: Generated<number | null>;
    /** The last event of that mail, from its first attempt on: it contains the same however often it is sent. */
    digest_to: Generated<number | null>;
    /** How many, since it was made. */
    delivered: Generated<number>;
    given_up: Generated<number>;
    /** Events up to this one were deleted before it had come to them. */
    lost_up_to: Generated<number | null>;
    last_at: Generated<number | null>;
    last_result: Generated<string | null>;
  };
  /** What could not be delivered for too long. */
  dead_letters: {
    id: Id;
    subscription_id: Fixed<number>;
    event_id: Fixed<number>;
    /** JSON: the event, as the owner of the subscription was to see it. */
    body: Fixed<string>;
    reason: string;
    died_at: Fixed<number>;
  };
}

export type ClaimState = 'waiting' | 'served' | 'cancelled' | 'expired' | 'ended';
/** What keeps a node from its next project. */
export type Gate = 'cleaning' | 'maintenance' | 'quarantined';

/** `maintenance`: all that the service does itself has passed, and the maintenance service has the node. */
export type CleaningState = 'running' | 'maintenance' | 'passed' | 'failed';
export type StepState = 'pending' | 'running' | 'passed' | 'failed' | 'skipped';
/** What the service does in a step. */
export type StepKind =
  | 'power'
  | 'ports'
  | 'bootdev'
  | 'bmc'
  | 'command'
  | 'webhook'
  /** Puts the node on the cleaning network, boots it from there, sees where it is plugged in, and takes it off again. */
  | 'attach'
  | 'boot'
  | 'wiring'
  | 'detach'
  | 'maintenance';

export type DriftPolicy = 'report' | 'repair';

/** What there can be a limit of. */
export type LimitedKind = 'nodes' | 'networks' | 'headnodes';

export type ReleaseState = 'running' | 'done' | 'failed';

/** What a release does, in this order: detach networks, disable OBM, take the node out of the project. */
export type ReleaseStep = 'networks' | 'obm' | 'project';

/** A node was in a project; it was turned on there. */
export type UsageKind = 'reserved' | 'powered';

type HeadnodeState = 'created' | 'started' | 'stopped' | 'deleting';
