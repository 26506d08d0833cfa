import { useMutation, type UseMutationOptions } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * A mutation that does not start again while it is under way. What is drawn is not enough for that: the second click of
 * two comes before the first one is seen.
 */
export const useAction = <Reply>(options: UseMutationOptions<Reply>) => {
  const isUnderWay = useRef(false);
  const { mutateAsync, reset, ...action } = useMutation(options);
  return {
    ...action,
    start: (): void => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      // Why it was refused is `error`.
      void mutateAsync()
        .catch(() => undefined)
        .finally(() => {
          isUnderWay.current = false;
        });
    },
    /** Forgets how it went, as soon as what was sent is changed. */
    forget: (): void => {
      if (!isUnderWay.current && !action.isIdle) reset();
    },
  };
};
