import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Cleaning, CleaningStep } from '../api/client.ts';
import { cleaningNamed, cleaningsOf } from '../api/queries.ts';
import { Ago, Until } from '../ui/ago.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { ChoiceField } from '../ui/choice-field.tsx';
import { Quarantine, RetryCleaning, SkipStep } from '../ui/cleaning-actions.tsx';
import { cleaningTones, cleaningWords } from '../ui/cleaning-state.ts';
import { Command } from '../ui/command.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NoSuch } from '../ui/no-such.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty, sentenceOf } from '../ui/states.tsx';

/** The cleanings of a node that are kept: the one that is chosen with its steps, or the newest. */
export const CleaningsOfNode = ({ node, chosen }: { readonly node: string; readonly chosen: string | undefined }) => {
  const navigate = useNavigate();
  return (
    <Card
      title={<span className="wrap-anywhere">Cleaning of {node}</span>}
      actions={
        <>
          <Link to="/nodes/$node" params={{ node }} className={buttonLook('plain')}>
            Its page
          </Link>
          <Link to="/cleaning" className={buttonLook('plain')}>
            Close
          </Link>
        </>
      }
    >
      <Loaded query={useQuery(cleaningsOf(node))} missing={<NoSuch kind="node" name={node} />}>
        {(cleanings) => {
          const shown = cleanings.find(({ cleaning }) => cleaning === chosen) ?? cleanings[0];
          if (shown === undefined)
            return (
              <Empty title={`${node} was never cleaned`}>It is when it leaves a project, or after a quarantine.</Empty>
            );
          return (
            <>
              {cleanings.length > 1 && (
                <div className="max-w-md border-b border-line p-3.5">
                  <ChoiceField
                    label="Which of its cleanings"
                    options={cleanings.map((each) => ({ value: each.cleaning, label: labelOf(each) }))}
                    value={shown.cleaning}
                    onChange={(cleaning) =>
                      void navigate({ to: '/cleaning', search: { node, cleaning }, replace: true })
                    }
                  />
                </div>
              )}
              <Details key={shown.cleaning} cleaning={shown} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
};

const labelOf = ({ state, created_at }: Cleaning): string =>
  `${new Date(created_at).toLocaleString()}, ${cleaningWords[state]}`;

const Details = ({
  cleaning: { cleaning, node, state, reason, project, created_at },
}: {
  readonly cleaning: Cleaning;
}) => (
  <>
    <div className="grid gap-3 border-b border-line p-3.5">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Badge tone={cleaningTones[state]}>{cleaningWords[state]}</Badge>
        <span className="text-dim">
          begun <Ago at={created_at} />, {project === null ? 'it was free' : `after it left project ${project}`}
        </span>
      </p>
      {reason !== null && <p className="wrap-anywhere">{sentenceOf({ message: reason })}</p>}
      <div className="flex flex-wrap gap-2">
        {state === 'failed' && <RetryCleaning cleaning={cleaning} node={node} />}
        {(state === 'running' || state === 'maintenance') && <Quarantine node={node} />}
      </div>
    </div>
    <Loaded query={useQuery(cleaningNamed(cleaning))}>
      {({ steps }) => (
        <ol aria-label={`Steps of the cleaning of ${node}`}>
          {steps.map((step) => (
            <Step key={step.name} step={step} cleaning={cleaning} isOver={state === 'passed'} />
          ))}
        </ol>
      )}
    </Loaded>
    <div className="p-3.5">
      <Command text={commandOf('cleaning', 'show', cleaning, '--evidence')} />
    </div>
  </>
);

const tones: Readonly<Record<string, Tone>> = {
  pending: 'plain',
  running: 'accent',
  passed: 'ok',
  failed: 'bad',
  skipped: 'warn',
};

/** As the service refuses to skip them. */
const fixedKinds: readonly string[] = ['ports', 'maintenance'];

const Step = ({
  step: { name, kind, state, attempts, sentence, evidence, deadline_at, ended_at },
  cleaning,
  isOver,
}: {
  readonly step: CleaningStep;
  readonly cleaning: string;
  readonly isOver: boolean;
}) => {
  const canSkip = !isOver && !fixedKinds.includes(kind) && state !== 'passed' && state !== 'skipped';
  return (
    <li aria-label={`${name}: ${state}`} className="grid gap-1 border-b border-line px-3.5 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-mono font-medium wrap-anywhere">{name}</span>
        <Badge tone={tones[state] ?? 'plain'}>{state}</Badge>
        <span className="text-fine text-dim">
          {ended_at !== null ? (
            <Ago at={ended_at} />
          ) : (
            deadline_at !== null && (
              <>
                given up <Until at={deadline_at} />
              </>
            )
          )}
          {attempts > 0 && ` · failed ${attempts === 1 ? 'once' : `${attempts} times`}`}
        </span>
        {canSkip && (
          <span className="ml-auto">
            <SkipStep cleaning={cleaning} step={name} />
          </span>
        )}
      </div>
      {sentence !== null && <p className="wrap-anywhere">{sentenceOf({ message: sentence })}</p>}
      {evidence !== null && (
        <details>
          <summary className="w-fit cursor-pointer text-accent">Evidence of {name}</summary>
          <pre
            tabIndex={0}
            aria-label={`Evidence of ${name}`}
            className="mt-1 max-h-80 overflow-auto rounded-control bg-sunken p-2.5 font-mono text-fine wrap-anywhere whitespace-pre-wrap"
          >
            {evidence}
          </pre>
        </details>
      )}
    </li>
  );
};
