import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { allNodes, type AllNodes } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { DataTable, sorted } from '../ui/data-table.tsx';
import { FilterInput } from '../ui/filter-input.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { Empty } from '../ui/states.tsx';
import { NodeActions } from './nodes-actions.tsx';
import { ColumnChoice, useColumns } from './nodes-columns.tsx';
import { GroupChoice, useGrouping } from './nodes-groups.tsx';
import { countOf, useFound, useRows } from './nodes-rows.ts';
import { type NodesSearch, type Shown, shown } from './nodes-search.ts';

const route = getRouteApi('/frame/nodes');

/** All nodes: found, sorted, chosen, and acted on together. */
export const NodesPage = () => (
  <Page
    title="Nodes"
    actions={
      <>
        <Link to="/releases" className={buttonLook('plain')}>
          Releases
        </Link>
        {useMe().admin && (
          <Link to="/setup/node" className={buttonLook('plain')}>
            Register a node…
          </Link>
        )}
      </>
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
  const { columns, choice } = useColumns(all.nodes, search.show ?? 'all');
  const grouping = useGrouping(search.group);
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
        <GroupChoice nodes={all.nodes} group={search.group ?? ''} onChange={(group) => change({ group })} />
        <ColumnChoice {...choice} />
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
          minWidth={280 + columns.length * 120}
          grouping={grouping}
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
  changing: 'Changing',
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
