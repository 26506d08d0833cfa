import { sql } from 'kysely';
import type { Db, Tx } from '../db/service-database.ts';
import { pending } from '../db/service-statement.ts';

/*
 * What metrics tell from the database. They are asked for every few seconds, so none of it may cost more the longer the
 * service has run. Of a nic there is at most one action that is over on record; leases stay on record for ever.
 */

const actionsOnSwitches = (tx: Tx) =>
  tx
    .selectFrom('actions')
    .innerJoin('nics', 'nics.id', 'actions.nic_id')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id');

/** How many ports of each switch have something in a column. */
const portsWith = (tx: Tx, column: 'suspect' | 'late_until') =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(({ fn }) => ['switches.label as switch', fn.countAll<number>().as('count')])
    .where(`ports.${column}`, 'is not', null)
    .groupBy('switches.label');

/** The queries, for reading and for checking their plans. */
export const queueQueries = (now: Db['now'], tx: Tx) => ({
  pending: actionsOnSwitches(tx)
    .select(({ fn }) => [
      'switches.label as switch',
      fn.countAll<number>().as('count'),
      fn.min('actions.created_at').as('oldest'),
    ])
    // As text, or the partial index does not fit.
    .where('actions.status', '=', pending)
    .groupBy('switches.label'),
  // Not those that went well: there is one on record for every nic that was ever changed.
  failed: actionsOnSwitches(tx)
    .select(({ fn }) => ['switches.label as switch', fn.countAll<number>().as('count')])
    .where('actions.status', '=', sql.lit('ERROR' as const))
    .groupBy('switches.label'),
  leases: tx
    .selectFrom('switches')
    .innerJoin('leases', (join) => join.on(sql`leases.name`, '=', sql`'switch/' || switches.id`))
    .select(['switches.label as switch', 'leases.holder'])
    .where('leases.expires_at', '>', now),
  switches: tx
    .selectFrom('switches')
    .leftJoin('ports', (join) =>
      join.onRef('ports.switch_id', '=', 'switches.id').on('ports.drift_since', 'is not', null),
    )
    .select(['switches.label', 'switches.faults', 'switches.unsaved_since', 'switches.swept_at'])
    .select(({ fn }) => fn.count<number>('ports.id').as('drifting'))
    .groupBy(['switches.id', 'switches.label', 'switches.faults', 'switches.unsaved_since', 'switches.swept_at']),
  suspects: portsWith(tx, 'suspect'),
  inDoubt: portsWith(tx, 'late_until'),
});

export const readQueue = async (now: Db['now'], tx: Tx) => {
  const { pending, failed, leases, switches, suspects, inDoubt } = queueQueries(now, tx);
  return {
    pending: await pending.execute(),
    failed: await failed.execute(),
    leases: await leases.execute(),
    switches: await switches.execute(),
    suspects: await suspects.execute(),
    inDoubt: await inDoubt.execute(),
  };
};
