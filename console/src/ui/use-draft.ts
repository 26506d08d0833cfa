import { useState } from 'react';
import { useMe } from '../api/use-me.ts';

/** What somebody typed into a form and has not sent. It is in this page's memory alone, so a reload forgets it. */
export class Draft<T> {
  #kept: { readonly whose: string; readonly value: T } | null = null;

  of(whose: string): T | null {
    return this.#kept?.whose === whose ? this.#kept.value : null;
  }

  keep(whose: string, value: T): void {
    this.#kept = { whose, value };
  }

  forget(): void {
    this.#kept = null;
  }
}

/** The state of a form that is there again when the person comes back to it, without what `keeps` leaves out: secrets. */
export const useDraft = <T>(draft: Draft<T>, initial: T, keeps: (value: T) => T): [T, (value: T) => void] => {
  const { name } = useMe();
  const [value, setValue] = useState(() => draft.of(name) ?? initial);
  const change = (next: T): void => {
    draft.keep(name, keeps(next));
    setValue(next);
  };
  return [value, change];
};
