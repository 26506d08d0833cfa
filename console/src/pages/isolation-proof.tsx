import { useMutation } from '@tanstack/react-query';
import { LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { readBetween } from '../api/read-isolation.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Between, type IsolationVerdict, type Pair, verdictOf } from '../ui/isolation-verdict.ts';
import { saveJson } from '../ui/save-file.ts';
import { Failure } from '../ui/states.tsx';
import { IsolationNetworks } from './isolation-networks.tsx';

/** What was found about two projects, who asked and when; times of asking by the clock of the browser. */
interface IsolationReport extends IsolationVerdict, Between {
  readonly report: 'isolation of two projects';
  readonly service: string;
  readonly caller: string;
  readonly asked_at: string;
  readonly answered_at: string;
}

/** Reads all switches on request, and says whether two projects are apart. `unless`: why that cannot be asked. */
export const IsolationProof = ({ projects, unless }: { readonly projects: Pair; readonly unless: string | null }) => {
  const { name: caller } = useMe();
  const [progress, setProgress] = useState('');
  const reading = useMutation({
    mutationFn: async (): Promise<IsolationReport> => {
      const asked_at = new Date().toISOString();
      const between = await readBetween(projects, setProgress);
      return {
        report: 'isolation of two projects',
        service: location.origin,
        caller,
        asked_at,
        answered_at: new Date().toISOString(),
        ...verdictOf(between),
        ...between,
      };
    },
  });
  const report = reading.data;
  return (
    <Card
      title={unless === null ? `${projects[0]} and ${projects[1]}` : 'Two projects'}
      actions={
        <span className="no-print flex flex-wrap gap-2">
          {report !== undefined && (
            <>
              <Button onClick={() => saveJson(`isolation-${projects.join('-')}-${report.answered_at}`, report)}>
                Save as JSON
              </Button>
              <Button onClick={() => setTimeout(() => print())}>Print</Button>
            </>
          )}
          <Button look="primary" unless={unless} isBusy={reading.isPending} onClick={() => reading.mutate()}>
            {reading.isPending && <LoaderCircle size={14} aria-hidden className="animate-spin" />}
            {report === undefined ? 'Prove isolation' : 'Read the switches again'}
          </Button>
        </span>
      }
    >
      <div aria-live="polite">
        {reading.isPending && <p className="p-3.5">{progress}</p>}
        {reading.error && <Failure error={reading.error} />}
        {reading.isIdle && (
          <p className="p-3.5 text-dim">
            Reads all switches now, and compares every network that one of the two may use or is on: what the switches
            say, not what is recorded.
          </p>
        )}
        {report !== undefined && <Verdict report={report} />}
      </div>
      {report !== undefined && <IsolationNetworks networks={report.networks} projects={projects} />}
      {report !== undefined && <SwitchTimes report={report} />}
    </Card>
  );
};

const boxes = {
  apart: 'border-line',
  'no proof': 'border-warn bg-warn-soft',
  together: 'border-bad bg-bad-soft',
} as const;
const words = { apart: 'text-ok', 'no proof': 'text-warn', together: 'text-bad' } as const;

const Verdict = ({ report }: { readonly report: IsolationReport }) => {
  const { verdict, sentence, meetings, unread, notes, networks, switches } = report;
  return (
    <div className={`grid gap-1.5 border-b p-3.5 ${boxes[verdict]}`}>
      <p
        role={verdict === 'apart' ? 'status' : 'alert'}
        className={`text-title font-semibold break-words ${words[verdict]}`}
      >
        {sentence}.
      </p>
      {verdict === 'together' && unread.length > 0 && (
        <p className="font-medium text-warn">Not everything could be read: there may be more.</p>
      )}
      {[...meetings, ...unread, ...notes].length > 0 && (
        <ul aria-label="What was found" className="list-disc pl-5 break-words">
          {[...meetings, ...unread, ...notes].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <p>
        {networks.length === 1 ? '1 network' : `${networks.length} networks`} on{' '}
        {switches.length === 1 ? '1 switch' : `${switches.length} switches`}. Headnodes are as recorded: switches say
        nothing of them.
      </p>
      <p className="text-fine text-dim">
        Asked for by {report.caller} <Ago at={report.asked_at} />
        <span className="hidden print:inline"> at {report.service}</span>.
      </p>
    </div>
  );
};

/** When each switch was read last. */
const SwitchTimes = ({ report: { switches, networks } }: { readonly report: IsolationReport }) => {
  const latest = new Map(switches.map(({ switch: name, drift }) => [name, drift?.swept_at ?? null]));
  for (const { reach } of networks) {
    for (const { switch: name, read_at } of reach?.switches ?? []) {
      if (read_at !== null && read_at > (latest.get(name) ?? '')) latest.set(name, read_at);
    }
  }
  return (
    <p className="flex flex-wrap gap-x-4 border-t border-line p-3.5 text-fine text-dim">
      {[...latest].map(([name, read_at]) => (
        <span key={name}>
          <span className="font-mono">{name}</span> {read_at === null ? 'not read' : <>read {<Ago at={read_at} />}</>}
        </span>
      ))}
    </p>
  );
};
