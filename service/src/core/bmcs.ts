import { blocked, notFound } from './corral-error.ts';
import { findNode, type Node } from './find-objects.ts';
import { allOf, withFreshRights } from './fresh-rights.ts';
import { insideAt, isInside } from './inside-address.ts';
import { adminOf, callTo } from './obm.ts';
import type { RequestContext } from './request-context.ts';
import { withLease } from './with-lease.ts';
import type { BmcRegistration, BmcTest, CallPermit, ObmAdmin, ObmClient } from '../drivers/obm/obm-contract.ts';

interface NodeArgs {
  readonly node: string;
}

/** Where the daemon of a node is now; `inside`: it is the one inside this service. */
export const showObmd = async (
  context: RequestContext,
  args: NodeArgs,
): Promise<{ readonly uri: string; readonly inside: boolean }> => {
  const { obm_uri: uri } = await context.read((op) => findNode(op, args.node));
  if (!isInside(uri)) return { uri, inside: false };
  const place = await context.dependencies.ownDaemon.place();
  return { uri: place === null ? uri : insideAt(place, uri), inside: true };
};

/** The kinds of BMC that the daemon of this version knows, and whether one runs inside this service. */
export const listBmcTypes = async ({ dependencies }: RequestContext) => ({
  inside: await dependencies.ownDaemon.isThere(),
  types: dependencies.bmcTypes,
});

/**
 * Registers the BMC of a node with the node's OBM daemon, inside this service or elsewhere: the daemon's admin token is
 * stored with the node, so nobody needs it a second time.
 */
export const bmcRegister = (context: RequestContext, args: NodeArgs & BmcRegistration): Promise<void> => {
  const { node, ...registration } = args;
  return changeBmc(context, node, { type: 'bmc_register', detail: { type: registration.type } }, (obm, admin, permit) =>
    obm.registerBmc(admin, registration, permit),
  );
};

export const bmcDelete = (context: RequestContext, args: NodeArgs): Promise<void> =>
  changeBmc(context, args.node, { type: 'bmc_delete' }, (obm, admin, permit) => obm.deleteBmc(admin, permit));

/** What is registered, without secrets. */
export const showBmc = async (context: RequestContext, args: NodeArgs): Promise<BmcRegistration> => {
  const node = await context.read((op) => findNode(op, args.node));
  const admin = adminOf(context.dependencies, node);
  const bmc = await context.devices.query(`BMC of ${node.id} ${admin.uri}`, callTo(node), ({ obm }) =>
    obm.showBmc(admin),
  );
  await context.requireRights();
  return bmc;
};

/** Has the daemon ask the BMC what it is. It changes nothing, so that those who use the node are not disturbed. */
export const bmcTest = async (context: RequestContext, args: NodeArgs): Promise<BmcTest> => {
  const node = await context.read((op) => findNode(op, args.node));
  return context.devices.change(callTo(node), ({ obm }) =>
    withFreshRights(
      () => context.read((op) => findNode(op, args.node)),
      (found, rights) => obm.testBmc(adminOf(context.dependencies, found), rights),
    ),
  );
};

/**
 * A registration voids the token of the node at the daemon. So OBM has to be disabled, and stays so meanwhile: enabling
 * it takes the same lease.
 */
const changeBmc = async (
  context: RequestContext,
  label: string,
  event: { readonly type: string; readonly detail?: Readonly<Record<string, unknown>> },
  work: (obm: ObmClient, admin: ObmAdmin, permit: CallPermit) => Promise<void>,
): Promise<void> => {
  const found = await context.read((op) => findNode(op, label));
  await context.devices.change(callTo(found), ({ obm }) =>
    withLease(context, `obm/${found.id}`, (held) =>
      withFreshRights(
        async () => {
          const node = await context.read((op) => findNode(op, label));
          // The label changed hands while we waited: the lease is for the one that is gone.
          if (node.id !== found.id) throw notFound(`node ${label} does not exist`);
          await held.confirm();
          return node;
        },
        async (node, rights) => {
          requireDisabled(node);
          await work(obm, adminOf(context.dependencies, node), allOf(rights, held));
          await context.writeOutcome((op) => {
            op.record({ ...event, node: label });
            return Promise.resolve();
          });
        },
      ),
    ),
  );
};

const requireDisabled = ({ label, obm_token }: Node): void => {
  if (obm_token === null) return;
  throw blocked(`OBM of node ${label} is enabled, and a change of its BMC would end that; disable it first`);
};
