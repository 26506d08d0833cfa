import { randomUUID } from 'node:crypto';
import { onAbort } from '@corral/base/abort';
import type { ConsoleLine, ConsoleUse, ObmAccess, ObmAnswer, ObmClient } from '../drivers/obm/contract.ts';
import type { ConsoleSession } from './console-sessions.ts';
import { blocked } from './errors.ts';
import { audienceOf, type Node } from './find.ts';
import { exclusively } from './exclusively.ts';
import { carry, changeNode, findAccess } from './obm.ts';
import type { Desk, WriteOp } from './op.ts';

export { ConsoleSessions } from './console-sessions.ts';

/**
 * Opens a node's console. The newest client of a node is the one on record, and every process cuts off
 * those who are not. The daemon is called under a lease, after the previous client has released it: a
 * call that is overtaken on its way would otherwise take the console from its new owner.
 */
export const showConsole = (
  desk: Desk,
  args: { node: string; use: ConsoleUse },
  signal: AbortSignal,
): Promise<ConsoleSession> => changeNode(desk, args.node, (obm) => openConsole(desk, obm, args, signal));

const openConsole = async (
  desk: Desk,
  obm: ObmClient,
  args: { node: string; use: ConsoleUse },
  signal: AbortSignal,
): Promise<ConsoleSession> => {
  requireWanted(args.node, signal);
  const id = randomUUID();
  const node = await desk.write((op) => takeOver(op, args.node, id));
  const session = desk.site.consoles.open({ id, nodeId: node.id }, args.use);
  onAbort(signal, () => session.cut(null));
  try {
    await connect(desk, obm, node, session, args.use);
    return session;
  } catch (error) {
    session.stream.destroy();
    throw error;
  }
};

/** A client may leave while it waits for its turn: the current holder then keeps the console. */
const requireWanted = (node: string, signal: AbortSignal): void => {
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
  op.ring('consoles');
  return node;
};

const connect = async (
  desk: Desk,
  obm: ObmClient,
  { id, label }: Node,
  session: ConsoleSession,
  use: ConsoleUse,
): Promise<void> => {
  try {
    await exclusively(desk, `console/${id}`, async (held) => {
      await desk.site.consoles.cutReplaced();
      const open = async (access: ObmAccess): Promise<ObmAnswer<ConsoleLine>> => {
        await held.confirm();
        return obm.console(access, use, session.signal, held);
      };
      session.follow(await carry(desk, label, open));
    });
  } catch (error) {
    if (!session.signal.aborted) throw error;
    // Cut off before it began: an error if OBM was disabled meanwhile; if somebody took over, just a short console.
    await desk.read((op) => findAccess(op, label));
  }
};
