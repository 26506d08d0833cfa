import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Reach } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';

type ReachPort = Reach['ports'][number];

/** Every port that carries a network, or should, the worst first. */
export const ReachPorts = ({ ports }: { readonly ports: readonly ReachPort[] }) => {
  const { admin } = useMe();
  const [sort, setSort] = useState('verdict');
  const columns = admin ? [...tenantColumns, ...adminColumns, readColumn] : [...tenantColumns, readColumn];
  // Without its switch, nothing tells one port that is not registered from another.
  const places = useMemo(() => new Map(ports.map((port, place) => [port, place])), [ports]);
  if (ports.length === 0) return null;
  return (
    <DataTable
      label="Ports that carry it"
      rows={sorted(ports, columns, sort)}
      columns={columns}
      keyOf={(port) => String(places.get(port))}
      sort={sort}
      onSort={setSort}
      minWidth={admin ? 860 : 640}
    />
  );
};

/** The worst first. */
const tones: Readonly<Record<string, Tone>> = {
  unexpected: 'bad',
  unregistered: 'bad',
  unknown: 'warn',
  missing: 'warn',
  'as recorded': 'ok',
};
const ranks = Object.keys(tones);

/** A column of plain values. */
const valueColumn = (
  name: string,
  heading: string,
  valueOf: (port: ReachPort) => string | null | undefined,
  look = 'font-mono',
): Column<ReachPort> => ({
  name,
  heading,
  sortsBy: (port) => valueOf(port) ?? '',
  cell: (port) => (
    <span className={`truncate ${look}`} title={valueOf(port) ?? undefined}>
      {valueOf(port) ?? <span className="text-dim">–</span>}
    </span>
  ),
});

const tenantColumns: readonly Column<ReachPort>[] = [
  {
    name: 'verdict',
    heading: 'Verdict',
    width: '120px',
    sortsBy: ({ verdict, node, nic }) => `${ranks.indexOf(verdict)} ${node ?? ''} ${nic ?? ''}`,
    cell: ({ verdict }) => <Badge tone={tones[verdict] ?? 'bad'}>{verdict}</Badge>,
  },
  {
    ...valueColumn('node', 'Node', ({ node }) => node),
    cell: ({ node }) =>
      node !== null && (
        <Link
          to="/nodes/$node"
          params={{ node }}
          title={node}
          className="truncate font-mono text-accent hover:underline"
        >
          {node}
        </Link>
      ),
  },
  valueColumn('nic', 'Nic', ({ nic }) => nic),
  valueColumn('project', 'Project', ({ project }) => project, ''),
  { ...valueColumn('channel', 'Channel', ({ channel }) => channel, 'font-mono text-fine'), width: '120px' },
];

const adminColumns: readonly Column<ReachPort>[] = [
  valueColumn('switch', 'Switch', (port) => port.switch),
  valueColumn('port', 'Port', ({ port }) => port),
];

const readColumn: Column<ReachPort> = {
  name: 'read',
  heading: 'Read',
  width: '110px',
  sortsBy: ({ read_at }) => read_at ?? '',
  cell: ({ read_at }) => <span className="text-dim">{read_at === null ? 'never' : <Ago at={read_at} />}</span>,
};
