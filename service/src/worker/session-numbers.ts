import { randomUUID } from 'node:crypto';
import type { Lease } from '@corral/base/db/lease-table';
import { requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';

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
 * greater number is always the later one. `seen`: the greatest that the switch itself has seen, which is beyond ours
 * after the database was restored from a backup.
 */
export const nextSession = async (op: WriteOp, lease: Lease, switchId: number, seen: number): Promise<Opening> => {
  await requireLease(op, lease);
  const { session: last } = await op.tx
    .selectFrom('switches')
    .select('session')
    .where('id', '=', switchId)
    .executeTakeFirstOrThrow();
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
