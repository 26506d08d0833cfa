import { useMemo, useState } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { metadataLabels } from '../ui/metadata-labels.ts';
import { metadataText, stateWords } from '../ui/node-state.ts';
import type { Grouping } from '../ui/table-lines.ts';
import type { NodeRow } from './nodes-search.ts';

const metadataPrefix = 'metadata.';

/** By what nodes can be grouped: project, state, and every label of metadata. */
export const GroupChoice = ({
  nodes,
  group,
  onChange,
}: {
  readonly nodes: readonly NodeOverview[];
  readonly group: string;
  readonly onChange: (group: string) => void;
}) => {
  const labels = useMemo(() => metadataLabels(nodes).map(({ label }) => label), [nodes]);
  const known = ['', 'project', 'state', ...labels.map((label) => metadataPrefix + label)];
  return (
    <label className="inline-flex items-center gap-1.5 text-dim">
      Group by
      <select
        className="h-8 rounded-control border border-line bg-panel px-2 text-text"
        value={group}
        onChange={(event) => onChange(event.target.value)}
      >
        {(known.includes(group) ? known : [...known, group]).map((each) => (
          <option key={each} value={each}>
            {each === '' ? 'nothing' : subjectOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
};

const subjectOf = (group: string): string =>
  group.startsWith(metadataPrefix) ? group.slice(metadataPrefix.length) : group;

/** The groups of the table; which of them are closed is forgotten when others are chosen. */
export const useGrouping = (group: string | undefined): Grouping<NodeRow> | undefined => {
  const [shut, setShut] = useState<{ readonly group: string; readonly names: ReadonlySet<string> }>(none);
  return useMemo(() => {
    if (group === undefined) return undefined;
    const closed = shut.group === group ? shut.names : none.names;
    const subject = subjectOf(group);
    return {
      of: valueFor(group),
      headingOf: (name) => (name === '' ? `no ${subject}` : `${subject} ${name}`),
      closed,
      onToggle: (name) => {
        const names = new Set(closed);
        if (!names.delete(name)) names.add(name);
        setShut({ group, names });
      },
    };
  }, [group, shut]);
};

const none = { group: '', names: new Set<string>() } as const;

const valueFor = (group: string): ((row: NodeRow) => string) => {
  if (group === 'state') return ({ state }) => stateWords[state];
  if (group === 'project') return ({ node }) => (node === null ? 'of others' : (node.project ?? ''));
  const label = subjectOf(group);
  return ({ node }) => metadataText(node?.metadata[label]);
};
