import { ShareBar } from './share-bar.tsx';

/** How much of a limit is used, in words and as a bar. */
export const UsedOf = ({ used, limit }: { readonly used: number; readonly limit: number | null }) => {
  if (limit === null)
    return (
      <span className="whitespace-nowrap">
        {used} <span className="text-dim">of any number</span>
      </span>
    );
  const tone = used > limit ? 'bad' : used === limit ? 'warn' : 'accent';
  return (
    <>
      <span className="min-w-13 shrink-0 whitespace-nowrap">
        {used} of {limit}
      </span>
      <ShareBar part={used} of={limit} tone={tone} className="min-w-8 max-w-60 flex-1" />
      {tone !== 'accent' && (
        <span className={`shrink-0 text-fine ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}>
          {tone === 'bad' ? 'over the limit' : 'all used'}
        </span>
      )}
    </>
  );
};
