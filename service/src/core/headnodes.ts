import { randomUUID } from 'node:crypto';
import type { MachineSpec } from '../drivers/hypervisors/contract.ts';
import { requireProject } from './caller.ts';
import { badArgument, blocked, CorralError, duplicate, hypervisorFailed, illegalState } from './errors.ts';
import { audienceOf, findHeadnode, findProject, type Headnode } from './find.ts';
import { exclusively, type Lease, requireLease } from './leases.ts';
import type { Desk, ReadOp } from './op.ts';

interface HeadnodeCreate {
  readonly headnode: string;
  readonly project: string;
  readonly base_img: string;
}

/** The machine itself is made at the first start, when its hnics are settled. */
export const headnodeCreate = async (desk: Desk, args: HeadnodeCreate): Promise<void> => {
  requireProject(desk.caller, args.project);
  const images = await listHeadnodeImages(desk);
  if (!images.includes(args.base_img)) {
    throw badArgument(
      `field "base_img" is ${JSON.stringify(args.base_img)}, which is not installed; installed are ${images.join(', ') || 'none'}`,
    );
  }
  await desk.write(async (op) => {
    const project = await findProject(op, args.project);
    const taken = await op.tx
      .selectFrom('headnodes')
      .select('id')
      .where('label', '=', args.headnode)
      .executeTakeFirst();
    if (taken) throw duplicate(`headnode ${args.headnode} exists already`);
    await op.tx
      .insertInto('headnodes')
      .values({
        label: args.headnode,
        project_id: project.id,
        uuid: randomUUID(),
        base_img: args.base_img,
        state: 'created',
      })
      .execute();
    op.record({
      type: 'headnode_create',
      projects: [project],
      headnode: args.headnode,
      detail: { base_img: args.base_img },
    });
  });
};

/** Finds a headnode of one of the caller's projects. */
export const findOwnHeadnode = async (op: ReadOp, label: string): Promise<Headnode> => {
  const headnode = await findHeadnode(op, label);
  requireProject(op.caller, headnode.project);
  return headnode;
};

/** Frozen as soon as it has been started: only deletion is left. */
export const requireNotStarted = (headnode: Headnode): void => {
  if (headnode.state !== 'created') {
    throw illegalState(`headnode ${headnode.label} has been started already; it can only be deleted`);
  }
};

interface HeadnodeArgs {
  readonly headnode: string;
}

export const headnodeStart = (desk: Desk, args: HeadnodeArgs): Promise<void> =>
  onHeadnode(desk, args, async (found, lease) => {
    if (found.state === 'stopped') {
      throw illegalState(`headnode ${found.label} was stopped and cannot be started again; it can only be deleted`);
    }
    if (found.state === 'deleting') throw goingAway(found);
    // Frozen first: from here on no hnic can change under the machine that is being made.
    const machine = await desk.write(async (op) => {
      await requireLease(op, lease);
      const headnode = await findOwnHeadnode(op, args.headnode);
      if (headnode.state !== 'started') {
        await op.tx.updateTable('headnodes').set({ state: 'started' }).where('id', '=', headnode.id).execute();
        op.record({ type: 'headnode_start', projects: [audienceOf(headnode)], headnode: headnode.label });
      }
      return machineOf(op, headnode);
    });
    await talking(desk, ({ hypervisor }) => hypervisor.start(machine));
  });

export const headnodeStop = (desk: Desk, args: HeadnodeArgs): Promise<void> =>
  onHeadnode(desk, args, async (found, lease) => {
    if (found.state === 'created') throw illegalState(`headnode ${found.label} has never been started`);
    if (found.state === 'deleting') throw goingAway(found);
    await talking(desk, ({ hypervisor }) => hypervisor.stop(found.uuid));
    if (found.state === 'stopped') return;
    await desk.write(async (op) => {
      await requireLease(op, lease);
      const headnode = await findOwnHeadnode(op, args.headnode);
      await op.tx.updateTable('headnodes').set({ state: 'stopped' }).where('id', '=', headnode.id).execute();
      op.record({ type: 'headnode_stop', projects: [audienceOf(headnode)], headnode: headnode.label });
    });
  });

