import { sql } from 'kysely';
import { allHold, type ClaimMatch, conditionsOf } from './claim-conditions.ts';
import { type Candidate, chooseNodes, type ClaimPreference } from './choose-nodes.ts';
import { isFreeNode } from './free-nodes.ts';
import { isDoubtful } from './port-trust.ts';
import type { ReadOp } from './request-context.ts';

/** What a claim asks for. */
export interface Wanted {
  readonly count: number;
  readonly match: ClaimMatch;
  readonly prefer: ClaimPreference | null;
}

/** What a claim would get now. */
export interface Offer {
  /** null: there are too few. */
  readonly nodes: readonly Candidate[] | null;
  /** Free nodes that fit and can be reserved. */
  readonly fit: readonly Candidate[];
  /** Free nodes that fit, and are for claims that came earlier. */
  readonly kept: number;
  /** Free nodes that fit, and cannot be reserved because of a port or switch. */
  readonly blocked: readonly Candidate[];
}

/**
 * The free nodes as a line of claims sees them in one transaction: what is kept for one that came earlier is not
 * offered to one that came later.
 */
export class NodePool {
  readonly #op: ReadOp;
  readonly #kept = new Set<number>();
  /** Claims of a line often ask for the same. */
  readonly #found = new Map<string, readonly Candidate[]>();

  constructor(op: ReadOp) {
    this.#op = op;
  }

  /** What a claim would get. Nothing changes. */
  async offer(wanted: Wanted): Promise<Offer> {
    const found = await this.#freeNodes(wanted);
    const open = found.filter(({ id }) => !this.#kept.has(id));
    const kept = found.length - open.length;
    if (open.length < wanted.count) return this.#without(open, kept, await this.#blockedOf(open));
    const nodes = chooseNodes(open, wanted.count, wanted.prefer);
    if ((await this.#blockedOf(nodes)).size === 0) return { nodes, fit: open, kept, blocked: [] };
    const offer = this.#without(open, kept, await this.#blockedOf(open));
    if (offer.fit.length < wanted.count) return offer;
    return { ...offer, nodes: chooseNodes(offer.fit, wanted.count, wanted.prefer) };
  }

  /** Keeps nodes for a claim: those that it gets, or all that fit as long as it has to wait. */
  async keepFor(wanted: Wanted): Promise<Offer> {
    const offer = await this.offer(wanted);
    for (const { id } of offer.nodes ?? [...offer.fit, ...offer.blocked]) this.#kept.add(id);
    return offer;
  }

  #without(open: readonly Candidate[], kept: number, blocked: ReadonlySet<number>): Offer {
    return {
      nodes: null,
      fit: open.filter(({ id }) => !blocked.has(id)),
      kept,
      blocked: open.filter(({ id }) => blocked.has(id)),
    };
  }

  async #freeNodes({ match, prefer }: Wanted): Promise<readonly Candidate[]> {
    const key = prefer === null ? null : 'spread' in prefer ? prefer.spread : prefer.pack;
    const question = JSON.stringify([match, key]);
    const known = this.#found.get(question);
    if (known) return known;
    const found = await freeNodes(this.#op, match, key);
    this.#found.set(question, found);
    return found;
  }

  /** Which of these `reserveNode` would refuse because of a port or switch. */
  async #blockedOf(nodes: readonly Candidate[]): Promise<ReadonlySet<number>> {
    const blocked = new Set<number>();
    for (let from = 0; from < nodes.length; from += idsPerStatement) {
      const ids = nodes.slice(from, from + idsPerStatement).map(({ id }) => id);
      for (const id of await blockedAmong(this.#op, ids)) blocked.add(id);
    }
    return blocked;
  }
}

const idsPerStatement = 1_000;

/** Every free node that fits, with its value of a key. */
const freeNodes = async ({ tx }: ReadOp, match: ClaimMatch, key: string | null): Promise<readonly Candidate[]> => {
  const fitting = allHold(conditionsOf(match)).reduce(
    (query, holds) => query.where(holds),
    tx.selectFrom('nodes').select(['nodes.id', 'nodes.label']).where(isFreeNode),
  );
  if (key === null) return (await fitting.execute()).map((node) => ({ ...node, value: null }));
  return fitting
    .leftJoin('node_metadata as preferred', (join) =>
      join.onRef('preferred.node_id', '=', 'nodes.id').on('preferred.key', '=', key),
    )
    .select('preferred.text as value')
    .execute();
};

/** Those of these nodes that are on, or were on, a port that is not to be trusted, or on a switch with two records. */
const blockedAmong = async ({ tx }: ReadOp, ids: readonly number[]): Promise<readonly number[]> => {
  if (ids.length === 0) return [];
  const onPort = tx
    .selectFrom('nics')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .select('nics.node_id as id')
    .where('nics.node_id', 'in', ids)
    .where((where) => where.or([isDoubtful, sql<boolean>`switches.duplicate_of is not null`]));
  const wasOn = tx
    .selectFrom('held_nodes')
    .innerJoin('ports', 'ports.id', 'held_nodes.port_id')
    .select('held_nodes.node_id as id')
    .where('held_nodes.node_id', 'in', ids)
    .where(isDoubtful);
  const rows = await onPort.union(wasOn).execute();
  return rows.map(({ id }) => id);
};
