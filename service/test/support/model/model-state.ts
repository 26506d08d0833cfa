/*
 * What the service is supposed to know, in plain maps. Ports are plugged one to one: port `n0/eth0` of the
 * switch named like the nic is where nic eth0 of node n0 belongs.
 */

export const nodes = ['n0', 'n1', 'n2'] as const;
export const nics = ['eth0', 'eth1'] as const;
export const networks = ['net0', 'net1', 'net2'] as const;
export const projects = ['red', 'blue'] as const;
/** The VLANs of the pool: fewer than there are networks. */
export const pool = [100, 101] as const;

export type NodeName = (typeof nodes)[number];
export type NicName = (typeof nics)[number];
export type Plug = `${NodeName}/${NicName}`;
export type SwitchName = 'sw0' | 'sw1';

export const plugs: readonly Plug[] = nodes.flatMap((node) => nics.map((nic): Plug => `${node}/${nic}`));
/** First nics are on one switch, second nics on the other. */
export const switchOf = (plug: Plug): SwitchName => (plug.endsWith('eth0') ? 'sw0' : 'sw1');
export const plugsOf = (node: NodeName): readonly Plug[] => nics.map((nic): Plug => `${node}/${nic}`);

export interface ActionState {
  readonly kind: 'connect' | 'detach' | 'revert';
  readonly network: string | null;
  readonly channel: string;
  readonly status: 'PENDING' | 'DONE' | 'ERROR';
  /** The switch has had no fault since the action was queued, so it must succeed; of no interest once it is settled. */
  readonly isSure: boolean;
}

export interface NicState {
  readonly isPlugged: boolean;
  /** Networks by channel. */
  readonly on: Readonly<Record<string, string>>;
  /** The newest action, if there was one. */
  readonly action: ActionState | null;
  /** Networks that the port may carry unrecorded, if nobody knows what it carries. */
  readonly suspect: readonly string[] | null;
}

export interface NetworkState {
  /** null: the operator. */
  readonly owner: string | null;
  /** null: public. */
  readonly access: readonly string[] | null;
  /** null until it has been asked for. */
  readonly vlan: number | null;
}

export interface State {
  /** Members by project. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
  readonly networks: Readonly<Record<string, NetworkState>>;
  /** The project of each node, or null: it is free. */
  readonly nodes: Readonly<Record<NodeName, string | null>>;
  readonly nics: Readonly<Record<Plug, NicState>>;
}

const idle: NicState = { isPlugged: true, on: {}, action: null, suspect: null };

export const initial: State = {
  projects: { red: ['alice'], blue: ['bob'] },
  networks: {},
  nodes: { n0: null, n1: null, n2: null },
  nics: { 'n0/eth0': idle, 'n0/eth1': idle, 'n1/eth0': idle, 'n1/eth1': idle, 'n2/eth0': idle, 'n2/eth1': idle },
};

export const withNic = (state: State, plug: Plug, change: Partial<NicState>): State => ({
  ...state,
  nics: { ...state.nics, [plug]: { ...state.nics[plug], ...change } },
});

export const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

export const isPending = ({ action }: NicState): boolean => action?.status === 'PENDING';

/** What the engine may have made of one nic by now, beside nothing. */
const turnsOf = (nic: NicState): NicState[] => {
  const { action, suspect } = nic;
  const known = suspect === null ? [nic] : [nic, { ...nic, suspect: null }];
  if (action?.status !== 'PENDING') return known;
  const settled = (status: 'DONE' | 'ERROR'): ActionState => ({ ...action, status, isSure: true });
  const done: NicState = { ...nic, on: afterwards(nic, action), suspect: null, action: settled('DONE') };
  if (action.isSure) return [...known, done];
  const failed: NicState = { ...nic, action: settled('ERROR') };
  const maybeOn = action.kind === 'connect' && action.network !== null ? [action.network] : [];
  const unknown = { ...failed, suspect: [...new Set([...(suspect ?? []), ...maybeOn])].sort() };
  return [...known, done, { ...failed, suspect: null }, { ...failed, suspect }, unknown];
};

const afterwards = ({ on }: NicState, action: ActionState): Record<string, string> => {
  if (action.kind === 'revert') return {};
  if (action.kind === 'connect') return { ...on, [action.channel]: action.network ?? '' };
  return without(on, action.channel);
};

/** All states that the engine may have reached on its own from this one. */
export const settlements = (state: State): State[] => {
  let reached = [state];
  for (const plug of plugs) {
    const turns = turnsOf(state.nics[plug]);
    if (turns.length > 1) reached = reached.flatMap((one) => turns.map((turn) => withNic(one, plug, turn)));
  }
  return unique(reached);
};

export const unique = (states: readonly State[]): State[] => [
  ...new Map(states.map((state) => [JSON.stringify(state), state])).values(),
];
