import { pauseAfter as growingPause } from '@corral/base/backoff';
import { dueAt } from '@corral/base/steady-clock';
import { longestProbePauseMs, probeDueAt } from '../core/breaker.ts';
import type { PortTask } from './port-task.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const longestSuspectPauseMs = 60_000;
/** A switch that says yes and shows something else is given this many chances. */
const mismatchAttempts = 3;

/** How long to wait before the next attempt. */
export const pauseAfter = (attempts: number, longestMs = longestPauseMs): number =>
  growingPause(attempts, { firstMs: firstPauseMs, longestMs });

/** A call about many ports may take longer than one about one: a command line takes them one by one. */
export const timeoutFor = (ports: number, oneMs: number): number => oneMs * (1 + (Math.max(1, ports) - 1) / 20);

/*
 * Times that are stored were written by a clock that may have been set since. Nothing waits for one that is further in
 * the future than it can have been put off.
 */

/** When an action is tried again. */
export const retryDueAt = (stored: number, now: number): number => dueAt(stored, now, longestPauseMs);

/** When a suspect port, or one that drifts, is put back. */
export const suspectDueAt = (stored: number, now: number): number => dueAt(stored, now, longestSuspectPauseMs);

interface StoredTimes {
  readonly probe_at: number;
  readonly save_at: number;
  readonly unsaved_since: number | null;
}

/** When a switch may be called, and told to save, again. */
export const plausibleTimes = <Row extends Partial<StoredTimes>>(row: Row, now: number, saveDelayMs: number): Row => ({
  ...row,
  ...(row.probe_at === undefined ? {} : { probe_at: probeDueAt(row.probe_at, now) }),
  ...(row.save_at === undefined ? {} : { save_at: dueAt(row.save_at, now, pausesBetweenSaves * saveDelayMs) }),
  ...((row.unsaved_since ?? 0) > now ? { unsaved_since: 0 } : {}),
});

/** A save that failed is tried again after so many of its delays. */
const pausesBetweenSaves = 6;

export const saveRetryAt = (now: number, saveDelayMs: number): number => now + pausesBetweenSaves * saveDelayMs;

/** Has somebody asked for a sweep, or is it time for the next one? */
export const isSweepDue = (
  row: { readonly sweep_wanted: number; readonly sweep_answered: number; readonly sweep_at: number },
  now: number,
  { sweepMs }: { readonly sweepMs: number },
): boolean =>
  row.sweep_answered < row.sweep_wanted || (sweepMs > 0 && dueAt(row.sweep_at, now, longestSweepMs(sweepMs)) <= now);

/** No sweep is put off for longer than this; the first one of a switch comes after a minute. */
export const longestSweepMs = (sweepMs: number): number => Math.max(60_000, 1.1 * sweepMs);

/** When a switch that failed so many times in a row is tried again: several times within any action's budget. */
export const probeAt = (faults: number, now: number, budgetMs: number): number =>
  now + pauseAfter(faults, Math.min(longestProbePauseMs, budgetMs / 4));

/** When a suspect port is tried again. */
export const suspectRetryAt = (task: PortTask, now: number): number =>
  now + pauseAfter(task.suspectAttempts + 1, longestSuspectPauseMs);

/** May this task be tried again after a fault that may pass? Nothing stays PENDING past its budget. */
export const mayRetry = ({ action }: PortTask, now: number, budgetMs: number): boolean =>
  action === null || now - action.createdAt < budgetMs;

/** May this task be tried again after the switch showed something else than was written? */
export const mayRetryMismatch = (task: PortTask, now: number, budgetMs: number): boolean =>
  mayRetry(task, now, budgetMs) && (task.action === null || task.action.attempts + 1 < mismatchAttempts);
