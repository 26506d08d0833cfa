import { fillOf } from '../ui/network-colour.ts';
import { stateWords } from '../ui/node-state.ts';
import type { NodeRow } from './nodes-search.ts';

/** What the colours of nodes stand for. */
export type ColouredBy = 'project' | 'state';

const hollow = 'repeating-linear-gradient(90deg, transparent 0 2px, transparent 2px 4px)';

const fillOfState: Readonly<Record<NodeRow['state'], string>> = {
  free: hollow,
  mine: 'var(--accent)',
  used: 'var(--line-strong)',
  blocked: 'repeating-linear-gradient(45deg, var(--warn) 0 3px, transparent 3px 6px)',
};

/** The word for what a node is, by project or by state. */
export const wordOf = ({ node, state }: NodeRow, by: ColouredBy): string =>
  by === 'state' ? stateWords[state] : (node?.project ?? (state === 'blocked' ? 'blocked' : 'free'));

const fillFor = (row: NodeRow, by: ColouredBy): string =>
  by === 'project' && typeof row.node?.project === 'string' ? fillOf(row.node.project) : fillOfState[row.state];

/** The colour and pattern of a node; the word is always beside it. */
export const Swatch = ({ row, by }: { readonly row: NodeRow; readonly by: ColouredBy }) => (
  <span
    aria-hidden
    className="block w-2.5 shrink-0 self-stretch border-r border-line"
    style={{ background: fillFor(row, by) }}
  />
);

/** What the colours mean, with how many nodes have each. */
export const RackLegend = ({ rows, by }: { readonly rows: readonly NodeRow[]; readonly by: ColouredBy }) => {
  const entries = new Map<string, { readonly row: NodeRow; count: number }>();
  for (const row of rows) {
    const known = entries.get(wordOf(row, by));
    if (known === undefined) entries.set(wordOf(row, by), { row, count: 1 });
    else known.count += 1;
  }
  return (
    <ul aria-label="Legend" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-fine text-dim">
      {[...entries]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([word, { row, count }]) => (
          <li key={word} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className="size-3 rounded-[2px] border border-line-strong"
              style={{ background: fillFor(row, by) }}
            />
            {word} <span>{count}</span>
          </li>
        ))}
    </ul>
  );
};
