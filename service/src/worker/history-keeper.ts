import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { HistoryConfig } from '../config/history.ts';
import { newestEvent } from '../core/audit.ts';
import { pruneActions, pruneEvents } from '../core/history.ts';
import type { Desk, WriteOp } from '../core/op.ts';
import { Rounds } from './rounds.ts';

const everyMs = 10 * 60_000;
/** Between two batches, for everybody else. */
const pauseMs = 100;

/** Deletes what is older than the operator wants to keep, a little at a time. Null: everything is kept. */
export const historyKeeper = ({ eventsMs, actionsMs }: HistoryConfig, desk: Desk, log: Logger): Rounds | null => {
  if (eventsMs === null && actionsMs === null) return null;
  return new Rounds(
    everyMs,
    async (signal) => {
      const now = Date.now();
      const newest = await newestEvent(desk.ask);
      const events =
        eventsMs === null ? 0 : await repeated(desk, (op) => pruneEvents(op, now - eventsMs, newest), signal);
      const actions = actionsMs === null ? 0 : await repeated(desk, (op) => pruneActions(op, now - actionsMs), signal);
      if (events + actions > 0) log.info({ events, actions }, 'deleted expired events and actions');
    },
    (error) => log.warn({ err: error }, 'failed to delete expired events and actions; will retry'),
  );
};

const repeated = async (desk: Desk, prune: (op: WriteOp) => Promise<number>, signal: AbortSignal): Promise<number> => {
  let sum = 0;
  while (!signal.aborted) {
    // One process at a time: two would only abort each other.
    const count = await desk.write(prune, { queue: 'history' });
    if (count === 0) break;
    sum += count;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return sum;
};
