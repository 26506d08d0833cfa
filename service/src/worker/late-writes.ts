import { sql } from 'kysely';
import type { EngineConfig } from '../config/service-config.ts';
import type { Lease } from '@corral/base/db/lease-table';
import { requireLease } from '../core/leases.ts';
import type { WriteOp } from '../core/request-context.ts';
import type { PortState } from '../core/port-state.ts';
import { driverOf } from '../core/switches.ts';
import type { SwitchRules } from '../drivers/switches/switch-contract.ts';
import { planWritten } from './switch-plan.ts';
import type { PortTask } from './port-task.ts';
import { portEvent } from './settle-endings.ts';

/*
 * A session that broke off while it wrote may have sent something that has not arrived yet. Where the device does not
 * refuse it, the ports are in doubt until it cannot arrive any more and a reading after that found them in order.
 */

/** How long something of a session that broke off may still arrive at such a switch. */
export const lateWriteMsOf = ({ refusesLateWrites }: SwitchRules, { lateWriteMs }: EngineConfig): number =>
  refusesLateWrites ? 0 : lateWriteMs;

/** How a session ended that wrote to ports. */
interface BrokenOff {
  /** Its number; null: any that wrote to them before. */
  readonly session: number | null;
  /** How long something of it may still arrive. */
  readonly lateMs: number;
  readonly reason: string;
}

/** Puts ports in doubt. Needs no lease: a worker that lost its lease must record what it may have sent. */
export const leaveInDoubt = async (
  op: WriteOp,
  onSwitch: string,
  written: readonly PortTask[],
  { session, lateMs, reason }: BrokenOff,
): Promise<void> => {
  if (written.length === 0) return;
  const found = await op.tx
    .selectFrom('ports')
    .select(['id', 'late_until'])
    .where(
      'id',
      'in',
      written.map(({ portId }) => portId),
    )
    .execute();
  const lateUntil = new Map(found.map(({ id, late_until }) => [id, late_until]));
  // Ports may have been deleted while a process slept.
  const tasks = written.filter(({ portId }) => lateUntil.has(portId));
  if (tasks.length === 0) return;
  const ids = tasks.map(({ portId }) => portId);
  const until = sql<number>`${op.now} + ${lateMs}`;
  await op.tx
    .updateTable('ports')
    .set({
      // The new holder of the switch may be writing to them.
      written_by: session === null ? null : sql<number | null>`nullif(written_by, ${session})`,
      late_until: sql<number>`case when late_until > ${until} then late_until else ${until} end`,
      late_read_at: op.now,
    })
    .where('id', 'in', ids)
    .execute();
  for (const task of tasks) await holdNetworks(op, task);
  if (lateMs > 0) {
    for (const task of tasks.filter(({ portId }) => lateUntil.get(portId) === null)) {
      op.record({ type: 'port_in_doubt', ...portEvent(task, onSwitch, { reason }), projects: [] });
    }
  }
  op.notify('actions');
};

/** What was written, and what was there before, may be on the port again: no VLAN of it goes to anybody else. */
const holdNetworks = async ({ tx }: WriteOp, { portId, recorded, wanted }: PortTask): Promise<void> => {
  const vlansIn = ({ native, tagged }: PortState) => [...(native === null ? [] : [native]), ...tagged];
  const vlans = [...new Set([...vlansIn(recorded), ...vlansIn(wanted)])];
  if (vlans.length === 0) return;
  const networks = await tx.selectFrom('networks').select('id').where('vlan', 'in', vlans).execute();
  if (networks.length === 0) return;
  await tx
    .insertInto('suspect_networks')
    .values(networks.map(({ id }) => ({ port_id: portId, network_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** The previous worker did not record how its write ended: it died, or is suspended. */
export const takeOver = async (
  op: WriteOp,
  lease: Lease,
  target: { readonly id: number; readonly label: string },
  config: EngineConfig,
): Promise<void> => {
  await requireLease(op, lease);
  const found = await op.tx.selectFrom('switches').select('type').where('id', '=', target.id).executeTakeFirst();
  if (!found) return;
  const tasks = await planWritten(op.tx, op.now, target.id);
  const lateMs = lateWriteMsOf(driverOf(op.dependencies, found.type), config);
  const reason = 'the process that wrote to the port has not been heard of since';
  await leaveInDoubt(op, target.label, tasks, { session: null, lateMs, reason });
};
