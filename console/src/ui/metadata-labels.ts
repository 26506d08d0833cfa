import type { NodeOverview } from '../api/client.ts';
import { metadataText } from './node-state.ts';
import { naturalOrder } from './natural-order.ts';

/** Longer values are no names of anything. */
const longestValue = 24;

/** Labels of metadata with short values, in order, and how many nodes have each. */
export const metadataLabels = (nodes: readonly NodeOverview[]): readonly { label: string; count: number }[] => {
  const counts = new Map<string, number>();
  for (const { metadata } of nodes)
    for (const [label, value] of Object.entries(metadata))
      if (metadataText(value).length <= longestValue) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(([label, count]) => ({ label, count })).sort((a, b) => naturalOrder(a.label, b.label));
};
