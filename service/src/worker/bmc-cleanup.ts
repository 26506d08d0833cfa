import type { Logger } from 'pino';
import { deleteDepartedBmc, listDepartedBmcs } from '../core/departed-bmcs.ts';
import type { RequestContext } from '../core/request-context.ts';
import { PeriodicTask } from './periodic-task.ts';

const lookMs = 30_000;

/** Deletes BMCs of deleted nodes that a process that died, or a daemon that did not answer, left behind. */
export const bmcCleanup = (context: RequestContext, log: Logger): PeriodicTask =>
  new PeriodicTask(
    lookMs,
    async (signal) => {
      for (const obm of await context.read((op) => listDepartedBmcs(op))) {
        if (signal.aborted) return;
        try {
          await deleteDepartedBmc(context, obm);
          log.info({ obm }, 'BMC of a deleted node deleted');
        } catch (error) {
          log.warn({ obm, err: error }, 'failed to delete the BMC of a deleted node; will retry');
        }
      }
    },
    (error) => log.warn({ err: error }, 'failed to look for BMCs of deleted nodes; will retry'),
  );
