import { steadyNow } from '@corral/base/steady-clock';
import type { GuardedSession } from './guarded-session.ts';
import type { ConnectionFault } from './switch-connection.ts';
import { type PortResult, restore } from './port-pass.ts';
import { mayRetry, mayRetryMismatch, pauseAfter, suspectRetryAt } from './retry-policy.ts';
import type { PortTask } from './port-task.ts';
import type { Ending, Failure } from './settle-endings.ts';
import type { EngineContext } from './engine-context.ts';

/** Turns what was seen into endings; failed changes are put back first, so that ERROR means "as before". */
export const decideEndings = async (
  { config, step }: EngineContext,
  session: GuardedSession,
  results: readonly PortResult[],
): Promise<Ending[]> => {
  const now = steadyNow();
  const endings: Ending[] = [];
  const failed: { task: PortTask; failure: Failure }[] = [];
  for (const result of results) {
    const { task } = result;
    if (result.kind === 'verified') endings.push({ task, kind: 'done' });
    else if (task.action === null) endings.push({ task, kind: 'later', retryAt: suspectRetryAt(task, now) });
    else if (result.kind === 'mismatch' && mayRetryMismatch(task, now, config.budgetMs)) {
      endings.push({ task, kind: 'later', retryAt: now + pauseAfter(task.action.attempts) });
    } else failed.push({ task, failure: failureOf(result) });
  }
  if (failed.length === 0) return endings;
  const known = await restore(
    session,
    failed.map(({ task }) => task),
    step,
  ).catch(() => new Set<PortTask>());
  return [
    ...endings,
    ...failed.map(({ task, failure }): Ending =>
      known.has(task)
        ? { task, kind: 'failed', failure }
        : { task, kind: 'suspect', failure, retryAt: suspectRetryAt(task, now) },
    ),
  ];
};

const failureOf = ({ kind, reason }: Exclude<PortResult, { kind: 'verified' }>): Failure => ({
  told: kind === 'refused' ? 'the switch refused the change' : 'the switch accepted the change but does not show it',
  reason,
});

/**
 * The whole pass failed: a fault that may pass, until the budget is used up. Where no connection may go it will not pass
 * by waiting.
 */
export const connectionFailed = (task: PortTask, { reason, refusedBy }: ConnectionFault, budgetMs: number): Ending => {
  const now = steadyNow();
  if (task.action === null) return { task, kind: 'later', retryAt: suspectRetryAt(task, now) };
  const isHopeless = refusedBy !== null && !task.action.touched;
  if (!isHopeless && mayRetry(task, now, budgetMs))
    return { task, kind: 'later', retryAt: now + pauseAfter(task.action.attempts) };
  const told =
    refusedBy === null
      ? 'the switch could not be reached in time'
      : `the switch is at an address that this service must not connect to; an administrator can allow it with ${refusedBy}`;
  const failure = { told, reason };
  // Never a word was sent for it: the port is what it was.
  if (!task.action.touched) return { task, kind: 'untouched', failure };
  return { task, kind: 'suspect', failure, retryAt: suspectRetryAt(task, now) };
};

/** A connection through the second record of a device. A port that was written to before that was known is not trusted. */
export const forbidden = (task: PortTask): Ending => {
  const failure = {
    told: 'the switch is registered twice, and an administrator has to delete one record',
    reason: 'the switch is the same device as another one; delete one of the two records',
  };
  if (task.action?.touched !== true) return { task, kind: 'untouched', failure };
  return { task, kind: 'suspect', failure, retryAt: suspectRetryAt(task, steadyNow()) };
};
