import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HistoryConfig } from '../config/history-config.ts';
import { pruneActions, pruneEvents } from '../core/history.ts';
import type { RequestContext, WriteOp } from '../core/request-context.ts';
import { settledEvents } from '../db/event-order.ts';
import { PeriodicTask } from './periodic-task.ts';

const everyMs = 10 * 60_000;
/** Between two batches, for everybody else. */
const pauseMs = 100;

/** Deletes what is older than the operator wants to keep, a little at a time. Null: everything is kept. */
export const historyPruning = (
  { eventsMs, actionsMs }: HistoryConfig,
  context: RequestContext,
  log: Logger,
): PeriodicTask | null => {
  if (eventsMs === null && actionsMs === null) return null;
  return new PeriodicTask(
    everyMs,
    async (signal) => {
      const now = Date.now();
      const newest = await settledEvents(context.query);
      const events =
        eventsMs === null ? 0 : await repeated(context, (op) => pruneEvents(op, now - eventsMs, newest), signal);
      const actions =
        actionsMs === null ? 0 : await repeated(context, (op) => pruneActions(op, now - actionsMs), signal);
      if (events + actions > 0) log.info({ events, actions }, 'deleted expired events and actions');
    },
    (error) => log.warn({ err: error }, 'failed to delete expired events and actions; will retry'),
  );
};

const repeated = async (
  context: RequestContext,
  prune: (op: WriteOp) => Promise<number>,
  signal: AbortSignal,
): Promise<number> => {
  let sum = 0;
  while (!signal.aborted) {
    // One process at a time: two would only abort each other.
    const count = await context.write(prune, { queue: 'history' });
    if (count === 0) break;
    sum += count;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return sum;
};
