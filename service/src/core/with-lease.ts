import { randomUUID } from 'node:crypto';
import { readClocks } from '@corral/base/clock-reading';
import type { HeldLease } from '@corral/base/db/held-lease';
import { blocked } from './corral-error.ts';
import { holdLease, releaseLease, thisProcess } from './leases.ts';
import type { RequestContext } from './request-context.ts';

const holdMs = 6_000;
/** How often a lease is polled while waiting for it, in case a notification was missed. */
const pollMs = 1_000;
const longestWaitMs = 20_000;

/**
 * Runs work that talks to a device about one object, one caller at a time over all replicas. It confirms the lease
 * before it calls the device, hands it to the call, and records what became of it under `requireLease`.
 */
export const withLease = async <T>(
  context: RequestContext,
  name: string,
  work: (held: HeldLease) => Promise<T>,
): Promise<T> => {
  const held = await waitForLease(context, name, `${thisProcess}/${randomUUID()}`);
  const letGo = held.keep();
  try {
    return await work(held);
  } finally {
    letGo();
    await context.writeOutcome((op) => releaseLease(op, held.lease)).catch(() => undefined);
  }
};

const waitForLease = async (context: RequestContext, name: string, holder: string): Promise<HeldLease> => {
  const deadline = performance.now() + longestWaitMs;
  const listener = context.listen('leases');
  try {
    for (;;) {
      const asked = readClocks();
      const { lease, waitMs } = await context.leases.take(context, name, holder, holdMs);
      if (lease !== null) return holdLease(context, lease, holdMs, asked);
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw blocked('another change to the same object is in progress; try again in a moment');
      await listener.wait(Math.min(waitMs, pollMs, leftMs), never);
    }
  } finally {
    listener.close();
  }
};

const never = new AbortController().signal;
