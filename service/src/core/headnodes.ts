import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../drivers/hypervisors/hypervisor-contract.ts';
import { requireProject } from './caller.ts';
import type { DeviceCall, Devices } from './device-calls.ts';
import { badArgument, CorralError, duplicate, hypervisorFailed, illegalState } from './corral-error.ts';
import { findHeadnode, findProject, type Headnode } from './find-objects.ts';
import { type Forced, requireMayForce, requireQuota } from './quotas.ts';
import type { RequestContext, ReadOp } from './request-context.ts';

interface HeadnodeCreate extends Forced {
  readonly headnode: string;
  readonly project: string;
  readonly base_img: string;
}

/** The machine itself is made at the first start, when its hnics are settled. */
export const headnodeCreate = async (context: RequestContext, args: HeadnodeCreate): Promise<void> => {
  requireProject(context.caller, args.project);
  requireMayForce(context, args);
  await context.devices.change(onHypervisor(args.project), (devices) => requireImage(devices, args.base_img));
  await context.write(async (op) => {
    const project = await findProject(op, args.project);
    requireProject(op.caller, project.label);
    requireMayForce(op, args);
    const taken = await op.tx
      .selectFrom('headnodes')
      .select('id')
      .where('label', '=', args.headnode)
      .executeTakeFirst();
    if (taken) throw duplicate(`headnode ${args.headnode} already exists`);
    const exceeded = await requireQuota(op, project, 'headnodes', args);
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
      detail: { base_img: args.base_img, ...exceeded },
    });
  });
};

/** Refuses an image that is not installed, and fails if the hypervisor cannot say which are. */
export const requireImage = async (devices: Devices, image: string): Promise<void> => {
  const images = await imagesOf(devices);
  if (images.includes(image))
    return onHypervisorFailure(devices, async ({ hypervisor }) => hypervisor.requireFit?.(image));
  if (images.length === 0)
    throw badArgument('no headnode can be created here: no image is installed (settings "hypervisor" and "images")');
  throw badArgument(
    `field "base_img" is ${JSON.stringify(image)}, which is not installed; installed images: ${images.join(', ')}`,
  );
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
    throw illegalState(`headnode ${headnode.label} has already been started; it can only be deleted`);
  }
};

export interface HeadnodeArgs {
  readonly headnode: string;
}

/** Calls the hypervisor; its errors are reported as hypervisor failures. */
export const onHypervisorFailure = async <T>(devices: Devices, work: (devices: Devices) => Promise<T>): Promise<T> => {
  try {
    return await work(devices);
  } catch (error) {
    if (error instanceof CorralError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw hypervisorFailed(`the hypervisor failed: ${reason}; try again`, { cause: error });
  }
};

/** A call to the hypervisor for a project; null: for nobody's headnodes. */
export const onHypervisor = (project: string | null): DeviceCall => ({ project, at: 'hypervisor' });

const imagesOf = async (devices: Devices): Promise<string[]> =>
  [...(await onHypervisorFailure(devices, ({ hypervisor }) => hypervisor.images()))].sort();

export const listHeadnodeImages = (context: RequestContext): Promise<string[]> =>
  context.devices.query('images', onHypervisor(null), imagesOf);

interface HeadnodeView {
  readonly name: string;
  readonly project: string;
  readonly hnics: readonly string[];
  readonly nics: readonly string[];
  readonly vncport: number | null;
  readonly uuid: string;
  readonly base_img: string;
}

export const showHeadnode = async (context: RequestContext, args: HeadnodeArgs): Promise<HeadnodeView> => {
  const { headnode, hnics } = await context.read(async (op) => {
    const found = await findOwnHeadnode(op, args.headnode);
    const rows = await op.tx.selectFrom('hnics').select('label').where('headnode_id', '=', found.id).execute();
    return { headnode: found, hnics: rows.map(({ label }) => label).sort() };
  });
  // One that is being stopped is not off yet.
  const mayRun = headnode.state === 'started' || (headnode.state === 'stopped' && headnode.making === 1);
  const vnc = mayRun ? await vncOf(context, headnode) : null;
  if (mayRun) await context.requireRights();
  return {
    name: headnode.label,
    project: headnode.project,
    hnics,
    nics: hnics,
    vncport: vnc?.port ?? null,
    uuid: headnode.uuid,
    base_img: headnode.base_img,
  };
};

const vncOf = (context: RequestContext, { uuid, project }: Headnode): Promise<Endpoint | null> =>
  context.devices.query(`screen of ${uuid}`, onHypervisor(project), (devices) =>
    onHypervisorFailure(devices, ({ hypervisor }) => hypervisor.vnc(uuid)),
  );