export const headnodeDelete = (desk: Desk, args: HeadnodeArgs): Promise<void> =>
  onHeadnode(desk, args, async (found, lease) => {
    await desk.write(async (op) => {
      await requireLease(op, lease);
      await findOwnHeadnode(op, args.headnode);
      await op.tx.updateTable('headnodes').set({ state: 'deleting' }).where('id', '=', found.id).execute();
    });
    await talking(desk, ({ hypervisor }) => hypervisor.remove(found.uuid));
    await desk.write(async (op) => {
      await requireLease(op, lease);
      const headnode = await findOwnHeadnode(op, args.headnode);
      await op.tx.deleteFrom('hnics').where('headnode_id', '=', headnode.id).execute();
      await op.tx.deleteFrom('headnodes').where('id', '=', headnode.id).execute();
      op.record({ type: 'headnode_delete', projects: [audienceOf(headnode)], headnode: headnode.label });
    });
  });

const goingAway = (headnode: Headnode) => blocked(`headnode ${headnode.label} is being deleted`);

/** One change to a headnode at a time, checked before the line to the hypervisor is opened. */
const onHeadnode = async (
  desk: Desk,
  { headnode: label }: HeadnodeArgs,
  work: (headnode: Headnode, lease: Lease) => Promise<void>,
): Promise<void> => {
  const { id } = await desk.read((op) => findOwnHeadnode(op, label));
  await exclusively(desk, `headnode/${id}`, async (lease) =>
    work(await desk.read((op) => findOwnHeadnode(op, label)), lease),
  );
};

const machineOf = async ({ tx }: ReadOp, headnode: Headnode): Promise<MachineSpec> => {
  const hnics = await tx
    .selectFrom('hnics')
    .leftJoin('networks', 'networks.id', 'hnics.network_id')
    .select(['hnics.label', 'networks.vlan'])
    .where('hnics.headnode_id', '=', headnode.id)
    .orderBy('hnics.label')
    .execute();
  return { uuid: headnode.uuid, image: headnode.base_img, hnics };
};

/** Talks to the hypervisor; whatever goes wrong there is told as its failure, not ours. */
const talking = async <T>(desk: Desk, work: (site: Desk['site']) => Promise<T>): Promise<T> => {
  try {
    return await work(desk.site);
  } catch (error) {
    if (error instanceof CorralError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw hypervisorFailed(`the hypervisor failed: ${reason}; try again`, { cause: error });
  }
};

export const listHeadnodeImages = async (desk: Desk): Promise<string[]> =>
  [...(await talking(desk, ({ hypervisor }) => hypervisor.images()))].sort();

interface HeadnodeView {
  readonly name: string;
  readonly project: string;
  readonly hnics: readonly string[];
  readonly nics: readonly string[];
  readonly vncport: number | null;
  readonly uuid: string;
  readonly base_img: string;
}

export const showHeadnode = async (desk: Desk, args: HeadnodeArgs): Promise<HeadnodeView> => {
  const { headnode, hnics } = await desk.read(async (op) => {
    const found = await findOwnHeadnode(op, args.headnode);
    const rows = await op.tx.selectFrom('hnics').select('label').where('headnode_id', '=', found.id).execute();
    return { headnode: found, hnics: rows.map(({ label }) => label).sort() };
  });
  const isOn = headnode.state === 'started';
  return {
    name: headnode.label,
    project: headnode.project,
    hnics,
    nics: hnics,
    vncport: isOn ? await talking(desk, ({ hypervisor }) => hypervisor.vncPort(headnode.uuid)) : null,
    uuid: headnode.uuid,
    base_img: headnode.base_img,
  };
};
