import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { NetworkOverview } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NetworkChip } from '../ui/network-chip.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { CreateNetwork } from './networks-create.tsx';
import { isShown, type NetworksSearch, type Shown, shown } from './networks-search.ts';

const route = getRouteApi('/frame/networks');

/** Every network that the person may see or use. */
export const NetworksPage = () => {
  const { admin } = useMe();
  const mayCreate = useProjects().length > 0 || admin;
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Networks"
      actions={
        mayCreate && (
          <Button look="primary" onClick={() => setCreating(true)}>
            Create a network…
          </Button>
        )
      }
    >
      <Card>
        <Loaded query={useQuery(allNetworks)}>{({ networks }) => <NetworkTable networks={networks} />}</Loaded>
      </Card>
      {isCreating && <CreateNetwork onClose={() => setCreating(false)} />}
    </Page>
  );
};

const labels: Readonly<Record<Shown, string>> = { all: 'All', own: 'Mine', granted: 'Granted to me', public: 'Public' };

const NetworkTable = ({ networks }: { readonly networks: readonly NetworkOverview[] }) => {
  const { q = '', show = 'all', sort = 'network' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<NetworksSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const wanted = useDeferredValue(q).toLowerCase().split(/\s+/);
  const found = networks.filter((network) => {
    const words = wordsOf(network);
    return isShown(network, show) && wanted.every((word) => words.includes(word));
  });
  return (
    <>
      <FilterBar
        label="Name, owner, VLAN, project"
        q={q}
        rows={networks}
        found={found}
        parts={{ label: 'Which networks', names: labels, all: shown, shown: show, isIn: isShown }}
        onChange={change}
      />
      {found.length === 0 ? (
        <Empty title={networks.length === 0 ? 'There are no networks yet' : 'No network fits'}>
          {networks.length === 0
            ? 'Create one, and connect the nics of your nodes to it: what is on it hears each other, and nobody else.'
            : 'Change the filter, or show all networks.'}
        </Empty>
      ) : (
        <DataTable
          label="Networks"
          rows={sorted(found, columns, sort)}
          columns={columns}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(value) => change({ sort: value })}
          minWidth={720}
        />
      )}
    </>
  );
};

const wordsOf = ({ name, owner, network_id, access }: NetworkOverview): string =>
  [name, owner, network_id, ...(access ?? ['public'])].join(' ').toLowerCase();

const accessText = ({ access }: NetworkOverview): string => (access === null ? 'everybody' : access.join(', '));

const columns: readonly Column<NetworkOverview>[] = [
  {
    name: 'network',
    heading: 'Network',
    sortsBy: ({ name }) => name,
    cell: ({ name }) => <NetworkChip network={name} />,
  },
  {
    name: 'vlan',
    heading: 'VLAN',
    width: '80px',
    sortsBy: ({ network_id }) => Number(network_id),
    cell: ({ network_id }) => <span className="font-mono text-fine">{network_id}</span>,
  },
  {
    name: 'owner',
    heading: 'Owner',
    width: '170px',
    sortsBy: ({ owner }) => owner,
    cell: ({ owner, use }) => (
      <span className="truncate" title={owner}>
        {owner}
        {use === 'own' && <span className="text-dim"> (yours)</span>}
      </span>
    ),
  },
  {
    name: 'use',
    heading: 'Who may use it',
    width: '28%',
    sortsBy: (network) => accessText(network),
    cell: (network) => (
      <span className="truncate text-dim" title={accessText(network)}>
        {accessText(network)}
        {network.use === 'granted' && ' (granted to you)'}
      </span>
    ),
  },
  { name: 'nodes', heading: 'Nodes', width: '80px', sortsBy: ({ nodes }) => nodes, cell: ({ nodes }) => nodes },
];
