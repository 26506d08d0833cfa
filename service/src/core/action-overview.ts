import { sql } from 'kysely';
import { settledEvents } from '../db/event-order.ts';
import { pending } from '../db/service-statement.ts';
import { isAdmin, projectLabels } from './caller.ts';
import { actionColumns, type PendingAction, pendingIn } from './pending-action.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** A change that waits for its switch, and whose it is. */
interface ActionOverview extends PendingAction {
  readonly node: string;
  readonly nic: string;
  /** null: the node is free. */
  readonly project: string | null;
  /** false: the last attempt to talk to the switch failed, and is repeated. */
  readonly switch_answers: boolean;
  /** Which switch that is, is for administrators. */
  readonly switch?: string;
  readonly port?: string;
}

interface ActionsOverview {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  readonly actions: readonly ActionOverview[];
  /** Where to go on; null: there are no more. */
  readonly next: string | null;
}

/** A page of the changes that wait, as far as `show_networking_action` shows them to the caller, the oldest first. */
export const actionsOverview = async (
  context: RequestContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ActionsOverview> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const found = await pageOf(op, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      event,
      actions: page.flatMap((row) => overviewOf(row, isAdmin(op.caller))),
      next: found.length > limit && last !== undefined ? String(last.id) : null,
    };
  });
};

type ActionRow = Awaited<ReturnType<typeof pageOf>>[number];

const overviewOf = (row: ActionRow, isOperator: boolean): readonly ActionOverview[] => {
  const action = pendingIn(row);
  if (action === null) return [];
  const { node, nic, project, switch: on, port, faults } = row;
  return [
    {
      ...action,
      node,
      nic,
      project,
      switch_answers: (faults ?? 0) === 0,
      ...(isOperator && on !== null && port !== null ? { switch: on, port } : {}),
    },
  ];
};

/**
 * The id as the database cannot find it by: it would otherwise walk through all actions in their order, and most have
 * ended. By the index of those that wait it looks at these alone.
 */
const order = sql<number>`actions.id + 0`;

const pageOf = ({ tx, caller }: ReadOp, after: number, limit: number) =>
  tx
    .selectFrom('actions')
    .innerJoin('nics', 'nics.id', 'actions.nic_id')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('ports', 'ports.id', 'nics.port_id')
    .leftJoin('switches', 'switches.id', 'ports.switch_id')
    .select(['actions.id', 'nics.label as nic', 'nodes.label as node', 'projects.label as project'])
    .select(['ports.label as port', 'switches.label as switch', 'switches.faults'])
    .select(actionColumns)
    .where('actions.status', '=', pending)
    .where(order, '>', after)
    .$if(!isAdmin(caller), (own) => own.where('projects.label', 'in', projectLabels(caller)))
    .orderBy(order)
    .limit(limit)
    .execute();
