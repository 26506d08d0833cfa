import type { Logger } from 'pino';
import type { RequestContext } from '../core/request-context.ts';
import { deleteExpiredCredentials } from '../core/delete-expired-credentials.ts';
import { deleteEndedReleases } from '../core/releases.ts';
import { sweepLeases } from '../core/sweep-leases.ts';
import { PeriodicTask, toTheEnd } from './periodic-task.ts';

const sweepEveryMs = 10 * 60_000;

/** Sweeps sessions, tokens, releases and leases away that do not count any more. */
export const credentialCleanup = (context: RequestContext, log: Logger): PeriodicTask =>
  new PeriodicTask(
    sweepEveryMs,
    async (signal) => {
      await context.write(deleteExpiredCredentials);
      await toTheEnd(signal, () => context.write(deleteEndedReleases));
      await context.write(sweepLeases);
    },
    (error) => log.warn({ err: error }, 'failed to delete expired sessions, tokens, releases and leases; will retry'),
  );
