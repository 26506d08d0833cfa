const tones = { accent: 'bg-accent', warn: 'bg-warn', bad: 'bg-bad' } as const;

/** How much of something a part is, as a bar. What it says also stands beside it in words. */
export const ShareBar = ({
  part,
  of,
  tone = 'accent',
  className = '',
}: {
  readonly part: number;
  readonly of: number;
  readonly tone?: keyof typeof tones;
  readonly className?: string;
}) => (
  <span aria-hidden className={`block h-1.5 overflow-hidden rounded-full bg-line ${className}`}>
    <span className={`block h-full ${tones[tone]}`} style={{ width: `${shareOf(part, of) * 100}%` }} />
  </span>
);

/** From 0 to 1. More than all is all; of nothing, something is all. */
const shareOf = (part: number, of: number): number => (of > 0 ? Math.min(part / of, 1) : part > 0 ? 1 : 0);
