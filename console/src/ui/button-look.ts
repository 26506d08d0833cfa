const looks = {
  primary: 'bg-accent text-accent-text border-transparent hover:brightness-110',
  plain: 'bg-panel text-text border-line hover:bg-sunken',
  danger: 'bg-panel text-bad border-bad/40 hover:bg-bad-soft',
  quiet: 'bg-transparent text-text border-transparent hover:bg-sunken',
} as const;

/** How much a button stands out. */
export type ButtonLook = keyof typeof looks;

/** How a button looks, and a link that leads to where something is done. */
export const buttonLook = (look: ButtonLook): string =>
  `inline-flex h-8 items-center gap-1.5 rounded-control border px-3 font-medium whitespace-nowrap transition-colors aria-disabled:cursor-not-allowed aria-disabled:opacity-55 ${looks[look]}`;
