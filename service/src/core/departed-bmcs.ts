import { blocked, CorralError } from './corral-error.ts';
import type { Node } from './find-objects.ts';
import { isInside } from './inside-address.ts';
import { requireLease } from './leases.ts';
import type { ReadOp, RequestContext, WriteOp } from './request-context.ts';
import { withLease } from './with-lease.ts';

/*
 * The row of a node and its BMC, in the daemon inside this service, cannot go in one transaction. The BMC goes second:
 * in between there is a BMC without a node, and never a node that somebody may reserve without its BMC. What is left to
 * do is recorded with the deletion, so that a process that dies loses nothing; until it is done no node gets the
 * address, or the next node there would lose its own BMC.
 */

/** Records, with the deletion of a node, that its BMC is to go too; unless it is another node's as well. */
export const recordDepartedBmc = async ({ tx }: WriteOp, node: Node): Promise<void> => {
  if (!isInside(node.obm_uri)) return;
  const obm_uri = addressOf(node.obm_uri);
  if (await hasNode({ tx }, obm_uri)) return;
  await tx
    .insertInto('departed_bmcs')
    .values({ obm_uri, node: node.label })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** Refuses an address whose BMC is still to be deleted. */
export const requireNoDepartedBmc = async ({ tx }: ReadOp, uri: string): Promise<void> => {
  if (!isInside(uri)) return;
  const found = await departedAt({ tx }, addressOf(uri));
  if (found === undefined) return;
  throw blocked(`the BMC of node ${found.node}, which was deleted, is still being deleted; try again in a moment`);
};

/** Deletes the BMC at an address, if it is to be deleted. Repeated, it changes nothing. */
export const deleteDepartedBmc = async (context: RequestContext, uri: string): Promise<void> => {
  if (!isInside(uri)) return;
  const obm_uri = addressOf(uri);
  const call = { project: null, at: new URL(uri).origin };
  await context.devices.change(call, ({ obm }) =>
    withLease(context, `bmc/${obm_uri}`, async (held) => {
      const departed = await context.read(async (op) =>
        (await hasNode(op, obm_uri)) ? undefined : departedAt(op, obm_uri),
      );
      if (departed !== undefined) {
        await held.confirm();
        await obm.deleteBmc({ uri: obm_uri, adminToken: '' }, held).catch(unlessMissing);
      }
      await context.writeOutcome(async (op) => {
        await requireLease(op, held.lease);
        await op.tx.deleteFrom('departed_bmcs').where('obm_uri', '=', obm_uri).execute();
      });
    }),
  );
};

/** The addresses of all BMCs that are still to be deleted. */
export const listDepartedBmcs = async ({ tx }: ReadOp): Promise<readonly string[]> => {
  const rows = await tx.selectFrom('departed_bmcs').select('obm_uri').execute();
  return rows.map(({ obm_uri }) => obm_uri);
};

/** Lets pass that the daemon has no BMC there. */
export const unlessMissing = (error: unknown): void => {
  if (!(error instanceof CorralError) || error.type !== 'NotFoundError') throw error;
};

/** The same with or without a slash at its end. */
const addressOf = (uri: string): string => uri.replace(/\/+$/, '');

const departedAt = ({ tx }: Pick<ReadOp, 'tx'>, obm_uri: string): Promise<{ node: string } | undefined> =>
  tx.selectFrom('departed_bmcs').select('node').where('obm_uri', '=', obm_uri).executeTakeFirst();

const hasNode = async ({ tx }: Pick<ReadOp, 'tx'>, address: string): Promise<boolean> => {
  const node = await tx
    .selectFrom('nodes')
    .select('id')
    .where('obm_uri', 'in', [address, `${address}/`])
    .executeTakeFirst();
  return node !== undefined;
};
