import type { PortTask } from './plan.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;
const longestSuspectPauseMs = 60_000;
/** A switch that says yes and shows something else is given this many chances. */
const chancesToTellTheTruth = 3;

/** How long to wait before the next attempt: doubling, with jitter so that switches do not march in step. */
export const pauseAfter = (attempts: number, longestMs = longestPauseMs): number =>
  Math.round(Math.min(longestMs, firstPauseMs * 2 ** Math.min(attempts, 20)) * (0.5 + Math.random() / 2));

/** When a suspect port is tried again. */
export const suspectRetryAt = (task: PortTask, now: number): number =>
  now + pauseAfter(task.suspectAttempts + 1, longestSuspectPauseMs);

/** May this task be tried again after a fault that may pass? Nothing stays PENDING past its budget. */
export const mayRetry = ({ action }: PortTask, now: number, budgetMs: number): boolean =>
  action === null || now - action.createdAt < budgetMs;

/** May this task be tried again after the switch showed something else than it was told? */
export const mayRetryMismatch = (task: PortTask, now: number, budgetMs: number): boolean =>
  mayRetry(task, now, budgetMs) && (task.action === null || task.action.attempts + 1 < chancesToTellTheTruth);
