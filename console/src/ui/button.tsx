import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Hint } from './hint.tsx';

const looks = {
  primary: 'bg-accent text-accent-text border-transparent hover:brightness-110',
  plain: 'bg-panel text-text border-line hover:bg-sunken',
  danger: 'bg-panel text-bad border-bad/40 hover:bg-bad-soft',
  quiet: 'bg-transparent text-text border-transparent hover:bg-sunken',
} as const;

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'disabled'> {
  readonly look?: keyof typeof looks;
  /** Why it cannot be pressed now, in a sentence; then it cannot, and says so. */
  readonly unless?: string | null | undefined;
  /** Its work is under way. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** A button says what will happen. One that cannot be pressed stays in reach of the keyboard, and says why. */
export const Button = ({ look = 'plain', unless = null, isBusy = false, className, onClick, ...rest }: ButtonProps) => {
  const isOff = unless !== null || isBusy;
  const button = (
    <button
      type="button"
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      className={`inline-flex h-8 items-center gap-1.5 rounded-control border px-3 font-medium whitespace-nowrap transition-colors aria-disabled:cursor-not-allowed aria-disabled:opacity-55 ${looks[look]} ${className ?? ''}`}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    />
  );
  return unless === null ? button : <Hint text={unless}>{button}</Hint>;
};
