import type { Logger } from 'pino';
import type { Desk } from '../core/op.ts';
import { sweepIdentity } from '../core/sweep-identity.ts';
import { Rounds } from './rounds.ts';

const sweepEveryMs = 10 * 60_000;

/** Sweeps sessions and tokens away that do not count any more. */
export const identityKeeper = (desk: Desk, log: Logger): Rounds =>
  new Rounds(
    sweepEveryMs,
    () => desk.write(sweepIdentity),
    (error) => log.warn({ err: error }, 'failed to delete expired sessions and tokens; will retry'),
  );
