import { blocked, CorralError, notFound } from './corral-error.ts';
import { onHypervisor, onHypervisorFailure } from './headnodes.ts';
import { noteUnknownMachines, unknownMachines } from './machine-trust.ts';
import type { RequestContext } from './request-context.ts';

/** Machines on the hypervisor that no headnode is recorded for: what somebody deleted by hand here, or made there. */
export interface LeftoversView {
  readonly leftovers: readonly string[];
  /** Why the hypervisor cannot be asked now; null if it was. */
  readonly fault: string | null;
}

/** Looked up before and after it is asked: a machine that is being made or deleted meanwhile is nobody's leftover. */
const findLeftovers = async (context: RequestContext): Promise<string[]> => {
  const before = await recordedUuids(context);
  const machines = await machinesOf(context);
  const recorded = new Set([...before, ...(await recordedUuids(context))]);
  return machines.filter((uuid) => !recorded.has(uuid)).sort();
};

const machinesOf = (context: RequestContext): Promise<readonly string[]> =>
  context.devices.query('machines', onHypervisor(null), (devices) =>
    onHypervisorFailure(devices, ({ hypervisor }) => hypervisor.machines()),
  );

const recordedUuids = async (context: RequestContext): Promise<string[]> => {
  const rows = await context.read(({ tx }) => tx.selectFrom('headnodes').select('uuid').execute());
  return rows.map(({ uuid }) => uuid);
};

/**
 * After a restore: asks the hypervisor which machines it has. One whose headnode was never started, as far as is
 * recorded, was made with networks that nobody knows.
 */
export const settleUnknownMachines = async (context: RequestContext): Promise<void> => {
  if ((await context.read(({ tx }) => unknownMachines(tx))) === null) return;
  const unstarted = await context.read(({ tx }) =>
    tx.selectFrom('headnodes').select(['label', 'uuid']).where('state', '=', 'created').execute(),
  );
  const machines = new Set(await machinesOf(context));
  const named = unstarted.filter(({ uuid }) => machines.has(uuid)).map(({ label }) => `of headnode ${label}`);
  const leftovers = await findLeftovers(context);
  await context.writeOutcome((op) => noteUnknownMachines(op, [...leftovers, ...named]));
};

/** How the hypervisor differs from what is recorded. */
export const showLeftovers = async (context: RequestContext): Promise<LeftoversView> => {
  try {
    return { leftovers: await findLeftovers(context), fault: null };
  } catch (error) {
    if (error instanceof CorralError && error.type === 'HypervisorError') {
      return { leftovers: [], fault: error.message };
    }
    throw error;
  }
};

/** Removes a machine, with its storage, that no headnode is recorded for. */
export const headnodeDeleteLeftover = async (context: RequestContext, args: { uuid: string }): Promise<void> => {
  const owner = await context.read(({ tx }) =>
    tx.selectFrom('headnodes').select('label').where('uuid', '=', args.uuid).executeTakeFirst(),
  );
  if (owner) throw blocked(`machine ${args.uuid} belongs to headnode ${owner.label}; delete the headnode instead`);
  if (!(await findLeftovers(context)).includes(args.uuid)) {
    throw notFound(`machine ${args.uuid} does not exist; GET /drift lists the leftovers`);
  }
  await context.requireRights();
  await context.devices.change(onHypervisor(null), (devices) =>
    onHypervisorFailure(devices, ({ hypervisor }) => hypervisor.remove(args.uuid)),
  );
  await context.writeOutcome((op) => {
    op.record({ type: 'headnode_delete_leftover', detail: { uuid: args.uuid } });
    return Promise.resolve();
  });
  await settleUnknownMachines(context).catch(() => undefined);
};
