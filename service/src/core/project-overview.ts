import { settledEvents } from '../db/event-order.ts';
import { isAdmin, projectLabels } from './caller.ts';
import { grouped } from './grouped.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** A project, how much it has, and who is in it. */
interface ProjectOverview {
  readonly name: string;
  /** As many as `list_project_nodes`, `list_project_networks` and `list_project_headnodes` list. */
  readonly nodes: number;
  readonly networks: number;
  readonly headnodes: number;
  /** Users of this database; null: they are shown to administrators only, as in `list_users`. */
  readonly members: readonly string[] | null;
}

interface ProjectsOverview {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  readonly projects: readonly ProjectOverview[];
  /** Where to go on; null: there are no more. */
  readonly next: string | null;
}

/** A page of the caller's projects, of all for administrators, by five statements. */
export const projectsOverview = async (
  context: RequestContext,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ProjectsOverview> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const found = await pageOf(op, after, limit + 1);
    const page = found.slice(0, limit);
    return {
      event,
      projects: await overviewsOf(op, page),
      next: found.length > limit ? (page.at(-1)?.label ?? null) : null,
    };
  });
};

type ProjectRow = Awaited<ReturnType<typeof pageOf>>[number];

const overviewsOf = async (op: ReadOp, page: readonly ProjectRow[]): Promise<ProjectOverview[]> => {
  if (page.length === 0) return [];
  const ids = page.map(({ id }) => id);
  const nodes = counted(await countIn(op, 'nodes', ids));
  const headnodes = counted(await countIn(op, 'headnodes', ids));
  const networks = counted(await networkCounts(op, ids));
  const members = isAdmin(op.caller) ? grouped(await memberRows(op, ids), ({ id }) => id) : null;
  return page.map(({ id, label }) => ({
    name: label,
    nodes: nodes.get(id) ?? 0,
    networks: networks.get(id) ?? 0,
    headnodes: headnodes.get(id) ?? 0,
    members: members && (members.get(id) ?? []).map((member) => member.label).sort(),
  }));
};

const pageOf = ({ tx, caller }: ReadOp, after: string, limit: number) =>
  tx
    .selectFrom('projects')
    .select(['id', 'label'])
    .where('label', '>', after)
    .$if(!isAdmin(caller), (own) => own.where('label', 'in', projectLabels(caller)))
    .orderBy('label')
    .limit(limit)
    .execute();

const counted = (rows: readonly { readonly id: number | null; readonly count: number }[]) =>
  new Map(rows.map(({ id, count }) => [id, count]));

const countIn = ({ tx }: ReadOp, table: 'nodes' | 'headnodes', ids: readonly number[]) =>
  tx
    .selectFrom(table)
    .select('project_id as id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', 'in', ids)
    .groupBy('project_id')
    .execute();

/** Networks that it owns, or was given access to, each once. */
const networkCounts = ({ tx }: ReadOp, ids: readonly number[]) =>
  tx
    .selectFrom((from) =>
      from
        .selectFrom('networks')
        .select(['networks.owner_id as id', 'networks.id as network'])
        .where('networks.owner_id', 'in', ids)
        .union(
          from
            .selectFrom('network_access')
            .select(['network_access.project_id as id', 'network_access.network_id as network'])
            .where('network_access.project_id', 'in', ids),
        )
        .as('usable'),
    )
    .select('usable.id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('usable.id')
    .execute();

const memberRows = ({ tx }: ReadOp, ids: readonly number[]) =>
  tx
    .selectFrom('user_projects')
    .innerJoin('users', 'users.id', 'user_projects.user_id')
    .select(['user_projects.project_id as id', 'users.label'])
    .where('user_projects.project_id', 'in', ids)
    .execute();
