import { setTimeout as sleep } from 'node:timers/promises';
import { readClocks } from '@corral/base/clock-reading';
import type { HeldLease } from '@corral/base/db/held-lease';
import type { Logger } from 'pino';
import type { HistoryConfig } from '../config/history-config.ts';
import { oldestPosition } from '../core/deliveries.ts';
import { type HistoryEntry, type HistoryKind, historyKinds } from '../core/history.ts';
import { holdLease, releaseLease, requireLease, thisProcess } from '../core/leases.ts';
import type { RequestContext } from '../core/request-context.ts';
import { settledEvents } from '../db/event-order.ts';
import { removeHistoryDrafts, writeHistoryFile } from './history-files.ts';
import { PeriodicTask } from './periodic-task.ts';

const everyMs = 10 * 60_000;
/** Between two deletions, for everybody else. */
const pauseMs = 100;
/** How much a file holds, and is read at once. */
const fileEntries = 5_000;
/** Few enough that nobody waits for it to be deleted. */
const batch = 500;
const leaseMs = 6_000;

/** Told after a file was written and before anything of it is deleted, so that a test can kill the process there. */
export type HistoryStep = 'history exported';

/**
 * Deletes what is older than the operator wants to keep, a little at a time, after an export if there is to be one.
 * Null: everything is kept.
 */
export const historyPruning = (
  {
    eventsMs,
    actionsMs,
    exportDir,
    heldMs,
  }: HistoryConfig & {
    /** How much longer events are kept that wait to be delivered. */
    readonly heldMs: number;
  },
  context: RequestContext,
  log: Logger,
  step: (step: HistoryStep) => void,
): PeriodicTask | null => {
  if (eventsMs === null && actionsMs === null) return null;
  return new PeriodicTask(
    everyMs,
    (signal) =>
      underLease(context, signal, async (held) => {
        if (exportDir !== null) await removeHistoryDrafts(exportDir);
        const now = Date.now();
        // The newest stays whatever its age, because its id stands for the state of everything.
        const newest = await settledEvents(context.query);
        const prune = (kind: HistoryKind, keepMs: number | null, isOld: (entry: HistoryEntry) => boolean) =>
          keepMs === null ? 0 : pruned({ context, held, kind, until: now - keepMs, isOld, exportDir, step }, signal);
        const delivered = await oldestPosition(context);
        const mayGo = ({ id, at }: HistoryEntry): boolean =>
          delivered === null || id <= delivered || at < now - (eventsMs ?? 0) - heldMs;
        const events = await prune(historyKinds.events, eventsMs, (entry) => entry.id < newest && mayGo(entry));
        const actions = await prune(historyKinds.actions, actionsMs, () => true);
        if (events + actions > 0) log.info({ events, actions, exportDir }, 'deleted expired events and actions');
      }),
    (error) => log.warn({ err: error, exportDir }, 'failed to delete expired events and actions; will retry'),
  );
};

/** One process at a time: another waits until it is done, or dead. */
const underLease = async (
  context: RequestContext,
  signal: AbortSignal,
  work: (held: HeldLease) => Promise<void>,
): Promise<void> => {
  while (!signal.aborted) {
    const asked = readClocks();
    const { lease, waitMs } = await context.leases.take(context, 'history', thisProcess, leaseMs);
    if (lease === null) {
      await sleep(Math.min(waitMs, leaseMs), undefined, { signal }).catch(() => undefined);
      continue;
    }
    const held = holdLease(context, lease, leaseMs, asked);
    const letGo = held.keep();
    try {
      await work(held);
      return;
    } finally {
      letGo();
      await context.writeOutcome((op) => releaseLease(op, lease)).catch(() => undefined);
    }
  }
};

interface Pruning {
  readonly context: RequestContext;
  readonly held: HeldLease;
  readonly kind: HistoryKind;
  readonly until: number;
  readonly isOld: (entry: HistoryEntry) => boolean;
  readonly exportDir: string | null;
  readonly step: (step: HistoryStep) => void;
}

/** How many were deleted. Only what was read here is, and only after all of it was written. */
const pruned = async (
  { context, held, kind, until, isOld, exportDir, step }: Pruning,
  signal: AbortSignal,
): Promise<number> => {
  let sum = 0;
  while (!signal.aborted) {
    const read = await context.read((op) =>
      kind.read(op, { since: 0, until, most: exportDir === null ? batch : fileEntries }),
    );
    const entries = read.filter(isOld);
    if (entries.length === 0) break;
    if (exportDir !== null) {
      held.check();
      await writeHistoryFile(exportDir, kind.name, entries);
      step('history exported');
    }
    for (let from = 0; from < entries.length; from += batch) {
      const ids = entries.slice(from, from + batch).map(({ id }) => id);
      sum += await context.write(async (op) => {
        await requireLease(op, held.lease);
        return kind.remove(op, ids);
      });
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return sum;
};
