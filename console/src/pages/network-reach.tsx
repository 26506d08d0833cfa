import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LoaderCircle } from 'lucide-react';
import { useMemo, useState } from 'react';
import { corral, type NetworkOverview, type Reach } from '../api/client.ts';
import { allSwitches } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { type ReachReport, summaryOf } from '../ui/reach-summary.ts';
import { saveJson } from '../ui/save-file.ts';
import { shellWord } from '../ui/shell-word.ts';
import { Failure } from '../ui/states.tsx';

type ReachPort = Reach['ports'][number];

/** Reads all switches on request, and shows every port that carries the network, as they said. */
export const NetworkReach = ({ network }: { readonly network: NetworkOverview }) => {
  const { name: caller } = useMe();
  const { name } = network;
  const [askedAt, setAskedAt] = useState('');
  const reading = useMutation({
    mutationFn: async (asked_at: string): Promise<ReachReport> => {
      const answer = await corral.networkReach({ network: name });
      const answered_at = new Date().toISOString();
      return { report: 'network reach', service: location.origin, caller, asked_at, answered_at, answer };
    },
  });
  const report = reading.data;
  const read = (): void => {
    const now = new Date().toISOString();
    setAskedAt(now);
    reading.mutate(now);
  };
  return (
    <Card
      title="Reach"
      actions={
        <span className="no-print flex flex-wrap gap-2">
          {report !== undefined && (
            <>
              <Button onClick={() => saveJson(`reach-${name}-${report.answered_at}`, report)}>Save as JSON</Button>
              <Button onClick={() => setTimeout(() => print())}>Print</Button>
            </>
          )}
          <Button look="primary" isBusy={reading.isPending} onClick={read}>
            {reading.isPending && <LoaderCircle size={14} aria-hidden className="animate-spin" />}
            {report === undefined ? 'Prove isolation' : 'Read the switches again'}
          </Button>
        </span>
      }
    >
      <div aria-live="polite">
        {reading.isPending && <Progress since={askedAt} />}
        {reading.error && <Failure error={reading.error} />}
        {reading.isIdle && (
          <p className="p-3.5 text-dim">
            Reads all switches now, and shows every port that carries {name}: what the switches say, not what is
            recorded.
          </p>
        )}
        {report !== undefined && <Verdict report={report} access={network.access} />}
      </div>
      {report !== undefined && <Ports ports={report.answer.ports} />}
      {report !== undefined && <SwitchTimes answer={report.answer} />}
      <div className="no-print flex border-t border-line p-3">
        <Command text={`corral reach ${shellWord(name)}`} />
      </div>
    </Card>
  );
};

const Progress = ({ since }: { readonly since: string }) => {
  const { admin } = useMe();
  const switches = useQuery({ ...allSwitches, enabled: admin }).data?.switches;
  return (
    <p className="flex items-start gap-2 p-3.5">
      <LoaderCircle size={16} aria-hidden className="mt-0.5 shrink-0 animate-spin text-accent" />
      <span className="min-w-0">
        Waiting for {switches === undefined ? 'all switches' : switches.map(({ name }) => name).join(', ')} to be read;
        begun <Ago at={since} />.{' '}
        <span className="text-dim">One that does not answer is given up after a while, at most a minute.</span>
      </span>
    </p>
  );
};

const boxes = { ok: 'border-line', warn: 'border-warn bg-warn-soft', bad: 'border-bad bg-bad-soft' } as const;

const Verdict = ({ report, access }: { readonly report: ReachReport; readonly access: readonly string[] | null }) => {
  const { answer, caller, asked_at } = report;
  const { tone, sentence, extent, readAt, notes } = summaryOf(answer, access);
  const silent = answer.switches?.filter(({ fault }) => fault !== null) ?? [];
  return (
    <div className={`grid gap-1.5 border-b p-3.5 ${boxes[tone]}`}>
      {!answer.complete && (
        <p role="alert" className="text-title font-semibold text-warn">
          This is no proof: not everything could be read
        </p>
      )}
      {silent.map(({ switch: name, fault, read_at }) => (
        <p key={name} className="font-medium text-warn">
          Switch {name} did not answer ({fault});{' '}
          {read_at === null ? (
            'it was never read'
          ) : (
            <>
              last read <Ago at={read_at} />
            </>
          )}
          .
        </p>
      ))}
      {!answer.complete && silent.length === 0 && (
        <p className="font-medium text-warn">
          {answer.switches === undefined
            ? 'A switch did not answer, or the state of a port is not known. Administrators see which switch it is.'
            : 'A switch was not read in time, or the state of a port is not known: see when each was read.'}
        </p>
      )}
      <p className="font-semibold">
        {sentence}: {extent}
        {readAt !== null && (
          <>
            , read <Ago at={readAt} />
          </>
        )}
        .
      </p>
      {notes.length > 0 && (
        <ul className="list-disc pl-5">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <p className="text-fine text-dim">
        VLAN {answer.vlan}, asked for by {caller} <Ago at={asked_at} />
        <span className="hidden print:inline"> at {report.service}</span>.
      </p>
    </div>
  );
};

const Ports = ({ ports }: { readonly ports: readonly ReachPort[] }) => {
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

/** When each switch was read; administrators only. */
const SwitchTimes = ({ answer: { switches = [] } }: { readonly answer: Reach }) =>
  switches.length === 0 ? null : (
    <p className="flex flex-wrap gap-x-4 border-t border-line p-3.5 text-fine text-dim">
      {switches.map(({ switch: name, read_at, fault }) => (
        <span key={name} className={fault === null ? '' : 'text-warn'}>
          <span className="font-mono">{name}</span> {read_at === null ? 'never read' : <>read {<Ago at={read_at} />}</>}
        </span>
      ))}
    </p>
  );

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
