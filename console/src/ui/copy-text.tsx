import { Button } from './button.tsx';
import { useCopy } from './use-copy.tsx';

/** A text of several lines, to copy. */
export const CopyText = ({ text, name }: { readonly text: string; readonly name: string }) => {
  const { shown, copy, said } = useCopy<HTMLPreElement>(text);
  return (
    <div className="relative min-w-0 rounded-control border border-line bg-sunken">
      <pre
        ref={shown}
        tabIndex={0}
        role="region"
        aria-label={name}
        className="max-h-96 overflow-auto p-2.5 font-mono text-fine"
      >
        {text}
      </pre>
      <Button className="absolute top-1.5 right-1.5 h-7! px-2! text-fine" aria-label={`Copy ${name}`} onClick={copy}>
        {said}
      </Button>
    </div>
  );
};
