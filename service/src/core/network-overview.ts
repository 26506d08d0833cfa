import { settledEvents } from '../db/event-order.ts';
import { type Caller, isAdmin } from './caller.ts';
import { grouped } from './grouped.ts';
import { channelsOf, operatorOwner } from './networks.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** A network as `show_network` shows it, with how the caller comes to it and how much is on it. */
interface NetworkOverview {
  readonly name: string;
  readonly network_id: string;
  readonly channels: readonly string[];
  readonly owner: string;
  readonly access: readonly string[] | null;
  /** Why the caller may use it; null: it is shown because the caller is an administrator. */
  readonly use: 'own' | 'granted' | 'public' | null;
  /** How many nodes, and nics of them, are on it, of those that the caller may see. */
  readonly nodes: number;
  readonly nics: number;
}

interface NetworksOverview {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  readonly networks: readonly NetworkOverview[];
}

/** All networks that the caller may see, by three statements. There are no more than VLANs. */
export const networksOverview = async (context: RequestContext): Promise<NetworksOverview> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const networks = await networkRows(op);
    const access = await accessLists(op);
    const seen = networks.flatMap((network) => {
      const list = network.is_public === 1 ? null : (access.get(network.id) ?? []);
      const use = useOf(op.caller, network.owner, list);
      return use === null && !isAdmin(op.caller) ? [] : [{ ...network, list, use }];
    });
    const counts = await countsOf(op);
    return {
      event,
      networks: seen.map((network) => ({
        name: network.label,
        network_id: String(network.vlan),
        channels: channelsOf(network),
        owner: network.owner ?? operatorOwner,
        access: network.list,
        use: network.use,
        nodes: counts.get(network.id)?.nodes ?? 0,
        nics: counts.get(network.id)?.nics ?? 0,
      })),
    };
  });
};

const networkRows = ({ tx }: ReadOp) =>
  tx
    .selectFrom('networks')
    .leftJoin('projects', 'projects.id', 'networks.owner_id')
    .selectAll('networks')
    .select('projects.label as owner')
    .orderBy('networks.label')
    .execute();

const accessLists = async ({ tx }: ReadOp): Promise<ReadonlyMap<number, readonly string[]>> => {
  const rows = await tx
    .selectFrom('network_access')
    .innerJoin('projects', 'projects.id', 'network_access.project_id')
    .select(['network_access.network_id as id', 'projects.label'])
    .execute();
  const lists = grouped(rows, ({ id }) => id);
  return new Map([...lists].map(([id, some]) => [id, some.map(({ label }) => label).sort()]));
};

/** Projects that an administrator is a member of, if any: that administrators may do everything is no answer here. */
const useOf = (caller: Caller, owner: string | null, access: readonly string[] | null): NetworkOverview['use'] => {
  const isMine = (project: string): boolean => caller.kind === 'user' && caller.projects.has(project);
  if (owner !== null && isMine(owner)) return 'own';
  if (access === null) return 'public';
  return access.some(isMine) ? 'granted' : null;
};

/** What is on each network: all of it for administrators and its owner, nodes of their own projects for others. */
const countsOf = async (op: ReadOp) => {
  const { caller } = op;
  const labels = caller.kind === 'user' ? [...caller.projects] : [];
  if (!isAdmin(caller) && labels.length === 0) return new Map<number, { nodes: number; nics: number }>();
  const rows = await op.tx
    .selectFrom('networks')
    .innerJoin('attachments', 'attachments.network_id', 'networks.id')
    .innerJoin('nics', 'nics.id', 'attachments.nic_id')
    .innerJoin('nodes', 'nodes.id', 'nics.node_id')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .leftJoin('projects as owners', 'owners.id', 'networks.owner_id')
    .select('networks.id')
    .select(({ fn }) => [
      fn.count<number>('nodes.id').distinct().as('nodes'),
      fn.count<number>('nics.id').distinct().as('nics'),
    ])
    .$if(!isAdmin(caller), (of) =>
      of.where((where) => where.or([where('projects.label', 'in', labels), where('owners.label', 'in', labels)])),
    )
    .groupBy('networks.id')
    .execute();
  return new Map(rows.map(({ id, nodes, nics }) => [id, { nodes, nics }]));
};
