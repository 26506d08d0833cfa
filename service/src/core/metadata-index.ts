import { metadataValueOf } from '../db/metadata-value.ts';
import type { Tx } from '../db/service-database.ts';

/*
 * `node_metadata` says what `nodes.metadata` says, so that nodes are found by it. What changes one changes the other in
 * the same transaction; `metadata-invariants.ts` compares them.
 */

/** A row for each of a new node's metadata. */
export const indexNode = async (tx: Tx, nodeId: number, metadata: Readonly<Record<string, unknown>>): Promise<void> => {
  const rows = Object.entries(metadata).map(([key, value]) => ({ node_id: nodeId, key, ...metadataValueOf(value) }));
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    await tx
      .insertInto('node_metadata')
      .values(rows.slice(from, from + rowsPerStatement))
      .execute();
  }
};

/** A statement takes 32,766 values at most (SQLite). */
const rowsPerStatement = 1_000;

/** One of a node's metadata is this now. */
export const indexEntry = async (tx: Tx, nodeId: number, key: string, value: unknown): Promise<void> => {
  const stored = metadataValueOf(value);
  await tx
    .insertInto('node_metadata')
    .values({ node_id: nodeId, key, ...stored })
    .onConflict((conflict) => conflict.columns(['node_id', 'key']).doUpdateSet(stored))
    .execute();
};

/** A node has one of its metadata no more, or none of them (`null`). */
export const unindex = async (tx: Tx, nodeId: number, key: string | null): Promise<void> => {
  const rows = tx.deleteFrom('node_metadata').where('node_id', '=', nodeId);
  await (key === null ? rows : rows.where('key', '=', key)).execute();
};
