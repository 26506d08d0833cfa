import { randomUUID } from 'node:crypto';
import { moment } from '@corral/base/moment';
import { blocked } from './errors.ts';
import { HeldLease } from './held-lease.ts';
import { releaseLease, thisProcess, tryLease } from './leases.ts';
import type { Desk } from './op.ts';

const holdMs = 6_000;
/** How often a lease is polled while waiting for it, in case a notification was missed. */
const pollMs = 1_000;
const patienceMs = 20_000;

/**
 * Runs work that talks to a device about one object, one caller at a time over all replicas. It confirms the lease
 * before it calls the device, hands it to the call, and records what became of it under `requireLease`.
 */
export const exclusively = async <T>(desk: Desk, name: string, work: (held: HeldLease) => Promise<T>): Promise<T> => {
  const held = await waitForLease(desk, name, `${thisProcess}/${randomUUID()}`);
  const letGo = held.keep();
  try {
    return await work(held);
  } finally {
    letGo();
    await desk.writeOutcome((op) => releaseLease(op, held.lease)).catch(() => undefined);
  }
};

const waitForLease = async (desk: Desk, name: string, holder: string): Promise<HeldLease> => {
  const deadline = performance.now() + patienceMs;
  const bell = desk.listen('leases');
  try {
    for (;;) {
      const asked = moment();
      const { lease, waitMs } = await tryLease(desk, name, holder, holdMs);
      if (lease !== null) return new HeldLease(desk, lease, holdMs, asked);
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw blocked('another change to the same object is in progress; try again in a moment');
      await bell.wait(Math.min(waitMs, pollMs, leftMs), never);
    }
  } finally {
    bell.close();
  }
};

const never = new AbortController().signal;
