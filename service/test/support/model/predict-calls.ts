import {
  type ActionState,
  isPending,
  type NetworkState,
  type NicName,
  type NodeName,
  type Plug,
  plugs,
  plugsOf,
  pool,
  type State,
  withNic,
  without,
} from './model-state.ts';

/*
 * What the interface and the decisions on it say that each call does, in the order of their checks. It knows
 * nothing of how the service does it.
 */

export type CallerName = 'admin' | 'alice' | 'bob';

interface OnNic {
  readonly node: NodeName;
  readonly nic: NicName;
}

/** One member for each of the names, so that a name tells the arguments. */
type Ops<Op extends string, Args> = Op extends string ? { readonly op: Op; readonly caller: CallerName } & Args : never;

/** One call of somebody. */
export type Call =
  | Ops<'project_create' | 'project_delete', { readonly project: string }>
  | Ops<'project_connect_node' | 'project_detach_node', { readonly project: string; readonly node: NodeName }>
  | Ops<'network_create', NewNetwork>
  | Ops<'network_delete' | 'show_network', { readonly network: string }>
  | Ops<'network_grant' | 'network_revoke', { readonly network: string; readonly project: string }>
  | Ops<'connect_network', OnNic & { readonly network: string; readonly channel: Channel }>
  | Ops<'detach_network', OnNic & { readonly network: string }>
  | Ops<'port_revert' | 'port_connect_nic' | 'port_detach_nic' | 'show_port' | 'show_action', OnNic>
  | Ops<'user_add_project' | 'user_remove_project', { readonly user: string; readonly project: string }>
  | Ops<'show_node', { readonly node: NodeName }>;

interface NewNetwork {
  readonly network: string;
  readonly owner: string;
  readonly access: string;
  readonly net_id: string;
}

/** None given, the two legal ones, and one that no network has. */
export type Channel = 'default' | 'native' | 'tagged' | 'illegal';

type Refusal =
  | 'BadArgumentError'
  | 'AuthorizationError'
  | 'NotFoundError'
  | 'DuplicateError'
  | 'BlockedError'
  | 'ProjectMismatchError'
  | 'AllocationError';

/** What the service must answer: an error, or success, what it shows, and the state afterwards. */
export type Prediction =
  { readonly refused: Refusal } | { readonly refused: null; readonly next: State; readonly shows?: unknown };

const refuse = (refused: Refusal): Prediction => ({ refused });
const become = (next: State): Prediction => ({ refused: null, next });
const show = (state: State, shows: unknown): Prediction => ({ refused: null, next: state, shows });

const mayActFor = (state: State, caller: CallerName, project: string | null): boolean =>
  caller === 'admin' || (project !== null && (state.projects[project] ?? []).includes(caller));

export const channelName = (channel: Channel, network: NetworkState | undefined): string => {
  if (channel === 'illegal') return 'vlan/4000';
  return channel === 'tagged' ? `vlan/${network?.vlan ?? 0}` : 'vlan/native';
};

const mayManage = (state: State, caller: CallerName, network: NetworkState): boolean =>
  mayActFor(state, caller, network.owner);

/** Is the network on a nic of these, or about to be, or may it be without anybody knowing? */
const isUsed = (state: State, network: string, among: readonly Plug[]): boolean =>
  among.some((plug) => {
    const nic = state.nics[plug];
    const isAwaited = isPending(nic) && nic.action?.network === network;
    return isAwaited || Object.values(nic.on).includes(network) || nic.suspect?.includes(network);
  });

export const predict = (state: State, call: Call): Prediction => {
  switch (call.op) {
    case 'project_create':
    case 'project_delete':
    case 'user_add_project':
    case 'user_remove_project':
      return call.caller === 'admin' ? administer(state, call) : refuse('AuthorizationError');
    case 'project_connect_node':
    case 'project_detach_node':
      return move(state, call);
    case 'network_create':
      return createNetwork(state, call);
    case 'network_delete':
    case 'show_network':
    case 'network_grant':
    case 'network_revoke':
      return onNetwork(state, call);
    case 'connect_network':
    case 'detach_network':
      return attach(state, call);
    case 'port_revert':
    case 'port_connect_nic':
    case 'port_detach_nic':
    case 'show_port':
    case 'show_action':
      return call.caller === 'admin' ? onPort(state, call) : refuse('AuthorizationError');
    case 'show_node': {
      const project = state.nodes[call.node];
      if (project !== null && !mayActFor(state, call.caller, project)) return refuse('AuthorizationError');
      return show(state, { project, nics: plugsOf(call.node).map((plug) => state.nics[plug].on) });
    }
  }
};

