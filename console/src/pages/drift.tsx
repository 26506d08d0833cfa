import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SwitchDrift, SwitchOverview } from '../api/client.ts';
import { allDrift, allSwitches } from '../api/queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Card } from '../ui/card.tsx';
import { Carried, isNothing } from '../ui/carried.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, sentenceOf } from '../ui/states.tsx';
import { PutBackAll, PutBackOne, ReadAll } from './drift-actions.tsx';
import type { DriftRow } from './drift-row.ts';

/** Every port that carries something else than is recorded, and what mends it. */
export const DriftPage = () => (
  <ForAdministrators title="Drift">
    <Drift />
  </ForAdministrators>
);

const Drift = () => {
  const switches = useQuery(allSwitches).data?.switches ?? [];
  return (
    <Page title="Drift" actions={<ReadAll switches={switches.map(({ name }) => name)} />}>
      <Loaded query={useQuery(allDrift)}>
        {(drift) => (
          <>
            <Unread drift={drift.switches} />
            <Ports rows={rowsOf(drift.switches, switches)} switches={switches} />
            {drift.headnodes.leftovers.length + (drift.headnodes.fault === null ? 0 : 1) > 0 && (
              <Hypervisor {...drift.headnodes} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** A reading that found nothing new is no event: when it was is known from the list of switches. */
const rowsOf = (drift: readonly SwitchDrift[], switches: readonly SwitchOverview[]): readonly DriftRow[] =>
  drift.flatMap(({ switch: on, policy, swept_at, ports }) => {
    const read_at = switches.find(({ name }) => name === on)?.swept_at ?? swept_at;
    return ports.map((port) => ({ ...port, switch: on, policy, read_at, key: `${on} ${port.port}` }));
  });

/** Switches of which nobody knows what they carry now. */
const Unread = ({ drift }: { readonly drift: readonly SwitchDrift[] }) => {
  const unread = drift.filter(({ fault }) => fault !== null);
  if (unread.length === 0) return null;
  return (
    <Card title="Not to be read now">
      <ul aria-label="Switches that cannot be read">
        {unread.map(({ switch: on, fault, swept_at }) => (
          <li key={on} className="flex flex-wrap gap-x-3 border-b border-line px-3.5 py-2 last:border-b-0">
            <Link to="/switches/$switch" params={{ switch: on }} className="font-mono text-accent hover:underline">
              {on}
            </Link>
            <span className="min-w-0 flex-1 text-bad">{sentenceOf({ message: fault ?? '' })}</span>
            <span className="text-dim">read {swept_at === null ? 'never' : <Ago at={swept_at} />}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
};

const Ports = ({
  rows,
  switches,
}: {
  readonly rows: readonly DriftRow[];
  readonly switches: readonly SwitchOverview[];
}) => {
  const [sort, setSort] = useState('read');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const chosenRows = rows.filter(({ key }) => chosen.has(key));
  const oldest = switches.flatMap(({ swept_at }) => swept_at ?? []).sort()[0];
  return (
    <Card
      title="Ports that are not as recorded"
      actions={
        <span className="text-dim" role="status">
          {rows.length === 1 ? '1 port' : `${rows.length} ports`}
          {oldest !== undefined && (
            <>
              {' · oldest reading '}
              <Ago at={oldest} />
            </>
          )}
        </span>
      }
    >
      {chosenRows.length > 0 && <PutBackAll rows={chosenRows} onDone={() => setChosen(new Set())} />}
      {rows.length === 0 ? (
        <Empty title={switches.length === 0 ? 'There are no switches yet' : 'Every port carries what is recorded'}>
          {switches.length > 0 && 'As far as its switch was read; read them all now to be sure.'}
        </Empty>
      ) : (
        <DataTable
          label="Drift"
          rows={sorted(rows, columns, sort)}
          columns={columns}
          keyOf={({ key }) => key}
          sort={sort}
          onSort={setSort}
          chosen={chosen}
          onChoose={setChosen}
          minWidth={1060}
        />
      )}
    </Card>
  );
};

const columns: readonly Column<DriftRow>[] = [
  {
    name: 'port',
    heading: 'Port',
    width: '16%',
    sortsBy: ({ key }) => key,
    cell: ({ switch: on, port }) => (
      <Link
        to="/switches/$switch"
        params={{ switch: on }}
        search={{ port }}
        className="truncate font-mono text-accent hover:underline"
        title={`${on} ${port}`}
      >
        {on} {port}
      </Link>
    ),
  },
  {
    name: 'node',
    heading: 'Node · nic',
    width: '15%',
    sortsBy: ({ node }) => node ?? '',
    cell: ({ node, nic, project }) =>
      node === null ? (
        <span className="text-dim">no nic</span>
      ) : (
        <span className="truncate" title={project === null ? `${node} is free` : `project ${project}`}>
          <Link to="/nodes/$node" params={{ node }} className="font-mono text-accent hover:underline">
            {node}
          </Link>{' '}
          · {nic}
        </span>
      ),
  },
  {
    name: 'recorded',
    heading: 'Recorded',
    cell: ({ recorded }) => (
      <div className="py-1">
        {isNothing(recorded) ? <span className="text-dim">nothing</span> : <Carried reading={recorded} />}
      </div>
    ),
  },
  {
    name: 'seen',
    heading: 'Seen',
    cell: ({ seen }) => (
      <div className="py-1">
        {seen === null ? 'the switch has no such port' : isNothing(seen) ? 'nothing' : <Carried reading={seen} />}
      </div>
    ),
  },
  {
    name: 'since',
    heading: 'Since',
    width: '84px',
    sortsBy: ({ since }) => since,
    cell: ({ since }) => (
      <span className="text-dim">
        <Ago at={since} suffix="" />
      </span>
    ),
  },
  {
    name: 'read',
    heading: 'Read',
    width: '96px',
    sortsBy: ({ read_at }) => read_at ?? '',
    cell: ({ read_at }) => <span className="text-dim">{read_at === null ? 'never' : <Ago at={read_at} />}</span>,
  },
  { name: 'mend', heading: 'Put back', hidesHeading: true, width: '136px', cell: (row) => <PutBackOne row={row} /> },
];

const Hypervisor = ({ leftovers, fault }: { readonly leftovers: readonly string[]; readonly fault: string | null }) => (
  <Card title="Hypervisor">
    <ul className="grid gap-1 p-3.5">
      {fault !== null && <li className="text-bad">{sentenceOf({ message: fault })}</li>}
      {leftovers.map((uuid) => (
        <li key={uuid}>
          machine <span className="font-mono">{uuid}</span> has no headnode
        </li>
      ))}
    </ul>
  </Card>
);
