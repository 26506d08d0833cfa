import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from './button.tsx';

/** A text of several lines, to copy. */
export const CopyText = ({ text, name }: { readonly text: string; readonly name: string }) => {
  const [said, setSaid] = useState<'copy' | 'copied' | 'Ctrl C'>('copy');
  const shown = useRef<HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('copied');
    } catch {
      // Browsers keep the clipboard from pages that came without TLS: the text is chosen, and the person copies it.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      setSaid('Ctrl C');
    }
    setTimeout(() => setSaid('copy'), 1_500);
  };
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
      <Button
        className="absolute top-1.5 right-1.5 h-7! px-2! text-fine"
        aria-label={`Copy ${name}`}
        onClick={() => void copy()}
      >
        {said === 'copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        <span aria-live="polite">{said}</span>
      </Button>
    </div>
  );
};