type CallOf<Op extends Call['op']> = Extract<Call, { readonly op: Op }>;

const administer = (
  state: State,
  call: CallOf<'project_create' | 'project_delete' | 'user_add_project' | 'user_remove_project'>,
): Prediction => {
  const { project } = call;
  const members = state.projects[project];
  const withMembers = (list: readonly string[]) =>
    become({ ...state, projects: { ...state.projects, [project]: list } });
  if (call.op === 'project_create') return members ? refuse('DuplicateError') : withMembers([]);
  if (!members) return refuse('NotFoundError');
  if (call.op === 'project_delete') {
    const isHome = Object.values(state.nodes).includes(project);
    const isKnown = Object.values(state.networks).some(
      ({ owner, access }) => owner === project || access?.includes(project),
    );
    return isHome || isKnown
      ? refuse('BlockedError')
      : become({ ...state, projects: without(state.projects, project) });
  }
  const isMember = members.includes(call.user);
  if (call.op === 'user_add_project')
    return isMember ? refuse('DuplicateError') : withMembers([...members, call.user].sort());
  return isMember ? withMembers(members.filter((member) => member !== call.user)) : refuse('NotFoundError');
};

const move = (state: State, call: CallOf<'project_connect_node' | 'project_detach_node'>): Prediction => {
  const { caller, project, node } = call;
  if (!state.projects[project]) return refuse('NotFoundError');
  if (!mayActFor(state, caller, project)) return refuse('AuthorizationError');
  const held = plugsOf(node).map((plug) => state.nics[plug]);
  const isUnknown = held.some(({ isPlugged, suspect }) => isPlugged && suspect !== null);
  if (call.op === 'project_connect_node') {
    if (state.nodes[node] !== null || isUnknown) return refuse('BlockedError');
    return become({ ...state, nodes: { ...state.nodes, [node]: project } });
  }
  if (state.nodes[node] !== project) return refuse('ProjectMismatchError');
  const isBusy = held.some((nic) => Object.keys(nic.on).length > 0 || isPending(nic));
  if (isBusy || isUnknown) return refuse('BlockedError');
  return become({ ...state, nodes: { ...state.nodes, [node]: null } });
};

const createNetwork = (state: State, call: CallOf<'network_create'>): Prediction => {
  const { caller, network, net_id } = call;
  const isOwnAffair = net_id === '' && call.owner === call.access;
  if (!mayActFor(state, caller, isOwnAffair ? call.owner : null)) return refuse('AuthorizationError');
  if (net_id !== '' && !(Number(net_id) >= 1 && Number(net_id) <= 4094)) return refuse('BadArgumentError');
  if (state.networks[network]) return refuse('DuplicateError');
  const owner = call.owner === 'admin' ? null : call.owner;
  const access = call.access === '' ? null : [...new Set([...(owner === null ? [] : [owner]), call.access])].sort();
  for (const project of [owner, ...(access ?? [])]) {
    if (project !== null && !state.projects[project]) return refuse('NotFoundError');
  }
  const taken = Object.values(state.networks).map(({ vlan }) => vlan);
  if (net_id === '' && pool.every((vlan) => taken.includes(vlan))) return refuse('AllocationError');
  if (net_id !== '' && taken.includes(Number(net_id))) return refuse('BlockedError');
  const made = { owner, access, vlan: net_id === '' ? null : Number(net_id) };
  return become({ ...state, networks: { ...state.networks, [network]: made } });
};

const onNetwork = (
  state: State,
  call: CallOf<'network_delete' | 'show_network' | 'network_grant' | 'network_revoke'>,
): Prediction => {
  const { caller } = call;
  const network = state.networks[call.network];
  if (!network) return refuse('NotFoundError');
  if (call.op === 'show_network') return showNetwork(state, call, network);
  if (call.op === 'network_delete') {
    if (!mayManage(state, caller, network)) return refuse('AuthorizationError');
    if (isUsed(state, call.network, plugs)) return refuse('BlockedError');
    return become({ ...state, networks: without(state.networks, call.network) });
  }
  const { project } = call;
  if (!state.projects[project]) return refuse('NotFoundError');
  const isOwn = call.op === 'network_revoke' && mayActFor(state, caller, project);
  if (!mayManage(state, caller, network) && !isOwn) return refuse('AuthorizationError');
  if (network.access === null) return refuse('BlockedError');
  const isIn = network.access.includes(project);
  const withAccess = (access: readonly string[]) =>
    become({ ...state, networks: { ...state.networks, [call.network]: { ...network, access } } });
  if (call.op === 'network_grant')
    return isIn ? refuse('DuplicateError') : withAccess([...network.access, project].sort());
  if (network.owner === project) return refuse('BlockedError');
  if (!isIn) return refuse('NotFoundError');
  const itsPlugs = plugs.filter((plug) => plugsOfProject(state, project).includes(plug));
  if (isUsed(state, call.network, itsPlugs)) return refuse('BlockedError');
  return withAccess(network.access.filter((one) => one !== project));
};

