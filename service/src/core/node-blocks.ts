import type { CorralError } from './corral-error.ts';
import { blocked } from './corral-error.ts';
import type { Gate } from '../db/service-schema.ts';
import { gateSentence } from './gate.ts';
import { type DoubtfulPort, doubtAbout } from './port-trust.ts';
import { type SecondRecord, secondRecord } from './switch-identity.ts';

/*
 * What keeps a node where it is, each in one sentence: the calls that would move it refuse with the first of them, and
 * the overview of nodes lists all.
 */

/** What a node is called in a refusal. */
interface Labelled {
  readonly label: string;
}

/** Something that a nic of the node is on, or waits for. */
interface Tie {
  readonly nic: string;
  /** null: a networking action is pending. */
  readonly network: string | null;
}

/** A nic of the node is on a network, or about to be. */
export const tiedBy = (node: Labelled, { nic, network }: Tie): CorralError =>
  network === null
    ? blocked(`node ${node.label} has a pending networking action on nic ${nic}; wait for it`)
    : blocked(`node ${node.label} is on network ${network} (nic ${nic}); detach it first`);

export const obmIsEnabled = (node: Labelled): CorralError =>
  blocked(`OBM of node ${node.label} is enabled; disable it first`);

/** What is stored of a node that decides whether it can change projects. */
export interface NodeState extends Labelled {
  readonly isFree: boolean;
  /** What keeps it from its next project, and the cleaning that tells why. */
  readonly gate: Gate | null;
  readonly cleaning: { readonly label: string; readonly reason: string | null } | null;
  readonly isObmEnabled: boolean;
  readonly ties: readonly Tie[];
  readonly ports: readonly DoubtfulPort[];
  readonly secondRecords: readonly SecondRecord[];
}

/** One thing that keeps a node where it is. */
export interface NodeBlock {
  readonly kind: 'gate' | 'network' | 'action' | 'port' | 'switch' | 'obm';
  /** The nic that it is about, if it is about one. */
  readonly nic: string | null;
  /** The network that the nic is on, if that is what it is about. */
  readonly network: string | null;
  /** Where it is, if it is about a port or a switch. null also where the caller may not see it. */
  readonly switch: string | null;
  readonly port: string | null;
  readonly message: string;
}

type About = Partial<Pick<NodeBlock, 'nic' | 'network' | 'switch' | 'port'>>;

/** All that keeps a node from being reserved, or from leaving its project, in the order in which the calls refuse. */
export const blocksOf = (node: NodeState, isOperator: boolean): readonly NodeBlock[] => {
  const of = (kind: NodeBlock['kind'], about: About, error: CorralError): NodeBlock => ({
    kind,
    nic: about.nic ?? null,
    network: about.network ?? null,
    // Where a node is plugged in is the operator's business.
    switch: isOperator ? (about.switch ?? null) : null,
    port: isOperator ? (about.port ?? null) : null,
    message: isOperator ? error.forAdmins : error.message,
  });
  const ports = node.ports.flatMap((port) => {
    const error = doubtAbout(port);
    return error === null ? [] : [of('port', port, error)];
  });
  // The maintenance service can let its node go.
  const gate =
    node.gate !== null && (node.isFree || node.gate !== 'maintenance')
      ? [of('gate', {}, gateSentence(node, node.gate, node.cleaning))]
      : [];
  if (node.isFree)
    return [...gate, ...node.secondRecords.map((second) => of('switch', second, secondRecord(second))), ...ports];
  const ties = node.ties.map((tie) => of(tie.network === null ? 'action' : 'network', tie, tiedBy(node, tie)));
  return [
    ...gate,
    ...ties.filter(({ kind }) => kind === 'network'),
    ...ties.filter(({ kind }) => kind === 'action'),
    ...ports,
    ...(node.isObmEnabled ? [of('obm', {}, obmIsEnabled(node))] : []),
  ];
};
