import { Check, CircleDashed, LoaderCircle, X } from 'lucide-react';
import type { Release } from '../api/client.ts';
import { sentenceOf } from './states.tsx';

type Step = Release['step'];
type StepState = 'done' | 'running' | 'failed' | 'ahead';

const steps: readonly Step[] = ['networks', 'obm', 'project'];

const words: Readonly<Record<Step, Readonly<Record<StepState, string>>>> = {
  networks: {
    done: 'networks detached',
    running: 'detaching networks…',
    failed: 'networks not detached',
    ahead: 'detach networks',
  },
  obm: { done: 'OBM disabled', running: 'disabling OBM…', failed: 'OBM not disabled', ahead: 'disable OBM' },
  project: {
    done: 'released',
    running: 'leaving the project…',
    failed: 'not released',
    ahead: 'leave the project',
  },
};

const looks: Readonly<Record<StepState, string>> = {
  done: 'text-ok',
  running: 'text-accent',
  failed: 'text-bad',
  ahead: 'text-dim',
};

const icons = { done: Check, running: LoaderCircle, failed: X, ahead: CircleDashed } as const;

const stateOf = ({ state, step }: Release, of: Step): StepState => {
  if (state === 'done') return 'done';
  const away = steps.indexOf(of) - steps.indexOf(step);
  if (away !== 0) return away < 0 ? 'done' : 'ahead';
  return state;
};

/** The steps of a release side by side, and what went wrong with the one that it is at. */
export const ReleaseProgress = ({ release }: { readonly release: Release }) => (
  <div className="grid min-w-0 gap-1">
    <ol aria-label={`Steps of the release of ${release.node}`} className="flex flex-wrap gap-x-3 gap-y-0.5">
      {steps.map((step) => {
        const state = stateOf(release, step);
        const Icon = icons[state];
        return (
          <li key={step} className={`inline-flex items-center gap-1 whitespace-nowrap ${looks[state]}`}>
            <Icon size={13} aria-hidden className={state === 'running' ? 'motion-safe:animate-spin' : ''} />
            {words[step][state]}
          </li>
        );
      })}
    </ol>
    <ReleaseProblem release={release} />
  </div>
);

/** What could not be done, in the service's words; while it is running, it is tried again. */
const ReleaseProblem = ({ release: { state, problem, attempts } }: { readonly release: Release }) => {
  if (problem === null) return null;
  const said = sentenceOf({ message: problem });
  return state === 'failed' ? (
    <p className="wrap-anywhere text-bad">{said}</p>
  ) : (
    <p className="wrap-anywhere text-warn">
      {said}. Tried {attempts === 1 ? 'once' : `${attempts} times`}; it is tried again.
    </p>
  );
};
