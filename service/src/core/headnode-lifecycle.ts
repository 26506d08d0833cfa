import { createHash } from 'node:crypto';
import type { Hypervisor, MachineSpec } from '../drivers/hypervisors/hypervisor-contract.ts';
import type { Devices } from './device-calls.ts';
import { badArgument, blocked, CorralError, illegalState, notFound } from './corral-error.ts';
import { audienceOf, type Headnode } from './find-objects.ts';
import { findOwnHeadnode, type HeadnodeArgs, onHypervisor, requireImage, onHypervisorFailure } from './headnodes.ts';
import { withLease } from './with-lease.ts';
import type { HeldLease } from '@corral/base/db/held-lease';
import { requireLease } from './leases.ts';
import { settleUnknownMachines } from './leftovers.ts';
import { requireOwnMachines, takeMachines } from './machine-owner.ts';
import { requireKnownMachines } from './machine-trust.ts';
import type { RequestContext, ReadOp, WriteOp } from './request-context.ts';

/*
 * A headnode is one row here and one machine on the hypervisor, and a crash can come between them. `making` says that
 * a machine may be half there (`started`) or not off yet (`stopped`); `deleting` that it is going. All are finished by
 * the next attempt: the same call again, or the keeper.
 */

export const headnodeStart = (context: RequestContext, args: HeadnodeArgs): Promise<void> =>
  onHeadnode(context, args, async (found, held, devices) => {
    if (found.state === 'stopped') {
      throw illegalState(`headnode ${found.label} was stopped and cannot be started again; it can only be deleted`);
    }
    if (found.state === 'deleting') throw beingDeleted(found);
    // Asked while nothing has changed yet: a hypervisor that is down leaves the headnode as it was.
    if (found.state === 'created') await requireInstalled(devices, found);
    // Frozen first: from here on no hnic can change under the machine that is being made.
    const machine = await context.write(async (op) => {
      const headnode = await underLease(op, held, args);
      if (headnode.state === 'created') {
        await takeMachines(op);
        // A machine that is there already would be taken for the one that is to be made.
        await requireKnownMachines(
          op,
          'headnodes cannot be started until the hypervisor has been checked; try again later',
        );
        await mark(op, headnode, { state: 'started', making: 1 });
      }
      return machineOf(op, headnode);
    });
    try {
      await callHypervisor(devices, held, (hypervisor) => hypervisor.start(machine, held));
    } catch (error) {
      if (found.state === 'created') await undoStart(context, devices, found, held).catch(() => undefined);
      throw error;
    }
    if (found.state === 'started' && found.making === 0) return;
    await context.write(async (op) => {
      const headnode = await underLease(op, held, args);
      await mark(op, headnode, { making: 0 });
      op.record({ type: 'headnode_start', projects: [audienceOf(headnode)], headnode: headnode.label });
    });
  });

export const headnodeStop = (context: RequestContext, args: HeadnodeArgs): Promise<void> =>
  onHeadnode(context, args, async (found, held, devices) => {
    if (found.state === 'created') throw illegalState(`headnode ${found.label} has never been started`);
    if (found.state === 'deleting') throw beingDeleted(found);
    if (found.state === 'started' && found.making === 1) {
      throw blocked(`headnode ${found.label} is being started; try again in a moment`);
    }
    // Recorded first: after a crash, recovery powers it off and does not take it for a running one.
    if (found.state === 'started') {
      await context.write(async (op) => mark(op, await underLease(op, held, args), { state: 'stopped', making: 1 }));
    }
    try {
      await callHypervisor(devices, held, (hypervisor) => hypervisor.stop(found.uuid, held));
    } catch (error) {
      if (found.state === 'started') await undoStop(context, found, held).catch(() => undefined);
      throw error;
    }
    if (found.state === 'stopped' && found.making === 0) return;
    await context.writeOutcome(async (op) => {
      const headnode = await underLease(op, held, args);
      await mark(op, headnode, { making: 0 });
      op.record({ type: 'headnode_stop', projects: [audienceOf(headnode)], headnode: headnode.label });
    });
  });

export const headnodeDelete = async (context: RequestContext, args: HeadnodeArgs): Promise<void> => {
  await onHeadnode(context, args, async (found, held, devices) => {
    await context.write(async (op) => {
      const headnode = await underLease(op, held, args);
      await takeMachines(op);
      await mark(op, headnode, { state: 'deleting' });
    });
    await callHypervisor(devices, held, (hypervisor) => hypervisor.remove(found.uuid, held));
    await context.writeOutcome(async (op) => {
      const headnode = await underLease(op, held, args);
      await op.tx.deleteFrom('hnics').where('headnode_id', '=', headnode.id).execute();
      await op.tx.deleteFrom('headnodes').where('id', '=', headnode.id).execute();
      op.record({ type: 'headnode_delete', projects: [audienceOf(headnode)], headnode: headnode.label });
    });
  });
  // Its machine may have been one that nobody knew.
  await settleUnknownMachines(context).catch(() => undefined);
};

