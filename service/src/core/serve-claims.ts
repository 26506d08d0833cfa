import { systemCaller } from './caller.ts';
import { keepForLine, type StoredClaim, waitingClaims, wantedOf } from './claim-line.ts';
import { currentMaker } from './claim-makers.ts';
import { claimQueue, endClaim, reserveAll } from './claims.ts';
import { CorralError } from './corral-error.ts';
import { inNaturalOrder } from './natural-order.ts';
import { NodePool } from './node-pool.ts';
import type { ReadOp, RequestContext, WriteOp } from './request-context.ts';

/** What is to be done about a claim in line. */
type Step = { readonly claim: StoredClaim } & (
  | { readonly kind: 'expired' }
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'serve'; readonly nodes: readonly string[] }
);

/**
 * The first step that the line allows, beginning after a claim; null: all have to wait. Claims before that one, and those
 * that have to wait, keep their nodes.
 */
const nextStep = async (op: ReadOp, after: number): Promise<Step | null> => {
  const pool = new NodePool(op);
  for (const claim of await waitingClaims(op)) {
    if (claim.id > after) {
      const step = await stepOf(op, claim, pool);
      if (step !== null) return step;
    }
    await keepForLine(op, pool, [claim]);
  }
  return null;
};

const stepOf = async (op: ReadOp, claim: StoredClaim, pool: NodePool): Promise<Step | null> => {
  if (claim.expires_at <= Date.now()) return { claim, kind: 'expired' };
  const maker = await currentMaker(op, claim);
  if ('lost' in maker) return { claim, kind: 'ended', reason: maker.lost };
  const { nodes } = await pool.offer(wantedOf(claim));
  return nodes === null ? null : { claim, kind: 'serve', nodes: nodes.map(({ label }) => label) };
};

/** Goes along the line once, and serves or ends every claim that can be. Answers how many. */
export const serveLine = async (context: RequestContext, goOn: () => Promise<boolean>): Promise<number> => {
  let done = 0;
  for (let after = 0; await goOn();) {
    const found = await context.read((op) => nextStep(op, after));
    if (found === null) return done;
    if (await takeStep(context, found)) done += 1;
    after = found.claim.id;
  }
  return done;
};

/** Takes a step in a transaction that looks again whether it is right. Answers whether it was. */
const takeStep = async (context: RequestContext, { claim, kind }: Step): Promise<boolean> => {
  const maker = await context.read((op) => currentMaker(op, claim));
  // Events name the person that nodes were reserved by.
  const acting = kind === 'serve' && !('lost' in maker) ? context.as(maker) : context.as(systemCaller);
  const again = (op: WriteOp) => stepAgain(op, claim, kind);
  try {
    return await acting.write(again, { queue: claimQueue });
  } catch (error) {
    if (!(error instanceof CorralError) || error.type === 'UnavailableError') throw error;
    // Something else than nodes keeps it back, such as a limit of its project: the others do not wait for that.
    await context.write((op) => passOver(op, claim, error.message), { queue: claimQueue });
    return false;
  }
};

const stepAgain = async (op: WriteOp, { id }: StoredClaim, kind: Step['kind']): Promise<boolean> => {
  const step = await nextStep(op, id - 1);
  if (step?.claim.id !== id || step.kind !== kind) return false;
  const { claim } = step;
  if (step.kind === 'expired') await endClaim(op, claim, { state: 'expired', reason: null });
  else if (step.kind === 'ended') await endClaim(op, claim, { state: 'ended', reason: step.reason });
  else await serve(op, claim, step.nodes);
  return true;
};

const serve = async (op: WriteOp, claim: StoredClaim, chosen: readonly string[]): Promise<void> => {
  const project = { id: claim.project_id, label: claim.project };
  const nodes = inNaturalOrder(chosen, (label) => label);
  await reserveAll(op, project, nodes);
  await op.tx
    .updateTable('claims')
    .set({ state: 'served', nodes: JSON.stringify(nodes), reason: null, ended_at: Date.now() })
    .where('id', '=', claim.id)
    .execute();
  op.record({
    type: 'claim_served',
    projects: [project],
    detail: { claim: claim.label, count: nodes.length, nodes },
  });
};

const passOver = async (op: WriteOp, { id }: StoredClaim, reason: string): Promise<void> => {
  await op.tx.updateTable('claims').set({ reason }).where('id', '=', id).where('state', '=', 'waiting').execute();
};

/** Claims that have ended are kept for so long. */
const keptMs = 7 * 24 * 3_600_000;
const deletedAtOnce = 1_000;

/** Deletes some of the claims that ended long ago. Answers whether there may be more. */
export const deleteEndedClaims = async ({ tx }: WriteOp): Promise<boolean> => {
  const deleted = await tx
    .deleteFrom('claims')
    .where('id', 'in', (of) =>
      of
        .selectFrom('claims')
        .select('id')
        .where('ended_at', '<', Date.now() - keptMs)
        .limit(deletedAtOnce),
    )
    .returning('id')
    .execute();
  return deleted.length === deletedAtOnce;
};
