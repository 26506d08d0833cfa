import type { ReactNode } from 'react';

const tones = {
  ok: 'text-ok',
  plain: 'bg-sunken text-dim',
  accent: 'bg-accent-soft text-accent',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
} as const;
export type Tone = keyof typeof tones;

/** A state in a word. What is fine has no box around it: colour means something, or is not there. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`inline-block rounded-[4px] px-1.5 text-fine font-semibold whitespace-nowrap ${tones[tone]}`}>
    {children}
  </span>
);
