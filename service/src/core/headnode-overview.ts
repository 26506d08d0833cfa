import { settledEvents } from '../db/event-order.ts';
import { isAdmin, projectLabels, requireProject } from './caller.ts';
import { findProject, type Headnode } from './find-objects.ts';
import { grouped } from './grouped.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** A headnode as `show_headnode` shows it, with its state and the networks of its hnics. */
interface HeadnodeOverview {
  readonly name: string;
  readonly project: string;
  readonly uuid: string;
  readonly base_img: string;
  /** What is recorded, which the refusals of the calls tell too; the hypervisor is not asked. */
  readonly state: Headnode['state'];
  /** The hypervisor is at it, or was when a process ended. */
  readonly in_progress: boolean;
  /** Only the hypervisor knows it. */
  readonly vncport: null;
  readonly hnics: readonly { readonly label: string; readonly network: string | null }[];
}

interface HeadnodeQuery {
  readonly project?: string;
  /** The label after which the page begins. */
  readonly after: string;
  readonly limit: number;
}

interface HeadnodesOverview {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  readonly headnodes: readonly HeadnodeOverview[];
  /** Where to go on; null: there are no more. */
  readonly next: string | null;
}

/** A page of the headnodes that the caller may see, by two statements. */
export const headnodesOverview = async (context: RequestContext, query: HeadnodeQuery): Promise<HeadnodesOverview> => {
  const { limit } = query;
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const found = await pageOf(op, query);
    const page = found.slice(0, limit);
    const ids = page.map(({ id }) => id);
    const hnics = grouped(ids.length === 0 ? [] : await hnicRows(op, ids), ({ headnodeId }) => headnodeId);
    return {
      event,
      headnodes: page.map(({ id, label, project, uuid, base_img, state, making }) => ({
        name: label,
        project,
        uuid,
        base_img,
        state,
        in_progress: making === 1 || state === 'deleting',
        vncport: null,
        hnics: (hnics.get(id) ?? [])
          .map((hnic) => ({ label: hnic.label, network: hnic.network }))
          .sort((a, b) => (a.label < b.label ? -1 : 1)),
      })),
      next: found.length > limit ? (page.at(-1)?.label ?? null) : null,
    };
  });
};

/** One more than the page has: it tells whether there is a next. */
const pageOf = async (op: ReadOp, { project, after, limit }: HeadnodeQuery) => {
  const { tx, caller } = op;
  const page = tx
    .selectFrom('headnodes')
    .innerJoin('projects', 'projects.id', 'headnodes.project_id')
    .select(['headnodes.id', 'headnodes.label', 'headnodes.uuid', 'headnodes.base_img'])
    .select(['headnodes.state', 'headnodes.making', 'projects.label as project'])
    .where('headnodes.label', '>', after)
    .$if(!isAdmin(caller), (own) => own.where('projects.label', 'in', projectLabels(caller)))
    .orderBy('headnodes.label')
    .limit(limit + 1);
  if (project === undefined) return page.execute();
  const { id, label } = await findProject(op, project);
  requireProject(caller, label);
  return page.where('headnodes.project_id', '=', id).execute();
};

const hnicRows = ({ tx }: ReadOp, headnodeIds: readonly number[]) =>
  tx
    .selectFrom('hnics')
    .leftJoin('networks', 'networks.id', 'hnics.network_id')
    .select(['hnics.headnode_id as headnodeId', 'hnics.label', 'networks.label as network'])
    .where('hnics.headnode_id', 'in', headnodeIds)
    .execute();
