import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import type { SwitchOverview } from '../api/client.ts';
import { allSwitches } from '../api/queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { isShown, type Shown, shown, type SwitchesSearch } from './switches-search.ts';

const route = getRouteApi('/frame/switches');

/** Every switch: whether it answers, when it was read, and how much of it is not as recorded. */
export const SwitchesPage = () => (
  <ForAdministrators title="Switches">
    <Switches />
  </ForAdministrators>
);

const Switches = () => (
  <Page
    title="Switches"
    actions={
      <Link to="/setup/switch" className={buttonLook('primary')}>
        Add a switch…
      </Link>
    }
  >
    <Card>
      <Loaded query={useQuery(allSwitches)}>{({ switches }) => <SwitchTable switches={switches} />}</Loaded>
    </Card>
  </Page>
);

const labels: Readonly<Record<Shown, string>> = { all: 'All', silent: 'Not answering', doubtful: 'Not as recorded' };

const SwitchTable = ({ switches }: { readonly switches: readonly SwitchOverview[] }) => {
  const { q = '', show = 'all', sort = 'switch' } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<SwitchesSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const wanted = useDeferredValue(q).toLowerCase().split(/\s+/);
  const found = switches.filter((each) => {
    const words = [each.name, each.type, each.state, each.fault].join(' ').toLowerCase();
    return isShown(each, show) && wanted.every((word) => words.includes(word));
  });
  if (switches.length === 0) return <NoSwitches />;
  return (
    <>
      <FilterBar
        label="Name, type, fault"
        q={q}
        rows={switches}
        found={found}
        parts={{ label: 'Which switches', names: labels, all: shown, shown: show, isIn: isShown }}
        onChange={change}
      />
      {found.length === 0 ? (
        <Empty title="No switch fits">Change the filter, or show all switches.</Empty>
      ) : (
        <DataTable
          label="Switches"
          rows={sorted(found, columns, sort)}
          columns={columns}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(value) => change({ sort: value })}
          minWidth={760}
        />
      )}
    </>
  );
};

const NoSwitches = () => (
  <Empty title="There are no switches yet">
    <Link to="/setup/switch" className="text-accent underline">
      Add the first one
    </Link>
    , or register it with <code className="font-mono">corral switch register</code>.
  </Empty>
);

const columns: readonly Column<SwitchOverview>[] = [
  {
    name: 'switch',
    heading: 'Switch',
    width: '20%',
    sortsBy: ({ name }) => name,
    cell: ({ name }) => (
      <Link to="/switches/$switch" params={{ switch: name }} className="truncate font-mono text-accent hover:underline">
        {name}
      </Link>
    ),
  },
  { name: 'type', heading: 'Type', width: '14%', sortsBy: ({ type }) => type, cell: ({ type }) => type },
  {
    name: 'state',
    heading: 'State',
    sortsBy: ({ state }) => state,
    cell: ({ state, fault }) =>
      state === 'ok' ? (
        <Badge tone="ok">answers</Badge>
      ) : (
        <span className="flex min-w-0 items-center gap-1.5" title={fault ?? undefined}>
          <Badge tone={state === 'unread' ? 'plain' : 'bad'}>{state}</Badge>
          <span className="truncate text-dim">{fault}</span>
        </span>
      ),
  },
  { name: 'ports', heading: 'Ports', width: '80px', sortsBy: ({ ports }) => ports, cell: ({ ports }) => ports },
  {
    name: 'doubt',
    heading: 'Not as recorded',
    width: '150px',
    sortsBy: ({ drifting, suspect }) => drifting + suspect,
    cell: ({ drifting, suspect }) => (
      <>
        {suspect > 0 && <Badge tone="bad">{suspect} suspect</Badge>}
        {drifting > 0 && <Badge tone="warn">{drifting} drift</Badge>}
      </>
    ),
  },
  {
    name: 'read',
    heading: 'Read',
    width: '110px',
    sortsBy: ({ swept_at }) => swept_at ?? '',
    cell: ({ swept_at }) => <span className="text-dim">{swept_at === null ? 'never' : <Ago at={swept_at} />}</span>,
  },
];
