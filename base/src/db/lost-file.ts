import type { Condition, DatabaseUnavailable } from './database-fault.ts';

/** Resolves when the file of an embedded database was removed or replaced, with the sentence for the operator. */
export const lostFile = (condition: Condition): Promise<Error> =>
  new Promise((resolve) => {
    const look = (fault: DatabaseUnavailable | null): void => {
      if (fault?.kind === 'lost') resolve(new Error(fault.reason, { cause: fault }));
    };
    look(condition.fault);
    condition.onChange(({ fault }) => look(fault));
  });
