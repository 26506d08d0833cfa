import type { Selectable } from 'kysely';
import type { Database } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { sql } from 'kysely';
import { allHold, type ClaimMatch, conditionsOf } from './claim-conditions.ts';
import type { ClaimPreference } from './choose-nodes.ts';
import type { NodePool, Wanted } from './node-pool.ts';
import type { Project } from './find-objects.ts';
import { hasRoomFor, roomAmong } from './quotas.ts';
import type { ReadOp } from './request-context.ts';

/*
 * The line of claims that wait, in the order in which they came: a node that fits an earlier one is not given to a later
 * one, nor to a claim that does not wait. project_connect_node names a node, and passes the line by.
 */

/** A row of `claims`, with the label of its project. */
export type StoredClaim = Selectable<Database['claims']> & { readonly project: string };

/** Part of the text of a statement, so that the index of waiting claims is used. */
export const waiting = sql.lit('waiting' as const);

/** All claims that wait, the first in line first. There are `mostWaiting` at most. */
export const waitingClaims = ({ tx }: ReadOp): Promise<StoredClaim[]> => line.all(tx, {});

const line = statement((tx) =>
  tx
    .selectFrom('claims')
    .innerJoin('projects', 'projects.id', 'claims.project_id')
    .selectAll('claims')
    .select('projects.label as project')
    .where('claims.state', '=', waiting)
    .orderBy('claims.id'),
);

/** What a stored claim asks for. */
export const wantedOf = ({ wanted, selector, prefer }: StoredClaim): Wanted => ({
  count: wanted,
  match: JSON.parse(selector) as ClaimMatch,
  prefer: JSON.parse(prefer) as ClaimPreference | null,
});

/** Keeps what claims in line get, or wait for. One that a quota keeps back does not keep others back meanwhile. */
export const keepForLine = async (op: ReadOp, pool: NodePool, earlier: readonly StoredClaim[]): Promise<void> => {
  for (const claim of earlier) if (await keepsNodes(op, claim)) await pool.keepFor(wantedOf(claim));
};

/**
 * A claim that was refused stands in line like any other as soon as its project may have that many nodes again. One that
 * asks for more than its project may have would never be refused, because so many nodes are never free: it would keep
 * those that are from everybody else.
 */
const keepsNodes = async (op: ReadOp, claim: StoredClaim): Promise<boolean> => {
  const project = { id: claim.project_id, label: claim.project };
  if ((await roomOf(op, project, wantedOf(claim))) < claim.wanted) return false;
  return claim.reason === null || hasRoomFor(op, project, claim.wanted);
};

/** How many of the nodes that fit the quotas of a project let it have, free or not. */
export const roomOf = (op: ReadOp, project: Project, { match }: Wanted): Promise<number> =>
  roomAmong(op, project, () =>
    allHold(conditionsOf(match))
      .reduce((query, holds) => query.where(holds), op.tx.selectFrom('nodes'))
      .where((where) => where.or([where('nodes.project_id', 'is', null), where('nodes.project_id', '<>', project.id)]))
      .select(['nodes.class', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy('nodes.class')
      .execute(),
  );
