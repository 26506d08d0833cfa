import { useRef, useState } from 'react';
import { fewAtOnce } from '../api/few-at-once.ts';
import { sentenceOf } from './states.tsx';

/** Something that is done to one of several. */
export interface Work {
  readonly key: string;
  readonly run: () => Promise<unknown>;
}

/** How it went with one of them. */
export interface Outcome {
  readonly key: string;
  readonly state: 'waiting' | 'done' | 'refused';
  readonly why?: string;
}

/** Does something to several, a few at a time; a refusal of one does not stop the others. */
export const useOutcomes = () => {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [isBusy, setBusy] = useState(false);
  // What was left while it was under way goes on, and tells nobody any more.
  const newest = useRef(0);
  const start = async (work: readonly Work[]): Promise<readonly Outcome[]> => {
    newest.current += 1;
    const own = newest.current;
    const list: Outcome[] = work.map(({ key }) => ({ key, state: 'waiting' }));
    const tell = (): void => {
      if (own === newest.current) setOutcomes([...list]);
    };
    setBusy(true);
    tell();
    await fewAtOnce([...work.entries()], async ([index, { key, run }]) => {
      try {
        await run();
        list[index] = { key, state: 'done' };
      } catch (error) {
        list[index] = { key, state: 'refused', why: sentenceOf(error as Error) };
      }
      tell();
    });
    if (own === newest.current) setBusy(false);
    return list;
  };
  const clear = (): void => {
    newest.current += 1;
    setOutcomes([]);
    setBusy(false);
  };
  return { outcomes, isBusy, start, clear };
};

const words = { waiting: 'waiting…', done: 'done' } as const;
const tones = { waiting: 'text-dim', done: 'text-ok', refused: 'text-bad' } as const;

/** How it went, one line for each. */
export const OutcomeList = ({ label, outcomes }: { readonly label: string; readonly outcomes: readonly Outcome[] }) => (
  <ul aria-label={label} aria-live="polite" className="grid max-h-80 gap-1.5 overflow-auto">
    {outcomes.map(({ key, state, why }) => (
      <li key={key} className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-2">
        <span className="truncate font-mono" title={key}>
          {key}
        </span>
        <span className={tones[state]}>{state === 'refused' ? why : words[state]}</span>
      </li>
    ))}
  </ul>
);
