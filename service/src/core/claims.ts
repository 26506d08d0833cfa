import { randomUUID } from 'node:crypto';
import { isAdmin, nameOf, requireProject } from './caller.ts';
import type { ClaimPreference } from './choose-nodes.ts';
import { type ClaimMatch, conditionsOf } from './claim-conditions.ts';
import { keepForLine, roomOf, type StoredClaim, waiting, waitingClaims, wantedOf } from './claim-line.ts';
import { makerOf } from './claim-makers.ts';
import { claimRefusal, countFitting } from './claim-refusal.ts';
import { badArgument, blocked, illegalState, notFound, unauthorized } from './corral-error.ts';
import { findNode, findProject, findSwitch, type Project } from './find-objects.ts';
import { reserveNode } from './node-moves.ts';
import { NodePool, type Wanted } from './node-pool.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/** The name under which claims queue, so that those that come at once do not abort each other. */
export const claimQueue = 'claims';

const dayMs = 24 * 3_600_000;
/** How long a claim waits at most. */
const longestWaitMs = 30 * dayMs;
/** Claims that wait, of a project and in all: each of them is planned for before any claim is served. */
const mostWaitingOfProject = 10;
const mostWaiting = 200;
/** Claims that have ended, as a list shows them. */
const shownEnded = 100;

/** What a caller asks for. */
export interface ClaimRequest {
  readonly project: string;
  readonly count: number;
  readonly match?: ClaimMatch;
  readonly prefer?: ClaimPreference;
}

interface ClaimAnswer {
  readonly state: 'served' | 'waiting';
  readonly nodes: readonly string[];
  /** The claim that waits, and its place in line; null: nothing waits. */
  readonly claim: string | null;
  readonly place: number | null;
}

/** Reserves as many free nodes as are asked for, all or none; or waits for them, if the caller wants that. */
export const projectClaim = async (
  op: WriteOp,
  args: ClaimRequest & { readonly wait?: boolean | { readonly until: string } },
): Promise<ClaimAnswer> => {
  const { project, wanted } = await admitted(op, args);
  const until = args.wait === undefined || args.wait === false ? null : endOf(args.wait);
  const line = await waitingClaims(op);
  const pool = new NodePool(op);
  await keepForLine(op, pool, line);
  const offer = await pool.offer(wanted);
  if (offer.nodes !== null) {
    const nodes = offer.nodes.map(({ label }) => label);
    await reserveAll(op, project, nodes);
    op.record({ type: 'project_claim', projects: [project], detail: { count: nodes.length, nodes } });
    return { state: 'served', nodes, claim: null, place: null };
  }
  if (until === null) throw await claimRefusal(op, wanted, offer);
  return queueClaim(op, { project, wanted, until, line });
};

/** What a claim would get now, and why it would get nothing. */
export const projectClaimPreview = async (
  op: ReadOp,
  args: ClaimRequest,
): Promise<{ fit: number; nodes: readonly string[]; refusal: string | null }> => {
  const { wanted } = await admitted(op, args);
  const pool = new NodePool(op);
  await keepForLine(op, pool, await waitingClaims(op));
  const offer = await pool.offer(wanted);
  const fit = offer.fit.length;
  if (offer.nodes !== null) return { fit, nodes: offer.nodes.map(({ label }) => label), refusal: null };
  const refusal = await claimRefusal(op, wanted, offer);
  return { fit, nodes: [], refusal: isAdmin(op.caller) ? refusal.forAdmins : refusal.message };
};

const admitted = async (
  op: ReadOp,
  { project: label, count, match = {}, prefer }: ClaimRequest,
): Promise<{ readonly project: Project; readonly wanted: Wanted }> => {
  const project = await findProject(op, label);
  requireProject(op.caller, project.label);
  conditionsOf(match);
  if (match.switch !== undefined) {
    if (!isAdmin(op.caller)) {
      throw unauthorized('field "match" names a switch: where nodes are plugged in is for administrators');
    }
    await findSwitch(op, match.switch);
  }
  return { project, wanted: { count, match, prefer: prefer ?? null } };
};

