import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

const paper = matchMedia('print');
const listeners = new Set<() => void>();
let isPrinting = paper.matches;

const become = (isNow: boolean): void => {
  if (isNow === isPrinting) return;
  isPrinting = isNow;
  // The browser takes its picture as soon as this returns.
  flushSync(() => {
    for (const listener of listeners) listener();
  });
};

window.addEventListener('beforeprint', () => become(true));
window.addEventListener('afterprint', () => become(paper.matches));
paper.addEventListener('change', ({ matches }) => become(matches));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Is the page drawn for paper now? Then nothing scrolls, and `3 min ago` says nothing. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting);
