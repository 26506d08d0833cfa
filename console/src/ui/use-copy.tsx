import { Check, Copy } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';

interface Copying<Shown extends HTMLElement> {
  /** The element that shows the text. */
  readonly shown: RefObject<Shown | null>;
  readonly copy: () => void;
  /** What stands on the button. */
  readonly said: ReactNode;
}

/** Copies a text that is shown. */
export const useCopy = <Shown extends HTMLElement>(text: string): Copying<Shown> => {
  const [said, setSaid] = useState<'copy' | 'copied' | 'Ctrl C'>('copy');
  const shown = useRef<Shown>(null);
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
  return {
    shown,
    copy: () => void copy(),
    said: (
      <>
        {said === 'copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        <span aria-live="polite">{said}</span>
      </>
    ),
  };
};
