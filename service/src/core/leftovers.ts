import { blocked, CorralError, notFound } from './errors.ts';
import { onHypervisor, talking } from './headnodes.ts';
import { noteUnknownMachines, unknownMachines } from './machine-trust.ts';
import type { Desk } from './op.ts';

/** Machines on the hypervisor that no headnode is recorded for: what somebody deleted by hand here, or made there. */
export interface LeftoversView {
  readonly leftovers: readonly string[];
  /** Why the hypervisor cannot be asked now; null if it was. */
  readonly fault: string | null;
}

/** Looked up before and after it is asked: a machine that is being made or deleted meanwhile is nobody's leftover. */
const findLeftovers = async (desk: Desk): Promise<string[]> => {
  const before = await recordedUuids(desk);
  const machines = await machinesOf(desk);
  const recorded = new Set([...before, ...(await recordedUuids(desk))]);
  return machines.filter((uuid) => !recorded.has(uuid)).sort();
};

const machinesOf = (desk: Desk): Promise<readonly string[]> =>
  desk.devices.ask('machines', onHypervisor(null), (devices) =>
    talking(devices, ({ hypervisor }) => hypervisor.machines()),
  );

const recordedUuids = async (desk: Desk): Promise<string[]> => {
  const rows = await desk.read(({ tx }) => tx.selectFrom('headnodes').select('uuid').execute());
  return rows.map(({ uuid }) => uuid);
};

/**
 * After a restore: asks the hypervisor which machines it has. One whose headnode was never started, as far as is
 * recorded, was made with networks that nobody knows.
 */
export const settleUnknownMachines = async (desk: Desk): Promise<void> => {
  if ((await desk.read(({ tx }) => unknownMachines(tx))) === null) return;
  const unstarted = await desk.read(({ tx }) =>
    tx.selectFrom('headnodes').select(['label', 'uuid']).where('state', '=', 'created').execute(),
  );
  const machines = new Set(await machinesOf(desk));
  const named = unstarted.filter(({ uuid }) => machines.has(uuid)).map(({ label }) => `of headnode ${label}`);
  const leftovers = await findLeftovers(desk);
  await desk.writeOutcome((op) => noteUnknownMachines(op, [...leftovers, ...named]));
};

/** How the hypervisor differs from what is recorded. */
export const showLeftovers = async (desk: Desk): Promise<LeftoversView> => {
  try {
    return { leftovers: await findLeftovers(desk), fault: null };
  } catch (error) {
    if (error instanceof CorralError && error.type === 'HypervisorError') {
      return { leftovers: [], fault: error.message };
    }
    throw error;
  }
};

/** Removes a machine, with its storage, that no headnode is recorded for. */
export const headnodeDeleteLeftover = async (desk: Desk, args: { uuid: string }): Promise<void> => {
  const owner = await desk.read(({ tx }) =>
    tx.selectFrom('headnodes').select('label').where('uuid', '=', args.uuid).executeTakeFirst(),
  );
  if (owner) throw blocked(`machine ${args.uuid} belongs to headnode ${owner.label}; delete the headnode instead`);
  if (!(await findLeftovers(desk)).includes(args.uuid)) {
    throw notFound(`machine ${args.uuid} does not exist; GET /drift lists the leftovers`);
  }
  await desk.requireRights();
  await desk.devices.change(onHypervisor(null), (devices) =>
    talking(devices, ({ hypervisor }) => hypervisor.remove(args.uuid)),
  );
  await desk.writeOutcome((op) => {
    op.record({ type: 'headnode_delete_leftover', detail: { uuid: args.uuid } });
    return Promise.resolve();
  });
  await settleUnknownMachines(desk).catch(() => undefined);
};
