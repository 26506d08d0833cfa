import type { Calls } from './calls.ts';
import { ReleaseFailedError, TimedOutError } from './api-errors.ts';
import { type WatchOptions, watchUntil, type Watched } from './watch-until.ts';

/** How far the release of a node is, as `show_release` tells it. */
export type Release = Calls['showRelease']['reply'];

/** How long to wait, and where to report progress. */
export interface ReleaseWaitOptions extends WatchOptions {
  /** Called after every check while it is running. */
  readonly onRunning?: (release: Release) => void;
}

/** An OBM daemon that does not answer is tried for five minutes, unless the operator says otherwise. */
const usualTimeoutMs = 10 * 60_000;

/** Looks at a release until it is over. */
export const waitForRelease = async (
  source: Watched<Release>,
  id: string,
  { onRunning, timeoutMs = usualTimeoutMs, ...options }: ReleaseWaitOptions = {},
): Promise<Release> => {
  const release = await watchUntil(source, id, {
    ...options,
    timeoutMs,
    isOver: ({ state }) => state !== 'running',
    onPending: (pending) => onRunning?.(pending),
    late: (cause) =>
      new TimedOutError(`the release has not ended after ${timeoutMs / 1000} s; check ${id} later`, { cause }),
  });
  if (release.state === 'failed') throw new ReleaseFailedError(release.problem ?? 'the release failed', release.step);
  return release;
};
