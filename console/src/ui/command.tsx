import { Check, Copy } from 'lucide-react';
import { useRef, useState } from 'react';

/** The command that does the same, to copy; or something else that is copied, with its name. */
export const Command = ({ text, name = `the command ${text}` }: { readonly text: string; readonly name?: string }) => {
  const [said, setSaid] = useState<'copy' | 'copied' | 'Ctrl C'>('copy');
  const shown = useRef<HTMLElement>(null);
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
    <div className="flex min-w-0 flex-1 items-center gap-2 rounded-control border border-line bg-sunken pl-2.5">
      <code ref={shown} className="min-w-0 flex-1 py-1.5 font-mono text-fine wrap-anywhere text-dim">
        {text}
      </code>
      <button
        type="button"
        className="inline-flex h-8 items-center gap-1 rounded-control px-2 text-fine text-dim hover:text-text"
        aria-label={`Copy ${name}`}
        onClick={() => void copy()}
      >
        {said === 'copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        <span aria-live="polite">{said}</span>
      </button>
    </div>
  );
};
