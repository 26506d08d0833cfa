import { sql } from 'kysely';
import type { Tx } from '../db/service-database.ts';
import { statement } from '../db/service-statement.ts';
import { blocked, type CorralError } from './corral-error.ts';
import type { Node } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';
import { describePort, type PortReading, stateIn } from './port-state.ts';

/*
 * The one answer to "why can this port not be trusted". Any other reason to doubt a port becomes a kind of
 * `Doubt`, a line in `isDoubtful`, and a case in `doubtOf` and `sentenceOf`: then it holds nodes, networks and VLANs.
 */

/** Why a port is not to be trusted; the first that applies, the most serious first. */
export type Doubt =
  /** A change ended badly, and nobody knows what the port carries. */
  | { readonly kind: 'suspect'; readonly reason: string }
  /** It was seen to carry something else than is recorded. null: the switch has no such port. */
  | { readonly kind: 'drift'; readonly seen: PortReading | null }
  /** Nobody has read it since its nic was connected, its switch was moved, or the database restored. */
  | { readonly kind: 'unread' }
  /** A session that wrote to it broke off, and something of it may still arrive; or it was not read since. */
  | { readonly kind: 'late write' };

/** What is stored of a port that its trust depends on. */
interface TrustColumns {
  readonly suspect: string | null;
  readonly drift_since: number | null;
  readonly reading: string | null;
  readonly unread: 0 | 1;
  readonly late_until: number | null;
}

/** The same question to the database, of a row of `ports`. */
export const isDoubtful = sql<boolean>`(ports.suspect is not null or ports.drift_since is not null or ports.unread = 1 or ports.late_until is not null)`;

/** null: what is recorded of the port is what it carries. */
export const doubtOf = ({ suspect, drift_since, reading, unread, late_until }: TrustColumns): Doubt | null => {
  if (suspect !== null) return { kind: 'suspect', reason: suspect };
  const seen = JSON.parse(reading ?? 'null') as PortReading | null;
  // That there was no such port says nothing of a device that has not been read since.
  if (drift_since !== null && (seen !== null || unread === 0)) return { kind: 'drift', seen };
  if (unread === 1) return { kind: 'unread' };
  return late_until === null ? null : { kind: 'late write' };
};

/** The name of a port, and how much of its state may be shown. */
interface Audience {
  readonly name: string;
  readonly isOperator: boolean;
}

/** What is wrong with a port, and the way out. What others have on it is the operator's to know. */
const sentenceOf = (doubt: Doubt, { name, isOperator }: Audience): string => {
  switch (doubt.kind) {
    case 'suspect':
      return (
        `the state of ${name} is unknown${isOperator ? ` (${doubt.reason})` : ''}; ` +
        'it is being retried, or an administrator can revert the port'
      );
    case 'drift':
      return doubt.seen === null
        ? `${name} does not exist on the switch; an administrator can add it there, or register its right name`
        : `${name} was seen to carry ${isOperator ? describePort(stateIn(doubt.seen)) : 'something'}, ` +
            'which is not recorded; an administrator can revert the port';
    case 'unread':
      return `${name} has not been read since the nic was connected, its switch was updated or the database was restored; it is read as soon as the switch answers`;
    case 'late write':
      return (
        `the connection to the switch was lost while ${name} was being changed, and the change may still arrive; ` +
        'it is read until that is no longer possible, so try again in a few minutes'
      );
  }
};

/** Why a port of a switch is not to be trusted, for operators. */
export const doubtSentence = (doubt: Doubt, port: string, onSwitch: string): string =>
  sentenceOf(doubt, { name: `port ${port} on switch ${onSwitch}`, isOperator: true });

/** A port that a node is on, or was on, with what its trust depends on. */
export interface DoubtfulPort extends TrustColumns {
  readonly port: string;
  readonly switch: string;
  /** null: the node was on it. */
  readonly nic: string | null;
}

