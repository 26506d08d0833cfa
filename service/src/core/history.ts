import type { Tx } from '../db/service-database.ts';
import { pending } from '../db/service-statement.ts';
import { plainSettings } from '../db/sealed-columns.ts';
import type { WriteOp } from './request-context.ts';

/** Few enough that nobody waits for it to be deleted. */
const batch = 500;
/** The setting that remembers the newest event that was deleted. */
const { prunedEvents } = plainSettings;

/**
 * Deletes some events from before a time, and tells how many. The newest stays whatever its age, because its id stands
 * for the state of everything; ids are never given again.
 */
export const pruneEvents = async ({ tx }: WriteOp, before: number, newest: number): Promise<number> => {
  const rows = await tx
    .selectFrom('events')
    .select('id')
    .where('at', '<', before)
    .where('id', '<', newest)
    .orderBy('at')
    .limit(batch)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx.deleteFrom('event_projects').where('event_id', 'in', ids).execute();
  await tx.deleteFrom('events').where('id', 'in', ids).execute();
  const value = String(Math.max(await prunedUpTo(tx), ...ids));
  await tx
    .insertInto('settings')
    .values({ name: prunedEvents, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
  return ids.length;
};

/** The newest event that was deleted because of its age; 0: none was. */
export const prunedUpTo = async (tx: Tx): Promise<number> => {
  const row = await tx.selectFrom('settings').select('value').where('name', '=', prunedEvents).executeTakeFirst();
  return Number(row?.value ?? 0);
};

/** Deletes some networking actions from before a time that are over, and tells how many. */
export const pruneActions = async ({ tx }: WriteOp, before: number): Promise<number> => {
  const rows = await tx
    .selectFrom('actions')
    .select('id')
    .where('status', '<>', pending)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(batch)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('actions').where('id', 'in', ids).execute();
  return ids.length;
};