const plugsOfProject = (state: State, project: string): Plug[] =>
  (Object.entries(state.nodes) as [NodeName, string | null][]).flatMap(([node, home]) =>
    home === project ? plugsOf(node) : [],
  );

const showNetwork = (
  state: State,
  { caller, network: label }: CallOf<'show_network'>,
  network: NetworkState,
): Prediction => {
  const isAllowed =
    network.access === null ||
    mayManage(state, caller, network) ||
    network.access.some((project) => mayActFor(state, caller, project));
  if (!isAllowed) return refuse('AuthorizationError');
  const seesAll = mayManage(state, caller, network);
  const connected: Record<string, string[]> = {};
  for (const plug of plugs.filter((one) => Object.values(state.nics[one].on).includes(label))) {
    const [node, nic] = plug.split('/') as [NodeName, NicName];
    if (seesAll || mayActFor(state, caller, state.nodes[node])) connected[node] = [...(connected[node] ?? []), nic];
  }
  return show(state, { owner: network.owner ?? 'admin', access: network.access, connected });
};

const attach = (state: State, call: CallOf<'connect_network' | 'detach_network'>): Prediction => {
  const plug: Plug = `${call.node}/${call.nic}`;
  const nic = state.nics[plug];
  const network = state.networks[call.network];
  const project = state.nodes[call.node];
  if (!network) return refuse('NotFoundError');
  if (project === null) return refuse('ProjectMismatchError');
  if (!mayActFor(state, call.caller, project)) return refuse('AuthorizationError');
  if (call.op === 'connect_network' && !nic.isPlugged) return refuse('NotFoundError');
  if (isPending(nic)) return refuse('BlockedError');
  const held = Object.entries(nic.on).find(([, label]) => label === call.network)?.[0];
  if (call.op === 'detach_network') {
    return held === undefined
      ? refuse('BlockedError')
      : become(queue(state, plug, { kind: 'detach', network: call.network, channel: held }));
  }
  if (network.access !== null && !network.access.includes(project)) return refuse('ProjectMismatchError');
  if (held !== undefined) return refuse('DuplicateError');
  const channel = channelName(call.channel, network);
  if (nic.on[channel] !== undefined || call.channel === 'illegal') return refuse('BlockedError');
  return become(queue(state, plug, { kind: 'connect', network: call.network, channel }));
};

const queue = (state: State, plug: Plug, draft: Pick<ActionState, 'kind' | 'network' | 'channel'>): State =>
  withNic(state, plug, { action: { ...draft, status: 'PENDING', isSure: true } });

const onPort = (
  state: State,
  call: CallOf<'port_revert' | 'port_connect_nic' | 'port_detach_nic' | 'show_port' | 'show_action'>,
): Prediction => {
  const plug: Plug = `${call.node}/${call.nic}`;
  const nic = state.nics[plug];
  const { isPlugged, on, action } = nic;
  switch (call.op) {
    case 'show_port':
      return show(state, { isPlugged, on: isPlugged ? on : {}, isSuspect: nic.suspect !== null });
    case 'show_action':
      if (action === null) return refuse('NotFoundError');
      return show(state, {
        status: action.status,
        type: action.kind === 'revert' ? 'revert_port' : 'modify_port',
        new_network: action.kind === 'connect' ? action.network : null,
        channel: action.channel,
      });
    case 'port_connect_nic':
      return isPlugged ? refuse('DuplicateError') : become(withNic(state, plug, { isPlugged: true }));
    case 'port_revert':
      if (!isPlugged) return refuse('NotFoundError');
      if (isPending(nic)) return refuse('BlockedError');
      return become(queue(state, plug, { kind: 'revert', network: null, channel: '' }));
    case 'port_detach_nic':
      if (!isPlugged) return refuse('NotFoundError');
      if (state.nodes[call.node] !== null || isPending(nic)) return refuse('BlockedError');
      return become(withNic(state, plug, { isPlugged: false }));
  }
};
