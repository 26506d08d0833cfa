import { randomUUID } from 'node:crypto';
import { onAbort } from '@corral/base/abort';
import type { ConsoleConnection, ConsoleUse, ObmAccess, ObmAnswer, ObmClient } from '../drivers/obm/obm-contract.ts';
import type { ConsoleSession } from './console-sessions.ts';
import { blocked } from './corral-error.ts';
import { audienceOf, type Node } from './find-objects.ts';
import { allOf, type FreshRights } from './fresh-rights.ts';
import { withLease } from './with-lease.ts';
import { callDaemon, changeNode, findAccess, findManageable } from './obm.ts';
import type { ReadOp, RequestContext, WriteOp } from './request-context.ts';

export { ConsoleSessions } from './console-sessions.ts';

/**
 * Opens a node's console. The newest client of a node is the one on record, and every process cuts off
 * those who are not. The daemon is called under a lease, after the previous client has released it: a
 * call that is overtaken on its way would otherwise take the console from its new owner.
 */
export const showConsole = (
  context: RequestContext,
  args: { node: string; use: ConsoleUse },
  signal: AbortSignal,
): Promise<ConsoleSession> => changeNode(context, args.node, (obm) => openConsole(context, obm, args, signal));

const openConsole = async (
  context: RequestContext,
  obm: ObmClient,
  args: { node: string; use: ConsoleUse },
  signal: AbortSignal,
): Promise<ConsoleSession> => {
  requireConnected(args.node, signal);
  const id = randomUUID();
  const node = await context.write((op) => takeOver(op, args.node, id));
  const session = context.dependencies.consoles.open({ id, nodeId: node.id }, args.use);
  onAbort(signal, () => session.cut(null));
  try {
    await connect(context, obm, node, session, args.use);
    return session;
  } catch (error) {
    session.stream.destroy();
    throw error;
  }
};

/** Who opened a console, and when; null: that is no longer in the history. */
interface ConsoleClient {
  readonly caller: string | null;
  readonly since: string | null;
}

/** The client on record for a node's console: the one that loses it to the next. */
export const showConsoleClient = async (
  op: ReadOp,
  args: { readonly node: string },
): Promise<{ readonly client: ConsoleClient | null }> => {
  const { id, label } = await findManageable(op, args.node);
  const open = await op.tx.selectFrom('consoles').select('session').where('node_id', '=', id).executeTakeFirst();
  if (open === undefined) return { client: null };
  // The transaction that recorded the client has written this event too.
  const opened = await op.tx
    .selectFrom('events')
    .select(['caller', 'at'])
    .where('node', '=', label)
    .where('type', '=', 'show_console')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    client: {
      caller: opened?.caller ?? null,
      since: opened === undefined ? null : new Date(opened.at).toISOString(),
    },
  };
};

/** A client may leave while it waits for its turn: the current holder then keeps the console. */
const requireConnected = (node: string, signal: AbortSignal): void => {
  if (signal.aborted) throw blocked(`the request for the console of node ${node} was cancelled`);
};

const takeOver = async (op: WriteOp, label: string, session: string): Promise<Node> => {
  const { node } = await findAccess(op, label);
  await op.tx
    .insertInto('consoles')
    .values({ node_id: node.id, session })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ session }))
    .execute();
  op.record({ type: 'show_console', projects: [audienceOf(node)], node: node.label });
  op.notify('consoles');
  return node;
};

const connect = async (
  context: RequestContext,
  obm: ObmClient,
  { id, label }: Node,
  session: ConsoleSession,
  use: ConsoleUse,
): Promise<void> => {
  try {
    await withLease(context, `console/${id}`, async (held) => {
      await context.dependencies.consoles.cutReplaced();
      const open = async (access: ObmAccess, rights: FreshRights): Promise<ObmAnswer<ConsoleConnection>> => {
        await held.confirm();
        return obm.console(access, use, session.signal, allOf(rights, held));
      };
      session.follow(await callDaemon(context, label, open));
    });
  } catch (error) {
    if (!session.signal.aborted) throw error;
    // Cut off before it began: an error if OBM was disabled meanwhile; if somebody took over, just a short console.
    await context.read((op) => findAccess(op, label));
  }
};
