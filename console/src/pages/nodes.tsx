import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { allNodes, type AllNodes } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Badge } from '../ui/badge.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NetworkChip } from '../ui/network-chip.tsx';
import { metadataText, networksOf, stateOf } from '../ui/node-state.ts';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { Empty } from '../ui/states.tsx';
import { NodeActions } from './nodes-actions.tsx';
import { type NodeRow, type NodesSearch, type Shown, shown } from './nodes-search.ts';

const route = getRouteApi('/frame/nodes');

/** All nodes: found, sorted, chosen, and acted on together. */
export const NodesPage = () => (
  <Page
    title="Nodes"
    actions={
      useMe().admin ? (
        <Link to="/setup/node" className={buttonLook('plain')}>
          Register a node…
        </Link>
      ) : undefined
    }
  >
    <Loaded query={useQuery(allNodes)} rows={10}>
      {(all) => <NodeTable all={all} />}
    </Loaded>
  </Page>
);

const NodeTable = ({ all }: { readonly all: AllNodes }) => {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const rows = useRows(all);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const change = (next: Partial<NodesSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const found = useFound(rows, search);
  const columns = useColumns(all.nodes);
  const inOrder = useMemo(() => sorted(found, columns, search.sort ?? 'node'), [found, columns, search.sort]);
  const chosenRows = rows.filter(({ name }) => chosen.has(name));
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
        <FilterInput label="Name, MAC address, metadata" value={search.q ?? ''} onChange={(q) => change({ q })} />
        <Segments
          label="Which nodes"
          value={search.show ?? 'all'}
          options={shown.map((value) => ({ value, label: `${labels[value]} ${countOf(rows, value)}` }))}
          onChange={(show) => change({ show })}
        />
        {search.project !== undefined && (
          <button
            type="button"
            className="rounded-full border border-line px-2.5 text-fine hover:bg-sunken"
            aria-label={`Show nodes of all projects, not only of ${search.project}`}
            onClick={() => change({ project: '' })}
          >
            project {search.project} ✕
          </button>
        )}
        <span className="ml-auto text-fine text-dim" role="status">
          {found.length} of {rows.length}
        </span>
      </div>
      {chosenRows.length > 0 && <NodeActions chosen={chosenRows} onDone={() => setChosen(new Set())} />}
      {inOrder.length === 0 ? (
        <NoNodes isEmpty={rows.length === 0} />
      ) : (
        <DataTable
          label="Nodes"
          rows={inOrder}
          columns={columns}
          keyOf={({ name }) => name}
          sort={search.sort ?? 'node'}
          onSort={(sort) => change({ sort })}
          chosen={chosen}
          onChoose={setChosen}
          minWidth={860}
        />
      )}
    </Card>
  );
};

const labels: Readonly<Record<Shown, string>> = {
  all: 'All',
  free: 'Free',
  mine: 'Mine',
  used: 'In use',
  blocked: 'Blocked',
};

const isShown = ({ state, node }: NodeRow, show: Shown): boolean => {
  if (show === 'all') return true;
  if (show === 'used') return state === 'used' || state === 'mine';
  if (show === 'blocked') return state === 'blocked' || (node?.blocked ?? []).some(({ kind }) => kind === 'port');
  return state === show;
};

const countOf = (rows: readonly NodeRow[], show: Shown): number => rows.filter((row) => isShown(row, show)).length;

const useRows = ({ nodes, others }: AllNodes): readonly NodeRow[] => {
  const who = useMe();
  return useMemo(
    () => [
      ...nodes.map((node) => ({ name: node.name, node, state: stateOf(node, who) })),
      ...others.map((name) => ({ name, node: null, state: 'used' as const })),
    ],
    [nodes, others, who],
  );
};

/** What one can search in: label, project, MAC addresses, networks and metadata. */
const wordsOf = ({ name, node }: NodeRow): string =>
  [
    name,
    node?.project ?? '',
    ...(node?.nics.flatMap(({ macaddr, networks }) => [macaddr, ...Object.values(networks)]) ?? []),
    ...Object.entries(node?.metadata ?? {}).map(([key, value]) => `${key}=${metadataText(value)}`),
  ]
    .join(' ')
    .toLowerCase();

