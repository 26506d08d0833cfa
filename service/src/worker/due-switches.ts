import { sql } from 'kysely';
import { steadyNow } from '@corral/base/steady-clock';
import type { EngineConfig } from '../config/service-config.ts';
import type { Db, Tx } from '../db/service-database.ts';
import { pending, statement } from '../db/service-statement.ts';
import { databaseTime } from './database-time.ts';
import { isBreakerOpen } from '../core/breaker.ts';
import { plausibleTimes, isSweepDue, longestSweepMs, retryDueAt, suspectDueAt } from './retry-policy.ts';

/** A switch with work, and when it is due. */
export interface DueSwitch {
  readonly id: number;
  readonly label: string;
  readonly dueAt: number;
}

/** The switches with work now or soon. What is due later is found by a later call. */
export const dueSwitches = async (tx: Tx, clock: Db['now'], config: EngineConfig): Promise<readonly DueSwitch[]> => {
  const now = steadyNow();
  const withPlausibleTimes = <Row extends { readonly probe_at: number }>(row: Row): Row =>
    plausibleTimes(row, now, config.saveDelayMs);
  // Asked at once, so that the answers take one round trip together.
  const [actions, withPorts, late, upkeep, overdue] = await Promise.all([
    switchesWithActions.all(tx, {}),
    switchesWithPorts.all(tx, {}),
    lateReadings(tx, clock, now),
    switchesWithUpkeep.all(tx, {}),
    // Without an interval they are swept on demand only.
    config.sweepMs > 0
      ? switchesToSweep.all(tx, { before: now, after: now + 2 * longestSweepMs(config.sweepMs) })
      : Promise.resolve([]),
  ]);
  const ports = withPorts.map((row) => ({ ...row, dueAt: suspectDueAt(row.dueAt, now) }));
  return [
    ...actions.map(withPlausibleTimes).map((row) => ({
      ...row,
      // While the breaker is open nobody calls the switch, but an action still ends when its budget does.
      dueAt: isBreakerOpen(row, now)
        ? Math.min(row.probe_at, row.oldest + config.budgetMs)
        : retryDueAt(row.dueAt, now),
    })),
    ...[...ports, ...late].map(withPlausibleTimes).map((row) => ({ ...row, dueAt: Math.max(row.probe_at, row.dueAt) })),
    ...[...upkeep, ...overdue].map(withPlausibleTimes).map((row) => ({
      ...row,
      dueAt: Math.max(row.probe_at, isSweepDue(row, now, config) ? 0 : saveDueAt(row, config)),
    })),
  ];
};

const saveDueAt = (
  row: { readonly unsaved_since: number | null; readonly save_at: number },
  { saveDelayMs }: EngineConfig,
): number => Math.max(row.save_at, (row.unsaved_since ?? 0) + saveDelayMs);

const switchesWithActions = statement((tx) =>
  tx
    .selectFrom('actions')
    .innerJoin('nics', 'nics.id', 'actions.nic_id')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['switches.id', 'switches.label', 'switches.faults', 'switches.probe_at'])
    .select(({ fn }) => [fn.min('actions.retry_at').as('dueAt'), fn.min('actions.created_at').as('oldest')])
    .where('actions.status', '=', pending)
    .groupBy(['switches.id', 'switches.label', 'switches.faults', 'switches.probe_at']),
);

const portsOfSwitches = (tx: Tx) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['switches.id', 'switches.label', 'switches.probe_at'])
    .select(({ fn }) => [fn.min(fn.coalesce('ports.suspect_retry_at', sql<number>`0`)).as('dueAt')])
    // Through the second record of a device nothing is read or put back: the first would be at odds with it.
    .where('switches.duplicate_of', 'is', null)
    .groupBy(['switches.id', 'switches.label', 'switches.probe_at']);

/*
 * Three selects, and 1 as part of the text: each finds its few ports through an index that holds no others. With one
 * condition for all of them it would look at every port there is.
 */
const switchesWithPorts = statement((tx) =>
  portsOfSwitches(tx)
    .where('ports.suspect', 'is not', null)
    .unionAll(portsOfSwitches(tx).where('ports.unread', '=', sql<1>`1`))
    .unionAll(
      portsOfSwitches(tx)
        .where('ports.drift_since', 'is not', null)
        .where('switches.policy', '=', sql.lit('repair' as const)),
    ),
);

/** Ports in doubt, when each is read next, or put right. What has an action or a suspicion is found by that. */
const switchesWithLateWrites = statement((tx) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['switches.id', 'switches.label', 'switches.probe_at', 'ports.late_read_at as readAt'])
    .select(['ports.drift_since as driftSince', 'ports.suspect_retry_at as retryAt'])
    .where('ports.late_until', 'is not', null)
    .where('ports.suspect', 'is', null)
    .where('switches.duplicate_of', 'is', null)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('nics')
            .innerJoin('actions', 'actions.nic_id', 'nics.id')
            .select('actions.id')
            .whereRef('nics.port_id', '=', 'ports.id')
            .where('actions.status', '=', pending),
        ),
      ),
    ),
);

const lateReadings = async (tx: Tx, clock: Db['now'], now: number) => {
  const rows = await switchesWithLateWrites.all(tx, {});
  if (rows.length === 0) return [];
  const ahead = now - (await databaseTime(tx, clock));
  return rows.map(({ readAt, driftSince, retryAt, ...row }) => ({
    ...row,
    dueAt: driftSince === null ? (readAt ?? 0) + ahead : suspectDueAt(retryAt ?? 0, now),
  }));
};

const upkeepOf = (tx: Tx) =>
  tx
    .selectFrom('switches')
    .select(['id', 'label', 'probe_at', 'sweep_at', 'sweep_wanted', 'sweep_answered'])
    .select(['unsaved_since', 'save_at']);

/** Switches whose configuration is to be saved, and switches to be swept: each kind by its own index, because most switches have nothing due. */
const switchesWithUpkeep = statement((tx) =>
  upkeepOf(tx)
    .where('unsaved_since', 'is not', null)
    .unionAll(
      upkeepOf(tx)
        .where('duplicate_of', 'is', null)
        .where((where) => where('sweep_answered', '<', where.ref('sweep_wanted'))),
    ),
);
const switchesToSweep = statement((tx, { before, after }: { before: number; after: number }) =>
  upkeepOf(tx)
    .where('duplicate_of', 'is', null)
    .where((where) => where.or([where('sweep_at', '<=', before), where('sweep_at', '>', after)])),
);
