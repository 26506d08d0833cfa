import type { Me, NodeOverview } from '../api/client.ts';

/** What a node is to the person who looks. */
export type NodeState = 'free' | 'mine' | 'used' | 'blocked';

export const stateOf = (node: NodeOverview, { projects }: Pick<Me, 'projects'>): NodeState => {
  if (node.project !== null) return projects.includes(node.project) ? 'mine' : 'used';
  return (node.blocked?.length ?? 0) > 0 ? 'blocked' : 'free';
};

/** Whether a change of its networks waits for its switch. */
export const isChanging = ({ blocked }: NodeOverview): boolean =>
  blocked?.some(({ kind }) => kind === 'action') ?? false;

/** All networks of a node with their channels, each once. */
export const networksOf = (node: NodeOverview): readonly { readonly network: string; readonly channel: string }[] => {
  const found = new Map<string, string>();
  for (const { networks } of node.nics)
    for (const [channel, network] of Object.entries(networks)) found.set(network, channel);
  return [...found].map(([network, channel]) => ({ network, channel }));
};

/** A value of metadata as people write it. */
export const metadataText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

/** What a node is to the person who looks, in a word or two. */
export const stateWords: Readonly<Record<NodeState, string>> = {
  free: 'free',
  mine: 'mine',
  used: 'in use',
  blocked: 'blocked',
};