const endOf = (wait: true | { readonly until: string }): number => {
  const now = Date.now();
  const latest = now + longestWaitMs;
  if (wait === true) return latest;
  const until = Date.parse(wait.until);
  if (Number.isNaN(until)) throw badArgument('field "until" is not a time; expected one such as 2026-01-31T12:00:00Z');
  if (until <= now) throw badArgument('field "until" is in the past');
  if (until > latest) throw badArgument('field "until" is too far off; a claim waits 30 days at most');
  return until;
};

/** Reserves nodes that a pool offered. Refusals are those of project_connect_node. */
export const reserveAll = async (op: WriteOp, project: Project, nodes: readonly string[]): Promise<void> => {
  for (const label of nodes) await reserveNode(op, project, await findNode(op, label));
};

interface Queued {
  readonly project: Project;
  readonly wanted: Wanted;
  readonly until: number;
  readonly line: readonly StoredClaim[];
}

const queueClaim = async (op: WriteOp, { project, wanted, until, line }: Queued): Promise<ClaimAnswer> => {
  const own = line.filter(({ project_id }) => project_id === project.id).length;
  if (own >= mostWaitingOfProject) {
    throw blocked(`project ${project.label} has ${own} waiting claims; cancel one first`);
  }
  if (line.length >= mostWaiting) throw blocked(`${line.length} claims wait already; try again later`);
  const exist = await countFitting(op, wanted.match);
  // It would keep nodes from others for as long as it waits, and never get enough.
  if (exist < wanted.count) {
    throw blocked(
      `${wanted.count} nodes are asked for, and ${exist} fit, free or not: a claim cannot wait for nodes that do not exist`,
    );
  }
  const room = await roomOf(op, project, wanted);
  const label = randomUUID();
  await op.tx
    .insertInto('claims')
    .values({
      label,
      project_id: project.id,
      ...(await makerOf(op)),
      maker: nameOf(op.caller),
      wanted: wanted.count,
      selector: JSON.stringify(wanted.match),
      prefer: JSON.stringify(wanted.prefer),
      state: 'waiting',
      reason:
        room < wanted.count ? `the quotas of project ${project.label} leave room for ${room} of these nodes` : null,
      made_at: Date.now(),
      expires_at: until,
    })
    .execute();
  op.record({ type: 'claim_waiting', projects: [project], detail: { claim: label, count: wanted.count } });
  return { state: 'waiting', nodes: [], claim: label, place: line.length + 1 };
};

/** A claim as its project sees it. */
export interface ClaimView {
  readonly claim: string;
  readonly project: string;
  readonly state: StoredClaim['state'];
  readonly user: string;
  readonly count: number;
  readonly match: ClaimMatch;
  readonly prefer: ClaimPreference | null;
  /** Its place in line; null: it does not wait any more. */
  readonly place: number | null;
  readonly nodes: readonly string[];
  readonly reason: string | null;
  readonly made_at: string;
  readonly until: string;
  readonly ended_at: string | null;
}

const viewOf = (op: ReadOp, claim: StoredClaim, line: readonly StoredClaim[]): ClaimView => {
  const { count, match, prefer } = wantedOf(claim);
  const place = line.findIndex(({ id }) => id === claim.id);
  return {
    claim: claim.label,
    project: claim.project,
    state: claim.state,
    user: claim.maker,
    count,
    // Where nodes are plugged in is the operator's business, also if an administrator asked for it.
    match: isAdmin(op.caller) ? match : withoutSwitch(match),
    prefer,
    place: place < 0 ? null : place + 1,
    nodes: JSON.parse(claim.nodes) as readonly string[],
    reason: claim.reason,
    made_at: timeOf(claim.made_at),
    until: timeOf(claim.expires_at),
    ended_at: claim.ended_at === null ? null : timeOf(claim.ended_at),
  };
};

