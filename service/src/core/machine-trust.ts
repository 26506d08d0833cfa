import type { Tx } from '../db/db.ts';
import { plainSettings } from '../db/sealed.ts';
import { statement } from '../db/statement.ts';
import { blocked } from './errors.ts';
import type { WriteOp } from './op.ts';

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
export const requireKnownMachines = async ({ tx }: WriteOp, told: string): Promise<void> => {
  const machines = await unknownMachines(tx);
  if (machines === null) return;
  throw blocked(told, {
    forAdmins:
      machines === ''
        ? 'VLANs stay where they are: the hypervisor has not said since the database was restored which machines it has; it is asked every half minute'
        : `VLANs stay where they are: the hypervisor has machines that no started headnode is recorded for since the database was restored (${machines}), ` +
          'and they may be on any; delete those that GET /drift lists as leftovers, and headnodes that were never started',
  });
};
