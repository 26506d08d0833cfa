import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { naturalOrder } from '../ui/natural-order.ts';
import { NetworkChip } from '../ui/network-chip.tsx';
import { networksOf } from '../ui/node-state.ts';
import { Empty } from '../ui/states.tsx';
import type { Box } from './topology-layout.ts';

/** The same as the picture, in words: what each node is plugged into, and which networks it is on. */
export const TopologyList = ({
  nodes,
  network,
  isFound,
  hasSwitches,
}: {
  readonly nodes: readonly NodeOverview[];
  readonly network: string | null;
  readonly isFound: ((box: Pick<Box, 'kind' | 'name'>) => boolean) | null;
  readonly hasSwitches: boolean;
}) => {
  const [sort, setSort] = useState('node');
  const columns = useMemo(
    () => [nodeColumn, projectColumn, ...(hasSwitches ? [plugColumn] : []), networkColumn],
    [hasSwitches],
  );
  // A switch that was searched for stands for what is plugged into it, a network for what is on it.
  const isListed = (node: NodeOverview): boolean =>
    (network === null || networksOf(node).some((each) => each.network === network)) &&
    (isFound === null ||
      isFound({ kind: 'node', name: node.name }) ||
      node.nics.some((nic) => nic.switch && isFound({ kind: 'switch', name: nic.switch })) ||
      networksOf(node).some((each) => isFound({ kind: 'network', name: each.network })));
  const rows = nodes.filter(isListed);
  return (
    <Card title={network === null ? 'Connections' : `Nodes on ${network}`}>
      {rows.length === 0 ? (
        <Empty title="No node fits" />
      ) : (
        <DataTable
          label="Connections"
          rows={sorted(rows, columns, sort)}
          columns={columns}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={setSort}
          minWidth={hasSwitches ? 760 : 560}
        />
      )}
    </Card>
  );
};

const plugs = ({
  nics,
}: NodeOverview): readonly { readonly on: string; readonly port: string; readonly nic: string }[] =>
  nics
    .flatMap(({ label, switch: on, port }) => (on && port ? [{ on, port, nic: label }] : []))
    .sort((a, b) => naturalOrder(a.nic, b.nic));

const nodeColumn: Column<NodeOverview> = {
  name: 'node',
  heading: 'Node',
  width: '22%',
  sortsBy: ({ name }) => name,
  cell: ({ name }) => (
    <Link to="/nodes/$node" params={{ node: name }} className="truncate font-mono text-accent hover:underline">
      {name}
    </Link>
  ),
};

const projectColumn: Column<NodeOverview> = {
  name: 'project',
  heading: 'Project',
  width: '18%',
  sortsBy: ({ project }) => project ?? '',
  cell: ({ project }) => <span className="truncate">{project ?? <span className="text-dim">free</span>}</span>,
};

const plugColumn: Column<NodeOverview> = {
  name: 'switch',
  heading: 'Plugged into',
  sortsBy: (node) =>
    plugs(node)
      .map(({ on, port }) => `${on} ${port}`)
      .join(' '),
  cell: (node) =>
    plugs(node).map(({ on, port, nic }) => (
      <Link
        key={nic}
        to="/switches/$switch"
        params={{ switch: on }}
        search={{ port }}
        title={`${nic}: ${on} ${port}`}
        className="truncate font-mono text-fine text-accent hover:underline"
      >
        {on} {port}
      </Link>
    )),
};

const networkColumn: Column<NodeOverview> = {
  name: 'networks',
  heading: 'Networks',
  sortsBy: (node) =>
    networksOf(node)
      .map(({ network }) => network)
      .join(' '),
  cell: (node) => networksOf(node).map((each) => <NetworkChip key={each.network} {...each} />),
};
