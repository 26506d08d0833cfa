import { useQuery } from '@tanstack/react-query';
import { claimPreview } from '../api/queries.ts';
import { formWords } from '../ui/form-words.ts';
import { sentenceOf } from '../ui/states.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { type ClaimForm, formMistake, refusalSentences, wantedOf } from './claims-request.ts';

/** How many free nodes fit what is typed, and what a claim would get now, or why it would get nothing. */
export const ClaimPreview = ({ project, form }: { readonly project: string; readonly form: ClaimForm }) => {
  const shown = useSettled(form);
  const mistake = formMistake(form);
  const isReady = formMistake(shown) === null;
  const { data, error } = useQuery({ ...claimPreview(project, wantedOf(shown)), enabled: isReady });
  const isCounted = mistake === null && isReady && error === null && data !== undefined;
  return (
    <section
      aria-label="What fits now"
      className="grid content-start gap-2 self-start rounded-control border border-line bg-sunken p-3.5"
    >
      <h3 className="text-fine text-dim">Right now</h3>
      <div role="status" className="grid min-w-0 gap-2 wrap-anywhere">
        {isCounted ? (
          <Counted {...data} isKept={form.wait} />
        ) : (
          <p className={error === null ? 'text-dim' : 'text-bad'}>
            {mistake ?? (error === null ? 'Counting…' : formWords(sentenceOf(error)))}
          </p>
        )}
      </div>
    </section>
  );
};

const Counted = ({
  fit,
  nodes,
  refusal,
  isKept,
}: {
  readonly fit: number;
  readonly nodes: readonly string[];
  readonly refusal: string | null;
  /** It would wait instead. */
  readonly isKept: boolean;
}) => (
  <>
    <p className={`text-title font-semibold ${refusal === null ? 'text-ok' : 'text-warn'}`}>
      {fit === 0 ? 'No free node fits' : fit === 1 ? '1 free node fits' : `${fit} free nodes fit`}
    </p>
    {refusal === null ? (
      <p>You would get {nodes.join(', ')}.</p>
    ) : (
      <>
        {refusalSentences(refusal).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <p className="text-dim">
          {isKept
            ? 'The claim would wait in line, if enough nodes fit once others are given back.'
            : 'A claim would get none of them now.'}
        </p>
      </>
    )}
  </>
);
