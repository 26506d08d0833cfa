/*
 * Who lives in the rack when the demo begins. Passwords are no secrets here: they are shown on the screen.
 */

/** One nic on one network; without a channel, untagged. */
interface Connection {
  readonly node: string;
  readonly nic: string;
  readonly network: string;
  readonly tagged?: true;
}

export interface Tenant {
  readonly project: string;
  readonly user: string;
  readonly networks: readonly string[];
  readonly nodes: readonly string[];
  readonly connections: readonly Connection[];
}

/** A network of the operator's that every project may use. */
export const publicNetwork = 'campus';

/** The node with out-of-band management switched on, and the headnode that runs. Both belong to the first tenant. */
export const managedNode = 'node-01';
export const headnode = { label: 'physics-head', hnic: 'eth0', network: 'physics-lab', image: 'base' } as const;

export const passwordOf = (user: string): string => `${user}-demo`;

const onNetwork = (network: string, nic: string, nodes: readonly string[]): Connection[] =>
  nodes.map((node) => ({ node, nic, network }));

const physicsNodes = ['node-01', 'node-02', 'node-03', 'node-04', 'node-05', 'node-06'];
const genomicsNodes = ['node-21', 'node-22', 'node-23', 'node-24'];

export const tenants: readonly Tenant[] = [
  {
    project: 'physics',
    user: 'ada',
    networks: ['physics-lab', 'physics-storage'],
    nodes: physicsNodes,
    connections: [
      ...onNetwork('physics-lab', 'eth0', physicsNodes),
      ...onNetwork(publicNetwork, 'eth1', ['node-01', 'node-02']),
      ...onNetwork('physics-storage', 'eth2', ['node-03', 'node-04']),
      { node: 'node-01', nic: 'eth0', network: 'physics-storage', tagged: true },
    ],
  },
  {
    project: 'genomics',
    user: 'grace',
    networks: ['genomics-lab'],
    nodes: genomicsNodes,
    connections: [
      ...onNetwork('genomics-lab', 'eth0', genomicsNodes),
      ...onNetwork(publicNetwork, 'eth1', ['node-21']),
    ],
  },
  { project: 'astronomy', user: 'vera', networks: [], nodes: [], connections: [] },
];
