import { dueAt } from '@corral/base/steady-clock';

/** So many failures in a row open the breaker: the moment to tell somebody. */
export const faultsToOpen = 3;

/** No switch is left alone for longer than this. */
export const longestProbePauseMs = 10_000;

/** When a switch may be called again, by a time that was stored. */
export const probeDueAt = (stored: number, now: number): number => dueAt(stored, now, longestProbePauseMs);

/**
 * After so many failures in a row nobody calls the switch before its next probe: callers would only wait without a
 * result.
 */
export const isBreakerOpen = ({ faults, probe_at }: { faults: number; probe_at: number }, now: number): boolean =>
  faults >= faultsToOpen && probe_at > now;
