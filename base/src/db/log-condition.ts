import type { Logger } from 'pino';
import type { Condition } from './database-fault.ts';

/** Writes to the log when changes cannot be stored any more, and when they can: not once for every change. */
export const logCondition = (condition: Condition, what: string, log: Logger): void => {
  condition.onChange(({ fault, refused }) => {
    if (fault === null) log.info({ refused }, `writes to ${what} succeed again`);
    else log.error({ kind: fault.kind, err: fault.cause }, `cannot write to ${what}: ${fault.message}`);
  });
};
