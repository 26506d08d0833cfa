import { sql } from 'kysely';
import type { Gate } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { blocked, type CorralError } from './corral-error.ts';
import type { Node } from './find-objects.ts';
import type { ReadOp } from './request-context.ts';

/*
 * Between two projects a node may have to pass a gate: it is cleaned, or quarantined, and nobody gets it. The column
 * `nodes.gate` decides; the open cleaning of the node tells why.
 */

/** The cleaning that keeps a node. */
interface OpenCleaning {
  readonly label: string;
  readonly reason: string | null;
}

/** Part of the text of a statement: the index of open cleanings is used only then. */
export const isOpenCleaning = sql<boolean>`cleanings.state <> 'passed'`;

/** Why a node is not to be had, or stays where it is. What was found on it is the operator's to know. */
export const gateSentence = (
  { label }: Pick<Node, 'label'>,
  gate: Gate,
  cleaning: OpenCleaning | null | undefined,
): CorralError => {
  const id = cleaning?.label ?? 'unknown';
  if (gate === 'quarantined') {
    return blocked(`node ${label} is out of service; an administrator can put it back`, {
      forAdmins: `node ${label} is quarantined (cleaning ${id}): ${cleaning?.reason ?? 'for an unknown reason'}; retry the cleaning once that is settled`,
    });
  }
  const doing = gate === 'cleaning' ? 'is being cleaned after its last project' : 'is with the maintenance service';
  return blocked(`node ${label} ${doing}; try again later`, {
    forAdmins: `node ${label} ${doing} (cleaning ${id}); wait until that is over`,
  });
};

/** Refuses to move or use a node that is in one of these states. */
export const requireGate = async (
  op: ReadOp,
  node: Pick<Node, 'id' | 'label' | 'gate'>,
  ...closed: readonly Gate[]
): Promise<void> => {
  if (node.gate === null || !closed.includes(node.gate)) return;
  throw gateSentence(node, node.gate, await openCleaningOf.first(op.tx, { nodeId: node.id }));
};

/** The cleaning that keeps a node. */
export const openCleaningOf = statement((tx, { nodeId }: { nodeId: number }) =>
  tx.selectFrom('cleanings').selectAll().where('node_id', '=', nodeId).where(isOpenCleaning),
);
