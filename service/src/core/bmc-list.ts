import { isInside, insideAt } from './inside-address.ts';
import { CorralError } from './corral-error.ts';
import type { DeviceCall } from './device-calls.ts';
import { adminOf } from './obm.ts';
import type { Node } from './find-objects.ts';
import type { RequestContext } from './request-context.ts';
import type { BmcRegistration, ObmAdmin } from '../drivers/obm/obm-contract.ts';

interface ListedBmc {
  readonly node: string;
  /** Where its OBM daemon has it now; `inside`: the daemon is the one inside this service. */
  readonly uri: string;
  readonly inside: boolean;
  /** null: none is registered, or the daemon was not read. */
  readonly bmc: BmcRegistration | null;
}

interface BmcList {
  readonly bmcs: readonly ListedBmc[];
  /** Why a daemon was not read, by its address. */
  readonly unread: Readonly<Record<string, string>>;
}

type NodeAtDaemon = Pick<Node, 'id' | 'label' | 'obm_uri' | 'obm_admin_token'>;

/** Nodes that one question to one daemon is for. */
interface DaemonNodes {
  readonly nodes: NodeAtDaemon[];
  /** The daemon itself, with its token; null: its list is not beside the address of its nodes. */
  readonly root: ObmAdmin | null;
}

/** How many daemons, or nodes of daemons without a list, are asked at once. */
const concurrency = 8;

/** The BMCs of all nodes, without secrets: one question to each OBM daemon. */
export const listBmcs = async (context: RequestContext): Promise<BmcList> => {
  const nodes = await context.read(({ tx }) =>
    tx.selectFrom('nodes').select(['id', 'label', 'obm_uri', 'obm_admin_token']).execute(),
  );
  nodes.sort((a, b) => (a.label < b.label ? -1 : 1));
  const place = await context.dependencies.ownDaemon.place();
  const shownUri = ({ obm_uri }: NodeAtDaemon): string =>
    place !== null && isInside(obm_uri) ? insideAt(place, obm_uri) : obm_uri;
  const found = new Map<number, BmcRegistration | null>();
  const unread = new Map<string, string>();

  await eachOf(byDaemon(context, nodes), async ({ nodes: [first, ...others], root }) => {
    if (first === undefined) return;
    const daemon = new URL(shownUri(first)).origin;
    try {
      const list = root === null ? null : await askList(context, first, root);
      if (list === null) await askEach(context, [first, ...others], found);
      else for (const node of [first, ...others]) found.set(node.id, list.get(idOf(node.obm_uri) ?? '') ?? null);
    } catch (error) {
      if (!(error instanceof CorralError) || error.type !== 'OBMError') throw error;
      unread.set(daemon, error.forAdmins);
    }
  });
  await context.requireRights();
  return {
    bmcs: nodes.map((node) => ({
      node: node.label,
      uri: shownUri(node),
      inside: isInside(node.obm_uri),
      bmc: found.get(node.id) ?? null,
    })),
    unread: Object.fromEntries(unread),
  };
};

const askList = (context: RequestContext, node: NodeAtDaemon, root: ObmAdmin) =>
  context.devices.query(`BMCs of ${root.uri} ${node.id}`, forOperator(node), ({ obm }) => obm.listBmcs(root));

/** A call for nobody's project. */
const forOperator = ({ obm_uri }: NodeAtDaemon): DeviceCall => ({ project: null, at: new URL(obm_uri).origin });

/** For daemons that have no list of BMCs with their fields. */
const askEach = (
  context: RequestContext,
  nodes: readonly NodeAtDaemon[],
  found: Map<number, BmcRegistration | null>,
): Promise<void> =>
  eachOf(nodes, async (node) => {
    const admin = adminOf(context.dependencies, node);
    const asked = context.devices.query(`BMC of ${node.id} ${admin.uri}`, forOperator(node), ({ obm }) =>
      obm.showBmc(admin),
    );
    const bmc = await asked.catch((error: unknown) => {
      if (error instanceof CorralError && error.type === 'NotFoundError') return null;
      throw error;
    });
    found.set(node.id, bmc);
  });

/** The daemon of our own kind that has a node has `/nodes` beside `/node/<id>`. */
const ofNode = /^(.*)\/node\/([^/?#]+)\/*$/;

const idOf = (uri: string): string | null => {
  const id = ofNode.exec(uri)?.[2];
  return id === undefined ? null : decodeURIComponent(id);
};

/** Nodes with the same daemon and the same token are asked for together. */
const byDaemon = ({ dependencies }: RequestContext, nodes: readonly NodeAtDaemon[]): DaemonNodes[] => {
  const groups = new Map<string, DaemonNodes>();
  for (const node of nodes) {
    const base = ofNode.exec(node.obm_uri)?.[1];
    const { adminToken } = adminOf(dependencies, node);
    const isOwn = isInside(node.obm_uri);
    const key = JSON.stringify(base === undefined ? [new URL(node.obm_uri).origin] : [base, isOwn ? '' : adminToken]);
    const group = groups.get(key) ?? { nodes: [], root: base === undefined ? null : { uri: `${base}/`, adminToken } };
    group.nodes.push(node);
    groups.set(key, group);
  }
  return [...groups.values()];
};

/** Works through a list, several at a time; the first failure ends it. */
const eachOf = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
};
