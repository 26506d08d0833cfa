import { allHold, type ClaimMatch, type Condition, conditionsOf } from './claim-conditions.ts';
import { blocked, CorralError } from './corral-error.ts';
import { findNode } from './find-objects.ts';
import { isFreeNode } from './free-nodes.ts';
import type { Offer, Wanted } from './node-pool.ts';
import { requireTrustedPorts } from './port-trust.ts';
import type { ReadOp } from './request-context.ts';
import { requireSoleRecords } from './switch-identity.ts';

/** Conditions that a refusal counts one by one, those that the fewest nodes meet first. */
const shownConditions = 5;

/** Why a claim cannot be served now: how many fit, what becomes of the others that do, and what each condition leaves. */
export const claimRefusal = async (op: ReadOp, wanted: Wanted, offer: Offer): Promise<CorralError> => {
  const free = offer.fit.length + offer.kept + offer.blocked.length;
  const reserved = (await countFitting(op, wanted.match)) - free;
  const [first] = offer.blocked;
  const reason = first === undefined ? null : await reasonOf(op, first.label);
  const parts = (of: (error: CorralError) => string): string =>
    [
      `${wanted.count} ${nodes(wanted.count)} asked for, and ${offer.fit.length === 0 ? 'no free node fits' : `${offer.fit.length} free ${fit(offer.fit.length)}`}`,
      ...(reserved > 0 ? [`${reserved} more ${fits(reserved)} but ${reserved === 1 ? 'is' : 'are'} not free`] : []),
      ...(offer.kept > 0
        ? [`${offer.kept} ${fits(offer.kept)} but ${offer.kept === 1 ? 'is' : 'are'} kept for claims that came earlier`]
        : []),
      ...(reason === null
        ? []
        : [`${offer.blocked.length} ${fits(offer.blocked.length)} but cannot be reserved now (${of(reason)})`]),
    ].join('; ');
  const closest = await closestConditions(op, wanted.match);
  const whole = (of: (error: CorralError) => string): string => `${parts(of)}${closest}`;
  return blocked(
    whole(({ message }) => message),
    { forAdmins: whole(({ forAdmins }) => forAdmins) },
  );
};

const nodes = (count: number): string => (count === 1 ? 'node is' : 'nodes are');
const fit = (count: number): string => (count === 1 ? 'node fits' : 'nodes fit');
const fits = (count: number): string => (count === 1 ? 'fits' : 'fit');

/** Nodes that fit, free or not. */
export const countFitting = ({ tx }: ReadOp, match: ClaimMatch): Promise<number> =>
  countOf(
    allHold(conditionsOf(match))
      .reduce((query, holds) => query.where(holds), tx.selectFrom('nodes'))
      .select(({ fn }) => fn.countAll<number>().as('count')),
  );

const countOf = async (query: { executeTakeFirstOrThrow(): Promise<{ count: number }> }): Promise<number> =>
  (await query.executeTakeFirstOrThrow()).count;

/** What project_connect_node would say of a node. */
const reasonOf = async (op: ReadOp, label: string): Promise<CorralError | null> => {
  try {
    const node = await findNode(op, label);
    await requireSoleRecords(op, node, `node ${label}`);
    await requireTrustedPorts(op, node, `node ${label}`);
    return null;
  } catch (error) {
    if (error instanceof CorralError) return error;
    throw error;
  }
};

/** How many free nodes meet each condition, where there is more than one. */
const closestConditions = async ({ tx }: ReadOp, match: ClaimMatch): Promise<string> => {
  const conditions = conditionsOf(match);
  if (conditions.length < 2) return '';
  const counted: { readonly condition: Condition; readonly count: number }[] = [];
  for (const condition of conditions) {
    const query = tx
      .selectFrom('nodes')
      .where(isFreeNode)
      .where(condition.found?.ids ?? condition.holds);
    const count = await countOf(query.select(({ fn }) => fn.countAll<number>().as('count')));
    counted.push({ condition, count });
  }
  const fewest = counted.sort((a, b) => a.count - b.count).slice(0, shownConditions);
  const each = fewest.map(({ condition, count }) => `${condition.words} by ${count}`).join(', ');
  return `. Of the free nodes, ${each.replace(' by ', ' is met by ')}`;
};
