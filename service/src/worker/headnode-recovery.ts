import { sql } from 'kysely';
import type { Logger } from 'pino';
import { headnodeRecover } from '../core/headnode-lifecycle.ts';
import { settleUnknownMachines } from '../core/leftovers.ts';
import type { RequestContext } from '../core/request-context.ts';
import { PeriodicTask } from './periodic-task.ts';

const lookMs = 30_000;

/** Finishes what a process that died left half done between the hypervisor and the database. */
export const headnodeRecovery = (context: RequestContext, log: Logger): PeriodicTask =>
  new PeriodicTask(
    lookMs,
    async (signal) => {
      await finishHalfDone(context, log, signal);
      await settleUnknownMachines(context);
    },
    (error) => log.warn({ err: error }, 'failed to check headnodes; will retry'),
  );

const finishHalfDone = async (context: RequestContext, log: Logger, signal: AbortSignal): Promise<void> => {
  const unfinished = await context.read(({ tx }) =>
    tx
      .selectFrom('headnodes')
      .select('label')
      .where((where) =>
        where.or([where('making', '=', sql.lit(1 as const)), where('state', '=', sql.lit('deleting' as const))]),
      )
      .execute(),
  );
  for (const { label } of unfinished) {
    if (signal.aborted) return;
    try {
      log.info({ headnode: label }, 'recovering unfinished headnode');
      // A process that is working on it holds its lease, and can finish.
      await headnodeRecover(context, { headnode: label });
      log.info({ headnode: label }, 'unfinished headnode recovered');
    } catch (error) {
      log.warn({ headnode: label, err: error }, 'failed to recover unfinished headnode; will retry');
    }
  }
};
