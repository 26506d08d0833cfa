import { requireProject } from './caller.ts';
import type { DeviceCall } from './device-calls.ts';
import { badArgument, blocked, obmFailed } from './corral-error.ts';
import { requireNoDepartedBmc } from './departed-bmcs.ts';
import { audienceOf, findNode, type Node } from './find-objects.ts';
import type { NextBoot, ObmAccess, ObmAdmin, ObmAnswer, ObmClient } from '../drivers/obm/obm-contract.ts';
import { requireGate } from './gate.ts';
import { withLease } from './with-lease.ts';
import { allOf, type FreshRights, withFreshRights } from './fresh-rights.ts';
import type { HeldLease } from '@corral/base/db/held-lease';
import { requireLease } from './leases.ts';
import { obmUri } from './obm-uri.ts';
import { requireNoRelease } from './releases.ts';
import { recordPower } from './usage-ledger.ts';
import type { RequestContext, ReadOp } from './request-context.ts';
import type { TransactionDependencies } from './dependencies.ts';

interface NodeArgs {
  readonly node: string;
}

/** A node that the caller may manage out of band; a free one belongs to the operator. */
export const findManageable = async (op: ReadOp, label: string): Promise<Node> => {
  const node = await findNode(op, label);
  requireProject(op.caller, node.project);
  return node;
};

/** A call to the daemon of a node. */
export const callTo = (node: Node): DeviceCall => ({ project: node.project, at: new URL(node.obm_uri).origin });

/** The daemon of a node, with the token that opens it. */
export const adminOf = (
  dependencies: TransactionDependencies,
  node: Pick<Node, 'obm_uri' | 'obm_admin_token'>,
): ObmAdmin => ({
  uri: node.obm_uri,
  adminToken: dependencies.vault.open(node.obm_admin_token),
});

/**
 * Enables or disables OBM. The daemon is called before the database commits: a crash in between leaves a
 * token that nobody knows, or none, so access is off and never on.
 */
export const nodeSetObm = (context: RequestContext, args: NodeArgs & { enabled: boolean }): Promise<void> =>
  setObm(context, args.enabled, async (op) => {
    const node = await findManageable(op, args.node);
    if (args.enabled) await requireNoRelease(op, node);
    return node;
  });

/** `find` answers with the node, or throws if it may not be changed: it is asked again in every transaction. */
export const setObm = async (
  context: RequestContext,
  enabled: boolean,
  find: (op: ReadOp) => Promise<Node>,
): Promise<void> => {
  const found = await context.read(find);
  await context.devices.change(callTo(found), ({ obm }) =>
    withLease(context, `obm/${found.id}`, (held) =>
      withFreshRights(
        async () => {
          const node = await context.read(find);
          await held.confirm();
          return node;
        },
        async (node, rights) => {
          if ((node.obm_token !== null) === enabled) return;
          await (enabled ? enable : disable)({ context, obm, node, find, held, rights });
        },
      ),
    ),
  );
};

interface NodeSetObmd extends NodeArgs {
  readonly uri: string;
  readonly admin_token: string;
}

/**
 * Tells where the OBM daemon of a node is now. Access stays as it is: the same daemon at another address knows its
 * token, and another one is asked for a new token by disabling OBM and enabling it again.
 */
export const nodeSetObmd = async (context: RequestContext, args: NodeSetObmd): Promise<void> => {
  const obm_uri = await obmUri(args.uri, context.dependencies);
  const { id } = await context.read((op) => findNode(op, args.node));
  await withLease(context, `obm/${id}`, ({ lease }) =>
    context.write(async (op) => {
      await requireLease(op, lease);
      const node = await findNode(op, args.node);
      await requireNoDepartedBmc(op, obm_uri);
      const obm_admin_token = op.dependencies.vault.seal(args.admin_token);
      await op.tx.updateTable('nodes').set({ obm_uri, obm_admin_token }).where('id', '=', node.id).execute();
      op.record({ type: 'node_set_obmd', node: node.label });
    }),
  );
};

/**
 * Two nodes with one address are one machine with two names: the holder of one would control the power of the other.
 */