/** What keeps a node where it is because of one of its ports; null: nothing. */
export const doubtAbout = (port: DoubtfulPort, prefix = ''): CorralError | null => {
  const doubt = doubtOf(port);
  if (doubt === null) return null;
  // Where a node is plugged in is the operator's business.
  const nic = port.nic === null ? 'a switch port that the node was on' : `the switch port of nic ${port.nic}`;
  const name = `port ${port.port} on switch ${port.switch}`;
  const past = port.nic === null ? ', which the node was on,' : '';
  return blocked(`${prefix}${sentenceOf(doubt, { name: nic, isOperator: false })}`, {
    forAdmins: `${prefix}${sentenceOf(doubt, { name: `${name}${past}`, isOperator: true })}`,
  });
};

/**
 * A node stays where it is while a port that it is on, or was on, is not to be trusted: its next project would be
 * on somebody else's network.
 */
export const requireTrustedPorts = async ({ tx }: ReadOp, node: Node, what: string): Promise<void> => {
  const port = await doubtfulPortsOfNode.first(tx, { nodeId: node.id });
  const refusal = port && doubtAbout(port, `${what}: `);
  if (refusal) throw refusal;
};

/** Does the node wait for nothing but a reading of its ports? That comes without anybody doing something about it. */
export const waitsToBeRead = async ({ tx }: ReadOp, node: Pick<Node, 'id'>): Promise<boolean> => {
  const doubts = (await doubtfulPortsOfNode.all(tx, { nodeId: node.id })).map(doubtOf);
  return doubts.length > 0 && doubts.every((doubt) => doubt?.kind === 'unread' || doubt?.kind === 'late write');
};

const doubtfulPortsOfNode = statement((tx, { nodeId }: { nodeId: number }) =>
  tx
    .selectFrom('ports')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('nics', (join) => join.onRef('nics.port_id', '=', 'ports.id').on('nics.node_id', '=', nodeId))
    .select(['ports.label as port', 'switches.label as switch', 'nics.label as nic'])
    .select(['ports.suspect', 'ports.drift_since', 'ports.reading', 'ports.unread', 'ports.late_until'])
    .where('ports.id', 'in', (of) =>
      of
        .selectFrom('nics')
        .select((select) => select.ref('nics.port_id').$notNull().as('id'))
        .where('nics.node_id', '=', nodeId)
        .where('nics.port_id', 'is not', null)
        .union(of.selectFrom('held_nodes').select('held_nodes.port_id as id').where('held_nodes.node_id', '=', nodeId)),
    )
    .where(isDoubtful),
);

type NamedPort = TrustColumns & { readonly id: number; readonly label: string };

/** The nic of a node leaves a port: one that cannot be trusted keeps the node until it can be. */
export const holdNode = async ({ tx }: WriteOp, port: NamedPort, node: { readonly id: number }): Promise<void> => {
  if (isHarmless(doubtOf(port))) return;
  await tx
    .insertInto('held_nodes')
    .values({ port_id: port.id, node_id: node.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** Ports that were read and carry what is recorded hold nobody any more. */
export const releaseHeldNodes = async (tx: Tx, portIds: readonly number[]): Promise<void> => {
  if (portIds.length > 0) await tx.deleteFrom('held_nodes').where('port_id', 'in', portIds).execute();
};

/** Nothing is wrong, or the switch says that it has no such port: that one carries nothing. */
const isHarmless = (doubt: Doubt | null): doubt is null | Extract<Doubt, { kind: 'drift' }> =>
  doubt === null || (doubt.kind === 'drift' && doubt.seen === null);

/** Refuses to forget a port that is not to be trusted. */
export const requireForgettable = (port: NamedPort, on: { readonly label: string }): void => {
  const doubt = doubtOf(port);
  if (isHarmless(doubt)) return;
  throw blocked(
    `port ${port.label} cannot be deleted: ${doubtSentence(doubt, port.label, on.label)}; ` +
      'if the device no longer exists, repeat the request with force=true',
  );
};
