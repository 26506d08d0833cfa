import type { Violation } from '@corral/base/db/integrity-checks';
import { metadataValueOf } from '../../db/metadata-value.ts';
import type { Tx } from '../../db/service-database.ts';

const rule = 'nodes are found by the metadata that they have';
/** Nodes that are compared at once. */
const batch = 1_000;

/** Compares `node_metadata` with `nodes.metadata`: each engine would say it in other words, so it is not SQL. */
export const findUnindexed = async (tx: Tx): Promise<Violation[]> => {
  const found: Violation[] = [];
  for (let last = 0; ;) {
    const nodes = await tx
      .selectFrom('nodes')
      .select(['id', 'label', 'metadata'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(batch)
      .execute();
    const end = nodes.at(-1)?.id;
    if (end === undefined) return found;
    const rows = await tx
      .selectFrom('node_metadata')
      .selectAll()
      .where('node_id', '>', last)
      .where('node_id', '<=', end)
      .execute();
    const stored = new Set(rows.map(({ node_id, key, text, number }) => entryOf(node_id, key, { text, number })));
    for (const { id, label, metadata } of nodes) {
      const expected = entriesOf(metadata).map(([key, value]) => entryOf(id, key, metadataValueOf(value)));
      const count = rows.filter(({ node_id }) => node_id === id).length;
      if (count !== expected.length || expected.some((entry) => !stored.has(entry)))
        found.push({ rule, what: `node ${label}` });
    }
    last = end;
  }
};

/** What cannot be read is found by another check. */
const entriesOf = (metadata: string): [string, unknown][] => {
  try {
    return Object.entries(JSON.parse(metadata) as Record<string, unknown>);
  } catch {
    return [];
  }
};

const entryOf = (nodeId: number, key: string, value: { text: string | null; number: string | null }): string =>
  JSON.stringify([nodeId, key, value.text, value.number]);
