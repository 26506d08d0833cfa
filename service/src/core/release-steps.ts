import type { HeldLease } from '@corral/base/db/held-lease';
import type { Lease } from '@corral/base/db/lease-table';
import { pauseAfter } from '@corral/base/backoff';
import { steadyNow } from '@corral/base/steady-clock';
import type { Selectable } from 'kysely';
import type { Database, ReleaseStep } from '../db/service-schema.ts';
import { pending, statement } from '../db/service-statement.ts';
import { nodeDetachNetwork } from './attachments.ts';
import type { Caller } from './caller.ts';
import { CorralError } from './corral-error.ts';
import { audienceOf, type Node, type Project } from './find-objects.ts';
import { LeaseLost, requireLease } from './leases.ts';
import { giveNodeBack } from './node-moves.ts';
import { setObm } from './obm.ts';
import { waitsToBeRead } from './port-trust.ts';
import { type Detachment, detachesIn, running } from './releases.ts';
import type { ReadOp, RequestContext, WriteOp } from './request-context.ts';

/*
 * What a release consists of. Each step begins with a look at the node as it is now, and what it decides is written in
 * the same transaction, under the lease of the release: a process that dies leaves nothing that the next look does not
 * find. It was decided once, when the call was accepted, that the caller may do all this; it goes on if the caller's
 * rights end, because it only takes away. But it never touches a node that has left the project.
 */

/** The moments between which a worker can die; a test kills it at every one of them. */
export const releaseSteps = [
  'release leased',
  'detachments queued',
  'OBM begun',
  'OBM disabled',
  'node left',
  'release failed',
] as const;
export type ReleaseMoment = (typeof releaseSteps)[number];

/** How the pauses between failed attempts grow. */
export const growth = { firstMs: 500, longestMs: 30_000 };

/** What a worker brings along. */
export interface ReleaseWork {
  readonly context: RequestContext;
  readonly held: HeldLease;
  readonly patienceMs: number;
  readonly step: (moment: ReleaseMoment) => void;
  /** Told of failures that are nobody's fault but ours. */
  readonly failed: (error: unknown) => void;
}

/** What a look at a release led to: there is more to do at once, or later, or nothing ever. */
type Progress = 'again' | 'later' | 'over';

type Row = Selectable<Database['releases']>;

interface Releasing {
  readonly release: Row;
  readonly project: Project;
  readonly node: Node;
}

/** The release has ended, or its node is in another project. */
class ReleaseOver extends CorralError {
  constructor() {
    super('BlockedError', 'the release has ended');
  }
}

/** Does the next thing that there is to do for a release. */
export const advanceRelease = async (work: ReleaseWork, id: number): Promise<Progress> => {
  const found = await work.context.read((op) => findRelease(op, id));
  if (found === undefined) return 'over';
  if (found.node === null) {
    await work.context.write((op) => endStray(op, id, work.held.lease));
    return 'over';
  }
  const context = work.context.as(callerOf(found.release, found.project));
  const next: ReleaseStep = found.isTied ? 'networks' : found.node.obm_token === null ? 'project' : 'obm';
  try {
    switch (next) {
      case 'networks':
        return await detachNetworks(work, context, id);
      case 'obm':
        return await disableObm(work, context, id);
      case 'project':
        return await leave(work, context, id);
    }
  } catch (error) {
    if (error instanceof ReleaseOver || error instanceof LeaseLost) return 'over';
    if (!(error instanceof CorralError)) work.failed(error);
    return context.write((op) => settleFailure(op, work, id, next, error));
  }
};

/** Who asked for it, with the rights that the release needs and no others: what it changes is counted as theirs. */
const callerOf = ({ caller }: Row, project: Project): Caller => ({
  kind: 'user',
  name: caller,
  admin: false,
  projects: new Set([project.label]),
});

