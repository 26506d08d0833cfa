import { useMutation, useQuery } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { corral, type NetworkOverview, type Reach } from '../api/client.ts';
import { allSwitches, readHeadnodes } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { headnodesOn, type ReachReport, summaryOf } from '../ui/reach-summary.ts';
import { saveJson } from '../ui/save-file.ts';
import { shellWord } from '../ui/shell-word.ts';
import { Failure } from '../ui/states.tsx';
import { ReachPorts } from './network-reach-ports.tsx';

/** Reads all switches on request, and shows every port that carries the network, as they said. */
export const NetworkReach = ({ network }: { readonly network: NetworkOverview }) => {
  const { name: caller } = useMe();
  const { name } = network;
  const [askedAt, setAskedAt] = useState('');
  const reading = useMutation({
    mutationFn: async (asked_at: string): Promise<ReachReport> => {
      const answer = await corral.networkReach({ network: name });
      const headnodes = headnodesOn(await readHeadnodes(), name);
      const answered_at = new Date().toISOString();
      return { report: 'network reach', service: location.origin, caller, asked_at, answered_at, answer, headnodes };
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
      {report !== undefined && <ReachPorts ports={report.answer.ports} />}
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
  const { answer, caller, asked_at, headnodes } = report;
  const { tone, sentence, extent, readAt, notes } = summaryOf(answer, access, headnodes);
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
      <HeadnodesInReport headnodes={headnodes} />
      <p className="text-fine text-dim">
        VLAN {answer.vlan}, asked for by {caller} <Ago at={asked_at} />
        <span className="hidden print:inline"> at {report.service}</span>.
      </p>
    </div>
  );
};

/** Switches do not say what headnodes carry: those that are recorded are part of the report, as such. */
const HeadnodesInReport = ({ headnodes }: Pick<ReachReport, 'headnodes'>) => {
  const { admin } = useMe();
  return (
    <p>
      Headnodes are as recorded, switches say nothing of them:{' '}
      {headnodes.length === 0
        ? 'none is on it'
        : headnodes
            .map(({ headnode, project, hnics, state }) => `${headnode} ${hnics.join(', ')} of ${project} (${state})`)
            .join('; ')}
      {!admin && '; those of projects of others are not shown to you'}.
    </p>
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
