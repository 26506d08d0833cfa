import { useCopy } from './use-copy.tsx';

/** The command that does the same, to copy; or something else that is copied, with its name. */
export const Command = ({ text, name = `the command ${text}` }: { readonly text: string; readonly name?: string }) => {
  const { shown, copy, said } = useCopy<HTMLElement>(text);
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2 rounded-control border border-line bg-sunken pl-2.5">
      <code ref={shown} className="min-w-0 flex-1 py-1.5 font-mono text-fine wrap-anywhere text-dim">
        {text}
      </code>
      <button
        type="button"
        className="inline-flex h-8 items-center gap-1 rounded-control px-2 text-fine text-dim hover:text-text"
        aria-label={`Copy ${name}`}
        onClick={copy}
      >
        {said}
      </button>
    </div>
  );
};
