import type { ComponentPropsWithRef, ReactNode } from 'react';
import { type ButtonLook, buttonLook } from './button-look.ts';
import { Hint } from './hint.tsx';

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'disabled'> {
  readonly look?: ButtonLook;
  /** Why it cannot be pressed now, in a sentence; then it cannot, and says so. */
  readonly unless?: string | null | undefined;
  /** Its work is under way. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** A button says what will happen. One that cannot be pressed stays in reach of the keyboard, and says why. */
export const Button = ({ look = 'plain', unless = null, isBusy = false, className, onClick, ...rest }: ButtonProps) => {
  const isOff = unless !== null || isBusy;
  return (
    <Hint text={unless}>
      <button
        type="button"
        aria-disabled={isOff || undefined}
        aria-busy={isBusy || undefined}
        className={`${buttonLook(look)} ${className ?? ''}`}
        onClick={(event) => {
          if (isOff) event.preventDefault();
          else onClick?.(event);
        }}
        {...rest}
      />
    </Hint>
  );
};
