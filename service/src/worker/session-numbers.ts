import { randomUUID } from 'node:crypto';
import type { Lease } from '@corral/base/db/lease-table';
import { requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';
import { statement } from '../db/service-statement.ts';

/** The fields of a switch were changed since a session was opened, or since it was planned what to say in it. */
export class SwitchUpdated extends Error {
  constructor() {
    super('the switch was updated meanwhile');
  }
}

/**
 * Does work in a transaction that counts only if `newest` is still the newest session with the switch: what was said and
 * found at the place of old fields is not recorded. The question goes ahead of the work, so that it costs no round trip.
 */
export const underSession = async <T>(
  op: WriteOp,
  switchId: number,
  newest: number,
  work: (op: WriteOp) => Promise<T>,
): Promise<T> => {
  const asked = newestSession.first(op.tx, { switchId });
  // If the work fails first, its error is the one to report.
  asked.catch(() => undefined);
  const result = await work(op);
  if ((await asked)?.session !== newest) throw new SwitchUpdated();
  return result;
};

const newestSession = statement((tx, { switchId }: { switchId: number }) =>
  tx.selectFrom('switches').select('session').where('id', '=', switchId),
);

/** A switch, and the number of the session that is about to be opened. */
interface Opening {
  readonly label: string;
  readonly type: string;
  /** sealed */
  readonly config: string;
  readonly session: number;
  readonly installation: string;
}

/**
 * Gives out the number of the next session with a switch. Only the holder of its lease gets one, so a session with a
 * greater number is always the later one. `newest`: the newest of which the work that waits for this one was planned.
 * `seen`: the greatest that the switch itself has seen, which is beyond ours after the database was restored from a
 * backup.
 */
export const nextSession = async (
  op: WriteOp,
  lease: Lease,
  switchId: number,
  { newest, seen }: { readonly newest: number; readonly seen: number },
): Promise<Opening> => {
  await requireLease(op, lease);
  const { session: last } = await op.tx
    .selectFrom('switches')
    .select('session')
    .where('id', '=', switchId)
    .executeTakeFirstOrThrow();
  if (last !== newest) throw new SwitchUpdated();
  const row = await op.tx
    .updateTable('switches')
    .set({ session: Math.max(last, seen) + 1 })
    .where('id', '=', switchId)
    .returning(['label', 'type', 'config', 'session'])
    .executeTakeFirstOrThrow();
  return { ...row, installation: await installationOf(op) };
};

/** What tells the sessions of this installation from those of others on the same switch. It is in every backup. */
const installationOf = async ({ tx, dependencies }: WriteOp): Promise<string> => {
  const name = 'installation';
  const known = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  if (known) return dependencies.vault.open(known.value);
  const made = randomUUID();
  await tx
    .insertInto('settings')
    .values({ name, value: dependencies.vault.seal(made) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return made;
};
