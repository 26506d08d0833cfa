import type { SelectQueryBuilder } from 'kysely';
import type { Db } from '../db/db.ts';
import { aggregate } from '../db/statement.ts';
import type { Database } from '../db/schema.ts';
import { isAdmin, mayActFor, nameOf } from './caller.ts';
import { unauthorized } from './errors.ts';
import { type EventObject, eventObjects } from './events.ts';
import type { ReadOp } from './op.ts';

/** What to look for in the record of everything that happened. */
export type EventFilter = Readonly<Partial<Record<EventObject, string>>> & {
  readonly project?: string;
  readonly caller?: string;
  readonly type?: string;
  /** Milliseconds since 1970, both ends included. */
  readonly since?: number;
  readonly until?: number;
};

/** Where a page begins: events with a larger id (forward) or a smaller one (backward). */
export type EventPage = { readonly limit: number } & ({ readonly after: number } | { readonly before: number | null });

export type EventView = {
  readonly id: number;
  readonly at: string;
  readonly type: string;
  readonly caller: string;
  readonly request_id: string | null;
  readonly project: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
} & Readonly<Partial<Record<EventObject, string>>>;

/** Where a node is plugged in is the operator's business. */
const adminOnly: readonly EventObject[] = ['switch', 'port'];

/** Events that the caller may see: an administrator all, a member those of his projects. */
export const listEvents = async (op: ReadOp, filter: EventFilter, page: EventPage): Promise<EventView[]> => {
  const isForward = 'after' in page;
  let query = (await visibleEvents(op, filter)).selectAll('events').limit(page.limit);
  if (isForward) query = query.where('events.id', '>', page.after).orderBy('events.id', 'asc');
  else query = query.orderBy('events.id', 'desc');
  if (!isForward && page.before !== null) query = query.where('events.id', '<', page.before);
  for (const object of eventObjects) {
    const label = filter[object];
    if (label !== undefined && !isAdmin(op.caller) && adminOnly.includes(object)) {
      throw unauthorized(
        `switches and ports are shown to administrators only, so ${nameOf(op.caller)} cannot filter by ${object}`,
      );
    }
    if (label !== undefined) query = query.where(`events.${object}`, '=', label);
  }
  if (filter.caller !== undefined) query = query.where('events.caller', '=', filter.caller);
  if (filter.type !== undefined) query = query.where('events.type', '=', filter.type);
  if (filter.since !== undefined) query = query.where('events.at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('events.at', '<=', filter.until);
  const hidden = isAdmin(op.caller) ? [] : adminOnly;
  return (await query.execute()).map((row) => viewOf(row, hidden));
};

/** The id of the newest event: it stands for the state of everything that events record. */
export const newestEvent = async (ask: Db['ask']): Promise<number> => {
  const [row] = await ask(newest, {});
  return row?.id ?? 0;
};

const newest = aggregate((tx) => tx.selectFrom('events').select(({ fn }) => fn.max<number | null>('id').as('id')));

const visibleEvents = async (op: ReadOp, { project }: EventFilter) => {
  const events: SelectQueryBuilder<Database, 'events', object> = op.tx.selectFrom('events');
  if (isAdmin(op.caller)) {
    return project === undefined
      ? events
      : events.where('events.id', 'in', (of) =>
          of.selectFrom('event_projects').select('event_id').where('event_projects.project', '=', project),
        );
  }
  if (project !== undefined && !mayActFor(op.caller, project)) {
    throw unauthorized(`${nameOf(op.caller)} has no access to project ${project}`);
  }
  const mine = op.caller.kind === 'user' ? [...op.caller.projects] : [];
  const labels = project === undefined ? mine : [project];
  const rows =
    labels.length === 0 ? [] : await op.tx.selectFrom('projects').select('id').where('label', 'in', labels).execute();
  // By id: a project made anew under an old label does not inherit the old one's history.
  const ids = [-1, ...rows.map(({ id }) => id)];
  return events.where('events.id', 'in', (of) =>
    of.selectFrom('event_projects').select('event_id').where('event_projects.project_id', 'in', ids),
  );
};

const viewOf = (
  row: {
    id: number;
    at: number;
    type: string;
    caller: string;
    request_id: string | null;
    project: string | null;
    detail: string;
  } & Record<EventObject, string | null>,
  hidden: readonly EventObject[],
): EventView => ({
  id: row.id,
  at: new Date(row.at).toISOString(),
  type: row.type,
  caller: row.caller,
  request_id: row.request_id,
  project: row.project,
  ...Object.fromEntries(
    eventObjects.flatMap((object) => (row[object] === null || hidden.includes(object) ? [] : [[object, row[object]]])),
  ),
  detail: JSON.parse(row.detail) as Record<string, unknown>,
});
