import { plainSettings } from '../db/sealed-columns.ts';
import type { Tx } from '../db/service-database.ts';
import { hypervisorFailed } from './corral-error.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/*
 * The machines of headnodes are on one hypervisor. A process with another one finds no machine there, and would take
 * that for "deleted" while the machine runs on, on VLANs that others may get. So the hypervisor's name is recorded with
 * the first headnode that starts, in the same transaction, and counts as long as a headnode may have a machine.
 */
const setting = plainSettings.hypervisor;

/** The setting `hypervisor` of a service that runs no headnodes: it owns no machine, and is never recorded. */
export const runsNone = 'none';

/** Another hypervisor than that of the process has machines. */
interface OtherOwner {
  /** One of the headnodes that may have a machine. */
  readonly headnode: string;
  /** What was recorded; null: nothing, by a version that did not record it. */
  readonly owner: string | null;
}

/** `own`: recorded. `unrecorded`: machines may be there, and a version that did not record it made them. */
type Ownership = 'own' | 'free' | 'unrecorded' | OtherOwner;

/** Whether a process with this hypervisor may change machines. */
export const machineOwnership = async (tx: Tx, hypervisor: string): Promise<Ownership> => {
  const known = await tx.selectFrom('settings').select('value').where('name', '=', setting).executeTakeFirst();
  const owner = known?.value ?? null;
  if (owner === hypervisor) return 'own';
  const started = await tx
    .selectFrom('headnodes')
    .select('label')
    .where('state', '<>', 'created')
    .limit(1)
    .executeTakeFirst();
  if (started === undefined) return 'free';
  return owner === null && hypervisor !== runsNone ? 'unrecorded' : { headnode: started.label, owner };
};

/** Records a hypervisor as the one that has the machines. */
export const recordOwner = async (tx: Tx, hypervisor: string): Promise<void> => {
  if (hypervisor === runsNone) return;
  await tx
    .insertInto('settings')
    .values({ name: setting, value: hypervisor })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: hypervisor }))
    .execute();
};

/** Refuses to change a headnode by a process whose hypervisor is not the one that has the machines. */
export const requireOwnMachines = async ({ tx, dependencies }: ReadOp): Promise<Exclude<Ownership, OtherOwner>> => {
  const { hypervisor } = dependencies;
  const found = await machineOwnership(tx, hypervisor);
  if (typeof found === 'string') return found;
  throw hypervisorFailed('headnodes cannot be changed: this process of the service has another hypervisor', {
    forAdmins:
      `the setting "hypervisor" of this process is "${hypervisor}", but headnode ${found.headnode} was started with ` +
      `${found.owner === null ? 'another' : `"${found.owner}"`}; give all processes of the service the same setting`,
  });
};

/** The same, and records the hypervisor of the process. */
export const takeMachines = async (op: WriteOp): Promise<void> => {
  if ((await requireOwnMachines(op)) !== 'own') await recordOwner(op.tx, op.dependencies.hypervisor);
};
