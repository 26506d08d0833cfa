import type { Selectable } from 'kysely';
import type { Database } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { notFound } from './corral-error.ts';
import type { ReadOp } from './request-context.ts';

/*
 * Finding is checking: each of these answers with the object or throws NotFound. The permission check
 * stands on the caller's next line.
 */

type Row<Table extends keyof Database> = Selectable<Database[Table]>;

export type Project = Row<'projects'>;
export type Node = Row<'nodes'> & { readonly project: string | null };
export type Nic = Row<'nics'>;
export type Network = Row<'networks'> & { readonly owner: string | null };
export type Switch = Row<'switches'>;
export type Port = Row<'ports'>;
export type Headnode = Row<'headnodes'> & { readonly project: string };
export type Hnic = Row<'hnics'>;
export type User = Row<'users'>;

const orMissing = <T>(found: T | undefined, what: string): T => {
  if (found === undefined) throw notFound(`${what} does not exist`);
  return found;
};

const firstOf = async <T>(query: { executeTakeFirst(): Promise<T | undefined> }, what: string): Promise<T> =>
  orMissing(await query.executeTakeFirst(), what);

export const findProject = async ({ tx }: ReadOp, label: string): Promise<Project> =>
  orMissing(await projectByLabel.first(tx, { label }), `project ${label}`);

const projectByLabel = statement((tx, { label }: { label: string }) =>
  tx.selectFrom('projects').selectAll().where('label', '=', label),
);

export const findNode = async ({ tx }: ReadOp, label: string): Promise<Node> =>
  orMissing(await nodeByLabel.first(tx, { label }), `node ${label}`);

const nodeByLabel = statement((tx, { label }: { label: string }) =>
  tx
    .selectFrom('nodes')
    .leftJoin('projects', 'projects.id', 'nodes.project_id')
    .selectAll('nodes')
    .select('projects.label as project')
    .where('nodes.label', '=', label),
);

export const findNic = async ({ tx }: ReadOp, node: Node, label: string): Promise<Nic> =>
  orMissing(await nicByLabel.first(tx, { nodeId: node.id, label }), `nic ${label} of node ${node.label}`);

const nicByLabel = statement((tx, { nodeId, label }: { nodeId: number; label: string }) =>
  tx.selectFrom('nics').selectAll().where('node_id', '=', nodeId).where('label', '=', label),
);

export const findNetwork = async ({ tx }: ReadOp, label: string): Promise<Network> =>
  orMissing(await networkByLabel.first(tx, { label }), `network ${label}`);

const networkByLabel = statement((tx, { label }: { label: string }) =>
  tx
    .selectFrom('networks')
    .leftJoin('projects', 'projects.id', 'networks.owner_id')
    .selectAll('networks')
    .select('projects.label as owner')
    .where('networks.label', '=', label),
);

export const findSwitch = ({ tx }: ReadOp, label: string): Promise<Switch> =>
  firstOf(tx.selectFrom('switches').selectAll().where('label', '=', label), `switch ${label}`);

export const findPort = ({ tx }: ReadOp, on: Switch, label: string): Promise<Port> =>
  firstOf(
    tx.selectFrom('ports').selectAll().where('switch_id', '=', on.id).where('label', '=', label),
    `port ${label} of switch ${on.label}`,
  );

export const findHeadnode = ({ tx }: ReadOp, label: string): Promise<Headnode> =>
  firstOf(
    tx
      .selectFrom('headnodes')
      .innerJoin('projects', 'projects.id', 'headnodes.project_id')
      .selectAll('headnodes')
      .select('projects.label as project')
      .where('headnodes.label', '=', label),
    `headnode ${label}`,
  );

export const findHnic = ({ tx }: ReadOp, headnode: Headnode, label: string): Promise<Hnic> =>
  firstOf(
    tx.selectFrom('hnics').selectAll().where('headnode_id', '=', headnode.id).where('label', '=', label),
    `hnic ${label} of headnode ${headnode.label}`,
  );

export const findUser = ({ tx }: ReadOp, label: string): Promise<User> =>
  firstOf(tx.selectFrom('users').selectAll().where('label', '=', label), `user ${label}`);

/** The project of a node as an event names it. */
export const audienceOf = (thing: {
  readonly project_id: number | null;
  readonly project: string | null;
}): { id: number; label: string } | null =>
  thing.project_id === null || thing.project === null ? null : { id: thing.project_id, label: thing.project };

/** The owner of a network as an event names it. */
export const ownerOf = (network: Network): { id: number; label: string } | null =>
  audienceOf({ project_id: network.owner_id, project: network.owner });
