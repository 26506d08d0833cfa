import { nearest, UsageError } from '../usage-error.ts';
import type { NodeOverview } from './all-pages.ts';
import { textOf } from './match-metadata.ts';

/** A node that is listed; those of projects that the caller has no access to have a name and nothing else. */
export interface ListedNode {
  readonly name: string;
  readonly shown: NodeOverview | null;
}

/** What a column says of a node. */
export interface NodeColumn {
  readonly heading: string;
  readonly text: (node: ListedNode) => string;
}

/** What cannot be read from the list itself. */
export interface Extra {
  readonly power: ReadonlyMap<string, string>;
}

const ofShown = (text: (node: NodeOverview) => string) => (node: ListedNode) => (node.shown ? text(node.shown) : '');

const known = (extra: Extra): Readonly<Record<string, (node: ListedNode) => string>> => ({
  node: ({ name }) => name,
  project: ({ shown }) => (shown ? (shown.project ?? '') : 'another one'),
  state: (node) => stateOf(node),
  obm: ofShown(({ obm_enabled }) => (obm_enabled === null ? '' : obm_enabled ? 'enabled' : 'disabled')),
  power: ({ name }) => extra.power.get(name) ?? '',
  networks: ofShown(({ nics }) =>
    [...new Set(nics.flatMap(({ networks }) => Object.values(networks)))].sort().join(', '),
  ),
  nics: ofShown(({ nics }) => nics.map(({ label }) => label).join(', ')),
  ports: ofShown(({ nics }) =>
    nics.flatMap(({ switch: on, port }) => (on && port ? [`${on} ${port}`] : [])).join(', '),
  ),
  metadata: ofShown(({ metadata }) =>
    Object.entries(metadata)
      .map(([label, value]) => `${label}=${textOf(value)}`)
      .join(', '),
  ),
  blocks: ofShown(({ blocked }) => (blocked ?? []).map(({ message }) => message).join('; ')),
});

export const knownColumns: readonly string[] = Object.keys(known({ power: new Map() }));
export const usualColumns: readonly string[] = ['node', 'project', 'state', 'obm', 'networks', 'metadata'];

/** A node is only called free if it can be reserved. */
const stateOf = ({ shown }: ListedNode): string => {
  if (shown?.project !== null) return 'reserved';
  const [first, ...more] = shown.blocked ?? [];
  if (first === undefined) return 'free';
  return `blocked: ${first.message}${more.length === 0 ? '' : ` (and ${more.length} more)`}`;
};

/** `metadata.LABEL`: where a label is also the name of a column. */
const explicit = 'metadata.';

/** The column of a name: one of ours, or a label of metadata that some node has. */
export const columnNamed = (name: string, nodes: readonly ListedNode[], extra: Extra): NodeColumn => {
  const columns = known(extra);
  const own = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (own) return { heading: name, text: own };
  const label = name.startsWith(explicit) ? name.slice(explicit.length) : name;
  const has = ({ shown }: ListedNode): boolean => shown !== null && Object.hasOwn(shown.metadata, label);
  if (nodes.length > 0 && !nodes.some(has)) throw unknownColumn(name, nodes);
  return {
    heading: label,
    text: ofShown(({ metadata }) => (Object.hasOwn(metadata, label) ? textOf(metadata[label]) : '')),
  };
};

const unknownColumn = (name: string, nodes: readonly ListedNode[]): UsageError => {
  const labels = new Set(nodes.flatMap(({ shown }) => Object.keys(shown?.metadata ?? {})));
  const possible = [...knownColumns, ...[...labels].sort()];
  const meant = nearest(name, possible);
  return new UsageError(
    `there is no column ${JSON.stringify(name)}, and none of these nodes has such metadata; ` +
      (meant === null
        ? `the columns are ${knownColumns.join(', ')}, and labels of metadata`
        : `did you mean ${meant}?`),
  );
};
