import type { Tx } from '../db/service-database.ts';
import { plainSettings } from '../db/sealed-columns.ts';
import { statement } from '../db/service-statement.ts';
import { blocked } from './corral-error.ts';
import type { WriteOp } from './request-context.ts';

/*
 * After a restore, the hypervisor may run machines that the database knows nothing of, on VLANs that it takes for free.
 * Until the hypervisor was asked and has none, no VLAN goes to anybody. `corral-admin` sets the setting.
 */
const setting = plainSettings.unknownMachines;

const machineDoubt = statement((tx) => tx.selectFrom('settings').select('value').where('name', '=', setting));

/** null: all machines are known. Otherwise those that are known not to be, in words; empty: nobody has asked yet. */
export const unknownMachines = async (tx: Tx): Promise<string | null> =>
  (await machineDoubt.first(tx, {}))?.value ?? null;

/** Writes down what the hypervisor said. */
export const noteUnknownMachines = async ({ tx }: WriteOp, machines: readonly string[]): Promise<void> => {
  if (machines.length === 0) await tx.deleteFrom('settings').where('name', '=', setting).execute();
  else {
    const value = machines.slice(0, mostNamed).join(', ');
    await tx.updateTable('settings').set({ value }).where('name', '=', setting).execute();
  }
};

const mostNamed = 5;

/** Refuses as long as the hypervisor may run machines on VLANs that nobody recorded. */
export const requireKnownMachines = async ({ tx }: WriteOp, lineOf: string): Promise<void> => {
  const machines = await unknownMachines(tx);
  if (machines === null) return;
  throw blocked(lineOf, {
    forAdmins:
      machines === ''
        ? 'VLANs cannot be reassigned: the hypervisor has not listed its machines since the database was restored; it is asked every 30 seconds'
        : `VLANs cannot be reassigned: since the database was restored, the hypervisor has machines without a recorded started headnode (${machines}), ` +
          'which may be on any VLAN; delete those that GET /drift lists as leftovers, and headnodes that were never started',
  });
};
