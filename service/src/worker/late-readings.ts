import type { Tx } from '../db/service-database.ts';
import type { Late, PortTask } from './port-task.ts';

/** A port in doubt is read about so many times before the doubt can end. */
const readings = 4;

/** Nothing can arrive any more: what is read now stays. */
export const isOver = ({ until, now }: Late): boolean => now >= until;

/** Ports that were read, and are in order: the doubt ends, or they are read again later. */
export const noteLateReading = async (tx: Tx, task: PortTask, lateWriteMs: number): Promise<void> => {
  const { late, portId } = task;
  if (late === null) return;
  if (isOver(late)) {
    await tx
      .updateTable('ports')
      .set({ late_until: null, late_read_at: null })
      .where('id', '=', portId)
      // Somebody may have more to say since.
      .where('late_until', '<=', late.now)
      .execute();
    await freeNetworks(tx, [portId]);
    return;
  }
  // No later than it can be: somebody may have set the clock back.
  const until = Math.min(late.until, late.now + lateWriteMs);
  await tx
    .updateTable('ports')
    .set({ late_until: until, late_read_at: Math.min(until, Math.ceil(late.now + lateWriteMs / readings)) })
    .where('id', '=', portId)
    .where('late_until', '=', late.until)
    .execute();
};

/** Networks that a port may have carried are free of it, unless there is another reason to think that it does. */
export const freeNetworks = async (tx: Tx, portIds: readonly number[]): Promise<void> => {
  await tx
    .deleteFrom('suspect_networks')
    .where('port_id', 'in', (of) =>
      of
        .selectFrom('ports')
        .select('id')
        .where('id', 'in', portIds)
        .where('suspect', 'is', null)
        .where('late_until', 'is', null),
    )
    .execute();
};

const idsPerStatement = 1_000;

/** Ids in portions that fit into a statement. */
export const inChunks = (ids: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(ids.length / idsPerStatement) }, (_, index) =>
    ids.slice(index * idsPerStatement, (index + 1) * idsPerStatement),
  );