const detachNetworks = async (work: ReleaseWork, context: RequestContext, id: number): Promise<Progress> => {
  const progress = await context.write(async (op): Promise<Progress> => {
    const { release, project, node } = await findOwn(op, id, work.held);
    const nics = await nicsOfNode.all(op.tx, { nodeId: node.id });
    // Also what others queued before: a connection that is undone when it is there.
    if (nics.some(({ status_id }) => status_id !== null)) return 'later';
    const attached = nics.filter((row): row is typeof row & { network: string } => row.network !== null);
    if (attached.length === 0) return 'again';
    const own = detachesIn(release);
    const failures = await failuresOf(op, own);
    const queued: Detachment[] = [];
    for (const { nic, network } of attached.toSorted(taggedFirst)) {
      if (failures.has(nic) || queued.some((one) => one.nic === nic)) continue;
      queued.push({ nic, network, ...(await nodeDetachNetwork(op, { node: node.label, nic, network })) });
    }
    if (queued.length === 0) {
      const said = [...failures.values()].join('; ');
      await fail(op, { release, project }, 'networks', { message: said, forAdmins: said });
      return 'over';
    }
    await progressed(op, id, { step: 'networks', detaches: JSON.stringify([...own, ...queued]) });
    return 'later';
  });
  if (progress === 'later') work.step('detachments queued');
  if (progress === 'over') work.step('release failed');
  return progress;
};

/** A port that cannot be without an untagged network while it has tagged ones loses those first. */
const taggedFirst = (one: { readonly channel: string | null }, other: { readonly channel: string | null }): number =>
  Number(one.channel === 'vlan/native') - Number(other.channel === 'vlan/native');

/** The nics whose newest detachment of this release failed, and what is said about each. */
const failuresOf = async ({ tx }: ReadOp, own: readonly Detachment[]): Promise<ReadonlyMap<string, string>> => {
  const newest = [...new Map(own.map((one) => [one.nic, one])).values()];
  const failures = new Map<string, string>();
  for (const { nic, network, status_id } of newest) {
    const action = await actionById.first(tx, { statusId: status_id });
    if (action?.status !== 'ERROR') continue;
    failures.set(nic, `nic ${nic} could not be detached from network ${network}: ${action.error ?? 'it failed'}`);
  }
  return failures;
};

const actionById = statement((tx, { statusId }: { statusId: string }) =>
  tx.selectFrom('actions').select(['status', 'error']).where('status_id', '=', statusId),
);

const disableObm = async (work: ReleaseWork, context: RequestContext, id: number): Promise<Progress> => {
  await context.write(async (op) => {
    const { release } = await findOwn(op, id, work.held);
    if (release.step !== 'obm') await progressed(op, id, { step: 'obm' });
  });
  work.step('OBM begun');
  await setObm(context, false, async (op) => (await findRunning(op, id)).node);
  work.step('OBM disabled');
  return 'again';
};

const leave = async (work: ReleaseWork, context: RequestContext, id: number): Promise<Progress> => {
  const progress = await context.write(async (op): Promise<Progress> => {
    const { project, node, isTied } = await findOwn(op, id, work.held);
    if (isTied || node.obm_token !== null) return 'again';
    await giveNodeBack(op, project, node);
    return 'over';
  });
  if (progress === 'over') work.step('node left');
  return progress;
};

/** Tries it again after a pause, as long as it may pass and there is patience left; otherwise the release has failed. */
const settleFailure = async (
  op: WriteOp,
  { held, patienceMs }: ReleaseWork,
  id: number,
  step: ReleaseStep,
  error: unknown,
): Promise<Progress> => {
  const { release, project, node } = await findOwn(op, id, held);
  const told =
    error instanceof CorralError
      ? error
      : new CorralError('ServerError', 'the service failed to do it; an administrator finds the reason in its log');
  const now = steadyNow();
  // A clock that was set back must not make it patient for ever.
  const since = release.failing_since === null || release.failing_since > now ? now : release.failing_since;
  const isLimited = told.type === 'TooManyRequestsError';
  const mayPass = isLimited || (now - since < patienceMs && (await passes(op, step, told, node)));
  if (!mayPass) {
    await fail(op, { release, project }, step, told);
    return 'over';
  }
  const pauseMs = Math.max(pauseAfter(release.attempts, growth), (told.retryAfterS ?? 0) * 1000);
  await op.tx
    .updateTable('releases')
    .set({ step, problem: told.message, operator_problem: told.forAdmins, attempts: release.attempts + 1 })
    .set({ failing_since: isLimited ? release.failing_since : since, retry_at: now + pauseMs })
    .where('id', '=', id)
    .execute();
  return 'later';
};