/** Finishes what a process left half done: a start is taken back, a stop or a deletion is completed. */
export const headnodeRecover = (context: RequestContext, args: HeadnodeArgs): Promise<void> =>
  onHeadnode(context, args, async (found, held, devices) => {
    if (found.making === 1 && found.state === 'started') await undoStart(context, devices, found, held);
  }).then(async () => {
    const { state, making } = await context.read((op) => findOwnHeadnode(op, args.headnode));
    if (state === 'deleting') await headnodeDelete(context, args);
    if (state === 'stopped' && making === 1) await headnodeStop(context, args);
  });

/** As if it had never been started: no caller got another answer. */
const undoStart = async (
  context: RequestContext,
  devices: Devices,
  found: Headnode,
  held: HeldLease,
): Promise<void> => {
  await callHypervisor(devices, held, (hypervisor) => hypervisor.remove(found.uuid, held));
  await context.writeOutcome(async (op) => {
    const headnode = await underLease(op, held, { headnode: found.label });
    await mark(op, headnode, { state: 'created', making: 0 });
  });
};

/** The hypervisor would not: it runs as before, as far as anybody can tell. */
const undoStop = (context: RequestContext, found: Headnode, held: HeldLease): Promise<void> =>
  context.writeOutcome(async (op) => {
    const headnode = await underLease(op, held, { headnode: found.label });
    await mark(op, headnode, { state: 'started', making: 0 });
  });

const requireInstalled = async (devices: Devices, { label, base_img }: Headnode): Promise<void> => {
  try {
    await requireImage(devices, base_img);
  } catch (error) {
    if (!(error instanceof CorralError) || error.type !== 'BadArgumentError') throw error;
    throw badArgument(
      `image ${base_img} of headnode ${label} is no longer installed; delete the headnode, or have the image installed again`,
    );
  }
};

const underLease = async (op: WriteOp, { lease }: HeldLease, { headnode }: HeadnodeArgs): Promise<Headnode> => {
  await requireLease(op, lease);
  return findOwnHeadnode(op, headnode);
};

const mark = async (
  { tx }: WriteOp,
  { id }: Headnode,
  values: Partial<Pick<Headnode, 'state' | 'making'>>,
): Promise<void> => {
  await tx.updateTable('headnodes').set(values).where('id', '=', id).execute();
};

const beingDeleted = (headnode: Headnode) => blocked(`headnode ${headnode.label} is being deleted`);

/** One change to a headnode at a time, checked before the line to the hypervisor is opened. */
const onHeadnode = async (
  context: RequestContext,
  { headnode: label }: HeadnodeArgs,
  work: (headnode: Headnode, held: HeldLease, devices: Devices) => Promise<void>,
): Promise<void> => {
  const { id, project } = await context.read((op) => findOwnHeadnode(op, label));
  await context.devices.change(onHypervisor(project), (devices) =>
    withLease(context, `headnode/${id}`, async (held) => {
      const headnode = await context.read(async (op) => {
        const found = await findOwnHeadnode(op, label);
        await requireOwnMachines(op);
        return found;
      });
      // The label changed hands while we waited: the lease is for the one that is gone.
      if (headnode.id !== id) throw notFound(`headnode ${label} does not exist`);
      await work(headnode, held, devices);
    }),
  );
};

/** Has the hypervisor do something, if the headnode is certainly still ours to change. */
const callHypervisor = async (
  devices: Devices,
  held: HeldLease,
  work: (hypervisor: Hypervisor) => Promise<void>,
): Promise<void> => {
  await held.confirm();
  await onHypervisorFailure(devices, ({ hypervisor }) => work(hypervisor));
};

const machineOf = async ({ tx }: ReadOp, headnode: Headnode): Promise<MachineSpec> => {
  const hnics = await tx
    .selectFrom('hnics')
    .leftJoin('networks', 'networks.id', 'hnics.network_id')
    .select(['hnics.label', 'networks.vlan'])
    .where('hnics.headnode_id', '=', headnode.id)
    .orderBy('hnics.label')
    .execute();
  const { uuid } = headnode;
  return {
    uuid,
    image: headnode.base_img,
    hnics: hnics.map(({ label, vlan }) => ({ label, vlan, macaddr: macOf(uuid, label) })),
  };
};

/**
 * A locally administered address out of what never changes. With 40 bits of it, two are alike once in a million sites.
 */
const macOf = (uuid: string, hnic: string): string => {
  const digest = createHash('sha256').update(`${uuid}/${hnic}`).digest();
  return ['02', ...Array.from(digest.subarray(0, 5), (byte) => byte.toString(16).padStart(2, '0'))].join(':');
};