const requireOwnAddress = async ({ tx }: ReadOp, node: Node): Promise<void> => {
  const address = node.obm_uri.replace(/\/+$/, '');
  const other = await tx
    .selectFrom('nodes')
    .select('label')
    .where('obm_uri', 'in', [address, `${address}/`])
    .where('obm_token', 'is not', null)
    .where('id', '!=', node.id)
    .executeTakeFirst();
  if (other === undefined) return;
  throw blocked(
    `node ${node.label} has the same OBM address as node ${other.label}, whose OBM is enabled; an administrator has to correct one of them`,
  );
};

interface ObmChange {
  readonly context: RequestContext;
  readonly obm: ObmClient;
  readonly node: Node;
  readonly find: (op: ReadOp) => Promise<Node>;
  readonly held: HeldLease;
  readonly rights: FreshRights;
}

const enable = async ({ context, obm, node, find, held, rights }: ObmChange): Promise<void> => {
  await context.read(async (op) => {
    await requireGate(op, node, 'cleaning');
    await requireOwnAddress(op, node);
  });
  const admin = adminOf(context.dependencies, node);
  const token = await obm.createToken(admin, allOf(rights, held));
  try {
    await context.write(async (op) => {
      await requireLease(op, held.lease);
      const current = await find(op);
      if (current.id !== node.id || current.project_id !== node.project_id) {
        throw blocked(`node ${node.label} changed projects in the meantime; try again`);
      }
      await requireGate(op, current, 'cleaning');
      await requireOwnAddress(op, current);
      await op.tx
        .updateTable('nodes')
        .set({ obm_token: op.dependencies.vault.seal(token) })
        .where('id', '=', node.id)
        .execute();
      op.record({ type: 'node_enable_obm', projects: [audienceOf(current)], node: node.label });
    });
  } catch (error) {
    // Nobody knows the token, so access is off already; taking it back is tidiness, unless somebody has a newer one.
    await held
      .renew()
      .then(() => obm.destroyToken(admin, held))
      .catch(() => undefined);
    throw error;
  }
};

const disable = async ({ context, obm, node, held, rights }: ObmChange): Promise<void> => {
  await obm.destroyToken(adminOf(context.dependencies, node), allOf(rights, held));
  await context.writeOutcome(async (op) => {
    await requireLease(op, held.lease);
    const current = await findNode(op, node.label);
    await op.tx.updateTable('nodes').set({ obm_token: null }).where('id', '=', node.id).execute();
    await op.tx.deleteFrom('consoles').where('node_id', '=', node.id).execute();
    op.record({ type: 'node_disable_obm', projects: [audienceOf(current)], node: node.label });
    op.notify('consoles');
  });
};

const disabled = (node: { readonly label: string }) =>
  blocked(`OBM of node ${node.label} is not enabled; enable it first`);

/** A node whose OBM is enabled, with its token opened. */
export const findAccess = async (op: ReadOp, label: string): Promise<{ node: Node; access: ObmAccess }> => {
  const node = await findManageable(op, label);
  if (node.obm_token === null) throw disabled(node);
  return { node, access: { uri: node.obm_uri, token: op.dependencies.vault.open(node.obm_token) } };
};

/**
 * Carries one call through to the daemon. A refused token is checked twice: OBM that was disabled
 * meanwhile is the caller's 409, a token that was replaced meanwhile is tried once more.
 */
export const callDaemon = async <T>(
  context: RequestContext,
  label: string,
  call: (access: ObmAccess, rights: FreshRights, node: Node) => Promise<ObmAnswer<T>>,
): Promise<T> => {
  let refused: string | null = null;
  for (;;) {
    const { node, access, answer } = await withFreshRights(
      () => context.read((op) => findAccess(op, label)),
      async (found, rights) => {
        if (found.access.token === refused) {
          throw obmFailed(
            `the OBM daemon of node ${label} rejects the token that it issued; disable OBM of the node and enable it again`,
          );
        }
        return { ...found, answer: await call(found.access, rights, found.node) };
      },
    );
    if (answer.kind === 'done') return answer.value;
    if (answer.kind === 'rejected') throw badArgument(`the OBM daemon of node ${label} refused: ${answer.reason}`);
    refused = access.token;
    // Disabling tells the daemon first and the database after: what the refusal means is known when that is over.
    await withLease(context, `obm/${node.id}`, () => Promise.resolve());
  }
};