const withoutSwitch = ({ metadata, nics }: ClaimMatch): ClaimMatch => ({
  ...(metadata && { metadata }),
  ...(nics && { nics }),
});

const timeOf = (ms: number): string => new Date(ms).toISOString();

const storedClaims = ({ tx }: ReadOp) =>
  tx
    .selectFrom('claims')
    .innerJoin('projects', 'projects.id', 'claims.project_id')
    .selectAll('claims')
    .select('projects.label as project');

/** Claims of a project: those that wait, in the order of the line, and then those that ended last. */
export const listProjectClaims = async (op: ReadOp, args: { project: string }): Promise<ClaimView[]> => {
  const project = await findProject(op, args.project);
  requireProject(op.caller, project.label);
  const line = await waitingClaims(op);
  const ended = await storedClaims(op)
    .where('claims.project_id', '=', project.id)
    .where('claims.state', '<>', waiting)
    .orderBy('claims.id', 'desc')
    .limit(shownEnded)
    .execute();
  const own = line.filter(({ project_id }) => project_id === project.id);
  return [...own, ...ended].map((claim) => viewOf(op, claim, line));
};

const findClaim = async (op: ReadOp, label: string): Promise<StoredClaim> => {
  const claim = await storedClaims(op).where('claims.label', '=', label).executeTakeFirst();
  if (claim === undefined) throw notFound(`claim ${label} does not exist`);
  return claim;
};

export const showClaim = async (op: ReadOp, args: { claim: string }): Promise<ClaimView> => {
  const claim = await findClaim(op, args.claim);
  requireProject(op.caller, claim.project);
  return viewOf(op, claim, claim.state === 'waiting' ? await waitingClaims(op) : []);
};

export const claimCancel = async (op: WriteOp, args: { claim: string }): Promise<void> => {
  const claim = await findClaim(op, args.claim);
  requireProject(op.caller, claim.project);
  if (claim.state !== 'waiting')
    throw illegalState(`claim ${claim.label} does not wait any more: it is ${claim.state}`);
  await endClaim(op, claim, { state: 'cancelled', reason: null });
};

/** How a claim ends without nodes. */
type Ending =
  | { readonly state: 'cancelled' | 'expired'; readonly reason: null }
  | { readonly state: 'ended'; readonly reason: string };

/** Ends a claim that waits. */
export const endClaim = async (op: WriteOp, claim: StoredClaim, { state, reason }: Ending): Promise<void> => {
  await op.tx.updateTable('claims').set({ state, reason, ended_at: Date.now() }).where('id', '=', claim.id).execute();
  const projects = [{ id: claim.project_id, label: claim.project }];
  const detail = { claim: claim.label, count: claim.wanted };
  if (state === 'cancelled') op.record({ type: 'claim_cancelled', projects, detail });
  else op.record({ type: 'claim_ended', projects, detail: { ...detail, state, reason } });
};

/** A project is deleted, and all its claims with it. */
export const deleteClaimsOf = async (op: WriteOp, project: Project): Promise<void> => {
  const line = await waitingClaims(op);
  for (const claim of line.filter(({ project_id }) => project_id === project.id)) {
    await endClaim(op, claim, { state: 'ended', reason: 'the project was deleted' });
  }
  await op.tx.deleteFrom('claims').where('project_id', '=', project.id).execute();
};

/** A user is deleted: nothing is served for them any more. */
export const endClaimsOf = async (op: WriteOp, user: { readonly id: number }): Promise<void> => {
  const line = await waitingClaims(op);
  for (const claim of line.filter(({ user_id }) => user_id === user.id)) {
    await endClaim(op, claim, { state: 'ended', reason: `user ${claim.maker} was deleted` });
  }
  await op.tx.updateTable('claims').set({ user_id: null }).where('user_id', '=', user.id).execute();
};
