import type { Terminal } from './admin-command.ts';

const everyMs = 1_000;

const workOf = (text: string): string => text.split(' ')[0] ?? '';

/** A line that says how far a command is: written over where somebody watches, and now and then where nobody does. */
export const progressOn = (terminal: Terminal): { readonly show: (text: string) => void; readonly end: () => void } => {
  let shown: string | null = null;
  let last = '';
  let at = Number.NEGATIVE_INFINITY;
  const write = (text: string): void => {
    shown = text;
    at = performance.now();
    terminal.err(terminal.isLive ? `\r\u001b[K${text}` : `${text}\n`);
  };
  return {
    show: (text) => {
      // Of the work before, whose end would not be seen any more.
      if (!terminal.isLive && shown !== last && workOf(text) !== workOf(last)) write(last);
      last = text;
      if (terminal.isLive || performance.now() - at >= everyMs) write(text);
    },
    end: () => {
      if (last !== '' && shown !== last) write(last);
      if (terminal.isLive && shown !== null) terminal.err('\n');
    },
  };
};
