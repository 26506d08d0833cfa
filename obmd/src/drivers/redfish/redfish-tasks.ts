import type { RedfishAnswer, RedfishClient } from './redfish-client.ts';
import { textAt } from '@corral/base/json-members';
import { pathOn } from './redfish-paths.ts';
import { waitFor } from './redfish-retry.ts';
import { refused } from './redfish-errors.ts';

const pollMs = 500;
/** A task that takes longer is left to itself: the BMC has accepted it. */
const longestTask = 10_000;
const failures = ['Exception', 'Killed', 'Cancelled', 'Interrupted'];
const unfinished = ['New', 'Starting', 'Running', 'Pending', 'Service', 'Stopping', 'Suspended', 'Cancelling'];

/**
 * Sees a task through that a BMC answered with (202), for some seconds; throws if it failed. One on another host
 * is ignored. `what` completes "refused to".
 */
export const waitForTask = async (
  client: RedfishClient,
  { status, location }: RedfishAnswer,
  what: string,
  signal: AbortSignal,
): Promise<void> => {
  const path = status === 202 && location !== undefined ? pathOn(client.target.origin, location) : null;
  if (path === null) return;
  for (let waited = 0; waited < longestTask; waited += pollMs) {
    const answer = await client.request({ method: 'GET', path }, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return null;
    });
    // It is accepted, even if the task cannot be read.
    if (answer === null) return;
    const state = answer.status === 200 ? textAt(answer.document(), 'TaskState') : undefined;
    // Some forget a task as soon as it is done.
    const isGone = answer.status === 404 || answer.status === 410;
    if ((answer.status >= 400 && !isGone) || failures.includes(state ?? '')) throw refused(what, answer.error);
    if (answer.status !== 202 && !unfinished.includes(state ?? '')) return;
    await waitFor(pollMs, signal);
  }
};
