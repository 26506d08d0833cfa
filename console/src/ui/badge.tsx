import type { ReactNode } from 'react';

const tones = {
  ok: 'text-ok',
  plain: 'px-1.5 bg-sunken text-dim',
  accent: 'px-1.5 bg-accent-soft text-accent',
  warn: 'px-1.5 bg-warn-soft text-warn',
  bad: 'px-1.5 bg-bad-soft text-bad',
} as const;
export type Tone = keyof typeof tones;

/** A state in a word. What is fine has no box around it: colour means something, or is not there. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`inline-block rounded-[4px] text-fine font-semibold whitespace-nowrap ${tones[tone]}`}>
    {children}
  </span>
);
