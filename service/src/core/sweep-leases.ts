import { sql } from 'kysely';
import type { WriteOp } from './request-context.ts';

/** Whose leases are named by id. An id is never given twice, so the name of one that is gone is never used again. */
const kinds = [
  { prefix: 'headnode/', table: 'headnodes' },
  { prefix: 'obm/', table: 'nodes' },
  { prefix: 'console/', table: 'nodes' },
  { prefix: 'cleaning/', table: 'nodes' },
  { prefix: 'switch/', table: 'switches' },
  { prefix: 'release/', table: 'releases' },
] as const;

/** A lease that was not given back is kept for so long, in case its holder comes back. */
const graceMs = 3_600_000;

/** Deletes the leases of what is deleted. A holder that is still somewhere finds no lease, and has lost it. */
export const sweepLeases = async ({ tx, now }: WriteOp): Promise<void> => {
  for (const { prefix, table } of kinds) {
    await tx
      .deleteFrom('leases')
      .where('name', 'like', `${prefix}%`)
      .where('expires_at', '<', sql<number>`${now} - ${graceMs}`)
      // By id, each in the index of its table: a list of all names would be as long as the site is large.
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom(table)
              .select('id')
              .where('id', '=', sql<number>`cast(substr(leases.name, ${sql.lit(prefix.length + 1)}) as bigint)`),
          ),
        ),
      )
      .execute();
  }
};
