import { hoursOf, usageCsv, type UsageRow } from '@corral/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { usageIn } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { Facts } from '../ui/facts.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { saveFile } from '../ui/save-file.ts';
import { commandOf } from '../ui/shell-word.ts';
import { Empty } from '../ui/states.tsx';
import { UsageChart } from './usage-chart.tsx';
import { totalOf, type UsageLine, usageLines } from './usage-lines.ts';
import { type UsageBy, usageSearch, type UsageSearch, usageTimes } from './usage-search.ts';
import { UsageWhen } from './usage-when.tsx';

const route = getRouteApi('/frame/usage');

/** For how long nodes were reserved and turned on. */
export const UsagePage = () => {
  const search = usageSearch({ ...route.useSearch() });
  const navigate = route.useNavigate();
  const { by = 'project' } = search;
  // Parts of the past that have a name are those of the time when the page was opened.
  const [now] = useState(Date.now);
  const times = usageTimes(search, now);
  const query = useQuery(usageIn({ by, ...times }));
  return (
    <Page
      title="Usage"
      actions={
        <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
          Read again
        </Button>
      }
    >
      <Card>
        <UsageWhen
          search={search}
          onChange={(next) => void navigate({ search: usageSearch({ ...next }), replace: true })}
        />
        <div className="flex border-t border-line p-3">
          <Command text={commandFor(by, times)} />
        </div>
      </Card>
      <Loaded query={query}>{(usage) => <Report by={by} {...usage} />}</Loaded>
    </Page>
  );
};

const commandFor = (by: UsageBy, { from, to }: { readonly from?: string; readonly to?: string }): string =>
  commandOf(
    'usage',
    ...(from === undefined ? [] : ['--from', from]),
    ...(to === undefined ? [] : ['--to', to]),
    ...(by === 'project' ? [] : ['--by', by]),
  );

/** To the minute: the ledger is in UTC. */
const shownTime = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;

const Report = ({
  by,
  from,
  to,
  rows,
}: {
  readonly by: UsageBy;
  readonly from: string;
  readonly to: string;
  readonly rows: readonly UsageRow[];
}) => {
  const { admin } = useMe();
  const lines = usageLines(rows, by);
  const { reserved, powered } = totalOf(lines);
  const facts = {
    From: shownTime(from),
    To: shownTime(to),
    'Reserved in all': `${hoursOf(reserved)} h`,
    'Powered in all': `${hoursOf(powered)} h`,
  };
  if (lines.length === 0)
    return (
      <Card>
        <Facts facts={facts} />
        <Empty title="No node was reserved in this time">
          {admin ? 'Choose another time.' : 'None by your projects, that is. Choose another time.'}
        </Empty>
      </Card>
    );
  return (
    <>
      <Card title="Hours">
        <Facts facts={facts} />
        <UsageChart lines={lines} by={by} />
      </Card>
      <Card
        title="Figures"
        actions={
          <Button
            onClick={() =>
              saveFile(`usage-${by}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`, 'text/csv', usageCsv(rows, [by]))
            }
          >
            Save as CSV
          </Button>
        }
      >
        <UsageTable lines={lines} by={by} />
      </Card>
    </>
  );
};

const UsageTable = ({ lines, by }: { readonly lines: readonly UsageLine[]; readonly by: UsageBy }) => {
  const { sort = '-reserved' } = route.useSearch();
  const navigate = route.useNavigate();
  const columns = columnsBy(by);
  return (
    <DataTable
      label={`Hours by ${by}`}
      rows={sorted(lines, columns, sort)}
      columns={columns}
      keyOf={({ key }) => key}
      sort={sort}
      onSort={(next) => void navigate({ search: (before: UsageSearch) => ({ ...before, sort: next }), replace: true })}
      minWidth={320}
    />
  );
};

const columnsBy = (by: UsageBy): readonly Column<UsageLine>[] => [
  {
    name: 'name',
    heading: `${by.charAt(0).toUpperCase()}${by.slice(1)}`,
    sortsBy: ({ name }) => name,
    cell: ({ name }) => (
      <span className="truncate font-mono" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: 'reserved',
    heading: 'Reserved hours',
    width: '30%',
    sortsBy: ({ reserved }) => reserved,
    cell: ({ reserved }) => hoursOf(reserved),
  },
  {
    name: 'powered',
    heading: 'Powered hours',
    width: '30%',
    sortsBy: ({ powered }) => powered,
    cell: ({ powered }) => hoursOf(powered),
  },
];
