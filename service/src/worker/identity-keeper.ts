import type { Logger } from 'pino';
import type { Desk } from '../core/op.ts';
import { sweepIdentity } from '../core/sweep-identity.ts';
import { sweepLeases } from '../core/sweep-leases.ts';
import { Rounds } from './rounds.ts';

const sweepEveryMs = 10 * 60_000;

/** Sweeps sessions, tokens and leases away that do not count any more. */
export const identityKeeper = (desk: Desk, log: Logger): Rounds =>
  new Rounds(
    sweepEveryMs,
    async () => {
      await desk.write(sweepIdentity);
      await desk.write(sweepLeases);
    },
    (error) => log.warn({ err: error }, 'failed to delete expired sessions, tokens and leases; will retry'),
  );