/** What was done to a node out of band is recorded, even if the caller has lost access since; a query is not. */
const recorded = async (
  context: RequestContext,
  args: NodeArgs,
  type: string,
  detail: Record<string, unknown> = {},
): Promise<void> =>
  context.writeOutcome(async (op) => {
    const node = await findNode(op, args.node);
    await recordPower(op, node, audienceOf(node), type);
    op.record({ type, projects: [audienceOf(node)], node: node.label, detail });
  });

/** Changes a node whose OBM is enabled, or opens its console. */
export const changeNode = async <T>(
  context: RequestContext,
  label: string,
  work: (obm: ObmClient, node: Node) => Promise<T>,
): Promise<T> => {
  const { node } = await context.read((op) => findAccess(op, label));
  return context.devices.change(callTo(node), ({ obm }) => work(obm, node));
};

/** Changes a node by one call to its daemon. */
const changeByCall = <T>(
  context: RequestContext,
  { node }: NodeArgs,
  call: (obm: ObmClient, access: ObmAccess, rights: FreshRights) => Promise<ObmAnswer<T>>,
): Promise<T> =>
  changeNode(context, node, (obm) => callDaemon(context, node, (access, rights) => call(obm, access, rights)));

export const nodePowerOn = async (context: RequestContext, args: NodeArgs): Promise<void> => {
  await changeByCall(context, args, (obm, access, rights) => obm.powerOn(access, rights));
  await recorded(context, args, 'node_power_on');
};

export const nodePowerOff = async (context: RequestContext, args: NodeArgs): Promise<void> => {
  await changeByCall(context, args, (obm, access, rights) => obm.powerOff(access, rights));
  await recorded(context, args, 'node_power_off');
};

/** What an event says of a boot from the network that is not quite what the interface promises. */
const bootNotes: Readonly<Record<NextBoot, { readonly boot: string; readonly note?: string }>> = {
  once: { boot: 'pxe once' },
  lasting: {
    boot: 'pxe',
    note: 'the OBM daemon or the BMC cannot set a boot device for one boot only: the node boots from the network until its boot device is set to something else',
  },
  unknown: {
    boot: 'unchanged',
    note: 'the OBM daemon or the BMC does not support boot device pxe: the node boots from its configured device',
  },
};

/** Boots from the network next, and only then, as the interface says; the daemon's own power_cycle may do so too. */
export const nodePowerCycle = async (context: RequestContext, args: NodeArgs & { force?: boolean }): Promise<void> => {
  const force = args.force ?? false;
  const nextBoot = await changeNode(context, args.node, async (obm) => {
    const boot = await callDaemon(context, args.node, (access, rights) => obm.setNextBoot(access, 'pxe', rights));
    await callDaemon(context, args.node, (access, rights) => obm.powerCycle(access, force, rights));
    return boot;
  });
  await recorded(context, args, 'node_power_cycle', { force, ...bootNotes[nextBoot] });
};

export const nodeSetBootdev = async (context: RequestContext, args: NodeArgs & { bootdev: string }): Promise<void> => {
  await changeByCall(context, args, (obm, access, rights) => obm.setBootDevice(access, args.bootdev, rights));
  await recorded(context, args, 'node_set_bootdev', { bootdev: args.bootdev });
};

export const nodePowerStatus = async (context: RequestContext, args: NodeArgs): Promise<{ power_status: string }> => {
  const power_status = await callDaemon(context, args.node, (access, _rights, node) =>
    // By the token too: what is asked under another one is another project's question.
    context.devices.query(`power status of ${node.id} ${access.token}`, callTo(node), ({ obm }) =>
      obm.powerStatus(access),
    ),
  );
  await context.requireRights();
  return { power_status };
};