/** May it be otherwise after a while, with nobody doing anything about it? */
const passes = async (op: ReadOp, step: ReleaseStep, error: CorralError, node: Node): Promise<boolean> => {
  if (error.type === 'OBMError' || error.type === 'UnavailableError' || error.type === 'ServerError') return true;
  if (error.type !== 'BlockedError') return false;
  // Somebody else changes its OBM just now; a port is read as soon as its switch answers.
  return step === 'obm' || (step === 'project' && waitsToBeRead(op, node));
};

const fail = async (
  op: WriteOp,
  { release, project }: Pick<Releasing, 'release' | 'project'>,
  step: ReleaseStep,
  { message, forAdmins }: { readonly message: string; readonly forAdmins: string },
): Promise<void> => {
  await op.tx
    .updateTable('releases')
    .set({ state: 'failed', step, problem: message, operator_problem: forAdmins, ended_at: Date.now() })
    .where('id', '=', release.id)
    .execute();
  op.record({
    type: 'node_release_failed',
    projects: [project],
    node: release.node,
    detail: { release: release.label, step, error: message },
  });
};

/** Something was done: what went wrong before is over. */
const progressed = async (
  { tx }: WriteOp,
  id: number,
  change: { readonly step: ReleaseStep; readonly detaches?: string },
): Promise<void> => {
  await tx
    .updateTable('releases')
    .set({ ...change, problem: null, operator_problem: null, attempts: 0, failing_since: null, retry_at: 0 })
    .where('id', '=', id)
    .execute();
};

/** Its node is not in the project any more, and nobody recorded how it left: the release must not wait for ever. */
const endStray = async (op: WriteOp, id: number, lease: Lease): Promise<void> => {
  await requireLease(op, lease);
  const found = await findRelease(op, id);
  if (found?.node !== null) return;
  const { release } = found;
  const message = `node ${release.node} is no longer in project ${release.project}`;
  const project = { id: release.project_id, label: release.project };
  await fail(op, { release, project }, release.step, { message, forAdmins: message });
};

type Found =
  | (Releasing & { readonly isTied: boolean })
  /** The node is not in the project. */
  | { readonly release: Row; readonly project: null; readonly node: null; readonly isTied: false };

/** A release that is running; undefined: it has ended. */
const findRelease = async ({ tx }: ReadOp, id: number): Promise<Found | undefined> => {
  const release = await runningById.first(tx, { id });
  if (release === undefined) return undefined;
  const node = await nodeById.first(tx, { id: release.node_id });
  const project = node === undefined ? null : audienceOf(node);
  if (node === undefined || project?.id !== release.project_id) {
    return { release, project: null, node: null, isTied: false };
  }
  const nics = await nicsOfNode.all(tx, { nodeId: node.id });
  return { release, project, node, isTied: nics.some(({ network, status_id }) => (network ?? status_id) !== null) };
};

/** The same for who records something: another process may have taken over. */
const findOwn = async (op: WriteOp, id: number, { lease }: HeldLease): ReturnType<typeof findRunning> => {
  await requireLease(op, lease);
  return findRunning(op, id);
};

const findRunning = async (op: ReadOp, id: number): Promise<Releasing & { readonly isTied: boolean }> => {
  const found = await findRelease(op, id);
  if (found === undefined || found.node === null) throw new ReleaseOver();
  return found;
};

const runningById = statement((tx, { id }: { id: number }) =>
  tx.selectFrom('releases').selectAll().where('id', '=', id).where('state', '=', running),
);

const nodeById = statement((tx, { id }: { id: number }) =>
  tx
    .selectFrom('nodes')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .selectAll('nodes')
    .select('projects.label as project')
    .where('nodes.id', '=', id),
);

/** One row for each attachment, or nic without one, with the action that is pending on the nic. */
const nicsOfNode = statement((tx, { nodeId }: { nodeId: number }) =>
  tx
    .selectFrom('nics')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .leftJoin('networks', 'networks.id', 'attachments.network_id')
    .leftJoin('actions', (join) => join.onRef('actions.nic_id', '=', 'nics.id').on('actions.status', '=', pending))
    .select(['nics.label as nic', 'networks.label as network', 'attachments.channel', 'actions.status_id'])
    .where('nics.node_id', '=', nodeId),
);