const useFound = (rows: readonly NodeRow[], { q = '', show = 'all', project }: NodesSearch): readonly NodeRow[] => {
  const text = useDeferredValue(q).toLowerCase();
  const words = useMemo(() => new Map(rows.map((row) => [row, wordsOf(row)])), [rows]);
  return useMemo(() => {
    const wanted = text.split(/\s+/);
    return rows.filter(
      (row) =>
        isShown(row, show) &&
        (project === undefined || row.node?.project === project) &&
        wanted.every((word) => words.get(row)?.includes(word)),
    );
  }, [rows, words, text, show, project]);
};

/** Up to three kinds of metadata that most nodes have get a column of their own. */
const mostMetadata = 3;
const useColumns = (nodes: readonly NodeOverview[]): readonly Column<NodeRow>[] =>
  useMemo(() => {
    const counts = new Map<string, number>();
    for (const { metadata } of nodes)
      for (const [key, value] of Object.entries(metadata))
        if (metadataText(value).length <= 24) counts.set(key, (counts.get(key) ?? 0) + 1);
    const common = [...counts]
      .filter(([, count]) => count * 2 >= nodes.length)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, mostMetadata)
      .map(([key]) => key);
    return [
      {
        name: 'node',
        heading: 'Node',
        width: '24%',
        sortsBy: ({ name }: NodeRow) => name,
        cell: ({ name, node }: NodeRow) =>
          node === null ? (
            <span className="truncate font-mono text-dim">{name}</span>
          ) : (
            <Link to="/nodes/$node" params={{ node: name }} className="truncate font-mono text-accent hover:underline">
              {name}
            </Link>
          ),
      },
      {
        name: 'state',
        heading: 'State',
        width: '110px',
        sortsBy: ({ state }: NodeRow) => state,
        cell: (row: NodeRow) => <StateCell row={row} />,
      },
      {
        name: 'project',
        heading: 'Project',
        width: '16%',
        sortsBy: ({ node }: NodeRow) => node?.project ?? '',
        cell: ({ node }: NodeRow) =>
          node === null ? (
            <span className="text-dim">another project</span>
          ) : (
            <span className="truncate">{node.project ?? <span className="text-dim">–</span>}</span>
          ),
      },
      {
        name: 'networks',
        heading: 'Networks',
        sortsBy: ({ node }: NodeRow) =>
          node === null
            ? ''
            : networksOf(node)
                .map(({ network }) => network)
                .join(' '),
        cell: ({ node }: NodeRow) =>
          node === null ? null : networksOf(node).map((each) => <NetworkChip key={each.network} {...each} />),
      },
      ...common.map((key) => ({
        name: key,
        heading: key,
        width: '110px',
        sortsBy: ({ node }: NodeRow) => metadataText(node?.metadata[key]),
        cell: ({ node }: NodeRow) => (
          <span className="truncate font-mono text-fine">{metadataText(node?.metadata[key])}</span>
        ),
      })),
    ];
  }, [nodes]);

const StateCell = ({ row: { state, node } }: { readonly row: NodeRow }) => {
  const why = node?.blocked?.map(({ message }) => message).join('\n');
  if (state === 'blocked')
    return (
      <span title={why}>
        <Badge tone="warn">blocked</Badge>
      </span>
    );
  if (state === 'free') return <span className="text-dim">free</span>;
  return <span>{state === 'mine' ? 'mine' : 'in use'}</span>;
};

const NoNodes = ({ isEmpty }: { readonly isEmpty: boolean }) => {
  const { admin } = useMe();
  if (!isEmpty) return <Empty title="No node fits">Change the filter, or show all nodes.</Empty>;
  return (
    <Empty title="There are no nodes yet">
      {admin ? (
        <>
          <Link to="/setup/node" className="text-accent underline">
            Register the first one
          </Link>
          , or all of them with <code className="font-mono">corral apply site.yaml</code>.
        </>
      ) : (
        'An administrator registers them.'
      )}
    </Empty>
  );
};
