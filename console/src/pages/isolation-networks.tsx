import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { membersOf, type NetworkBetween, type Pair, standingOf } from '../ui/isolation-verdict.ts';

/** Every network that was compared, and what the two projects have on it. */
export const IsolationNetworks = ({
  networks,
  projects,
}: {
  readonly networks: readonly NetworkBetween[];
  readonly projects: Pair;
}) => {
  const [sort, setSort] = useState('standing');
  const columns = useMemo(() => columnsFor(projects), [projects]);
  if (networks.length === 0) return null;
  return (
    <DataTable
      label="Networks of the two"
      rows={sorted(networks, columns, sort)}
      columns={columns}
      keyOf={({ network }) => network}
      sort={sort}
      onSort={setSort}
      minWidth={860}
    />
  );
};

const tones = { together: 'bad', 'not known': 'warn', apart: 'ok' } as const;
const ranks = Object.keys(tones);

const columnsFor = (projects: Pair): readonly Column<NetworkBetween>[] => [
  {
    name: 'standing',
    heading: 'Verdict',
    width: '110px',
    sortsBy: (each) => `${ranks.indexOf(standingOf(each, projects))} ${each.network}`,
    cell: (each) => {
      const standing = standingOf(each, projects);
      return <Badge tone={tones[standing]}>{standing}</Badge>;
    },
  },
  {
    name: 'network',
    heading: 'Network',
    sortsBy: ({ network }) => network,
    cell: ({ network }) => (
      <Link
        to="/networks/$network"
        params={{ network }}
        title={network}
        className="truncate font-mono text-accent hover:underline"
      >
        {network}
      </Link>
    ),
  },
  {
    name: 'vlan',
    heading: 'VLAN',
    width: '80px',
    sortsBy: ({ vlan }) => Number(vlan),
    cell: ({ vlan }) => <span className="font-mono">{vlan}</span>,
  },
  {
    name: 'access',
    heading: 'Who may use it',
    cell: ({ access }) => {
      const names = access === null ? 'everybody' : access.join(', ') || 'nobody';
      return (
        <span className="truncate" title={names}>
          {names}
        </span>
      );
    },
  },
  ...projects.map((project, place): Column<NetworkBetween> => ({
    name: `project ${place}`,
    heading: `On it of ${project}`,
    sortsBy: (each) => membersOf(each, project).length,
    cell: (each) => <Members of={membersOf(each, project)} />,
  })),
  {
    name: 'read',
    heading: 'Read',
    width: '110px',
    cell: ({ reach }) => {
      const oldest = (reach?.switches ?? []).flatMap(({ read_at }) => read_at ?? []).sort()[0];
      return <span className="text-dim">{oldest === undefined ? 'not read' : <Ago at={oldest} />}</span>;
    },
  },
];

const Members = ({ of }: { readonly of: readonly string[] }) =>
  of.length === 0 ? (
    <span className="text-dim">nothing</span>
  ) : (
    <span className="truncate" title={of.join('\n')}>
      {of.length} · {of.join('; ')}
    </span>
  );
