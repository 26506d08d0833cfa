import { type Caller, isAdmin, mayActFor, nameOf } from './caller.ts';
import { unauthorized } from './corral-error.ts';
import { type EventSource, type EventStart, eventWindow, indexedColumns } from './event-window.ts';
import { type EventObject, eventObjects } from './events.ts';
import { settledWith } from '../db/event-order.ts';
import { statement } from '../db/service-statement.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** What to look for in the record of everything that happened. */
export type EventFilter = Readonly<Partial<Record<EventObject, string>>> & {
  readonly project?: string;
  readonly caller?: string;
  readonly type?: string;
  /** Milliseconds since 1970, both ends included. */
  readonly since?: number;
  readonly until?: number;
};

/** Where a page begins, up to which id events are settled, and how many it has at most. */
export type EventPage = { readonly limit: number; readonly settled: number } & EventStart;

/** A page. `next` is where to go on: the last id that was read. Null: there is nothing more. */
export interface EventList {
  readonly events: readonly EventView[];
  readonly next: number | null;
}

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

/**
 * How many events one call looks at. With several filters, or times, no index finds what fits: a call then gives what
 * it found so far, if anything, and says where to go on.
 */
const mostScanned = 2_000;

/** Events that the caller may see: an administrator all, a member those of their projects. */
export const listEvents = async (op: ReadOp, filter: EventFilter, page: EventPage): Promise<EventList> => {
  requireOwnFilters(op.caller, filter);
  const { source, others } = await planFor(op, filter);
  const { limit } = page;
  // One more tells whether there is a next page.
  const most = others.length === 0 ? limit + 1 : Math.max(mostScanned, limit + 1);
  const ids = await eventWindow(op.tx, source, startOf(page), most);
  const rows = await rowsOf(op.tx, others.length === 0 ? ids.slice(0, limit) : ids, others, {
    limit: limit + 1,
    order: 'after' in page ? 'asc' : 'desc',
  });
  const hidden = isAdmin(op.caller) ? [] : adminOnly;
  const events = rows.slice(0, limit).map((row) => eventView(row, hidden));
  const hasMore = others.length === 0 ? ids.length > limit : rows.length > limit;
  if (hasMore) return { events, next: events.at(-1)?.id ?? null };
  return { events, next: others.length > 0 && ids.length === most ? (ids.at(-1) ?? null) : null };
};

/** Of all events, those after an id, or null: something that is committed is not settled yet. For administrators only. */
export const allEventsAfter = async (
  context: Pick<RequestContext, 'caller' | 'queryPair'>,
  after: number,
  limit: number,
): Promise<(EventList & { readonly settled: number }) | null> => {
  if (!isAdmin(context.caller)) throw unauthorized(`${nameOf(context.caller)} may not see everything that happened`);
  const found = await settledWith(context.queryPair, eventsAfter, { after, most: limit + 1 });
  if (found === null) return null;
  const { settled } = found;
  const rows = found.rows.filter(({ id }) => id <= settled);
  const events = rows.slice(0, limit).map((row) => eventView(row));
  return { settled, events, next: rows.length > limit ? (events.at(-1)?.id ?? null) : null };
};

const eventsAfter = statement((tx, { after, most }: { after: number; most: number }) =>
  tx.selectFrom('events').selectAll().where('id', '>', after).orderBy('id', 'asc').limit(most),
);

/** Nothing that is not settled: who goes on from there would miss what comes before it. */
const startOf = (page: EventPage): EventStart =>
  'after' in page
    ? { after: page.after, upTo: page.settled }
    : { before: Math.min(page.before ?? Infinity, page.settled + 1) };

/** Refuses filters by what is shown to administrators only. */
export const requireOwnFilters = (caller: Caller, filter: EventFilter): void => {
  const refused = isAdmin(caller) ? undefined : adminOnly.find((object) => filter[object] !== undefined);
  if (refused === undefined) return;
  throw unauthorized(
    `switches and ports are shown to administrators only, so ${nameOf(caller)} cannot filter by ${refused}`,
  );
};

type Column = (typeof indexedColumns)[number] | 'at';
type Condition = readonly [Column, '=' | '>=' | '<=', string | number];

/** Which index finds the events, and what is left to be compared in each of them. */
const planFor = async (
  op: ReadOp,
  filter: EventFilter,
): Promise<{ readonly source: EventSource; readonly others: readonly Condition[] }> => {
  const equal = indexedColumns.flatMap((column): Condition[] => {
    const value = filter[column];
    return value === undefined ? [] : [[column, '=', value]];
  });
  const others: Condition[] = [
    ...(filter.since === undefined ? [] : [['at', '>=', filter.since] as const]),
    ...(filter.until === undefined ? [] : [['at', '<=', filter.until] as const]),
  ];
  const { project } = filter;
  if (!isAdmin(op.caller)) return { source: await ownProjects(op, project), others: [...equal, ...others] };
  if (project !== undefined) return { source: { kind: 'label', project }, others: [...equal, ...others] };
  const [column] = indexedColumns.filter((candidate) => filter[candidate] !== undefined);
  const value = column === undefined ? undefined : filter[column];
  if (column === undefined || value === undefined) return { source: { kind: 'all' }, others };
  return { source: { kind: 'column', column, value }, others: [...equal.slice(1), ...others] };
};

const rowsOf = async (
  tx: ReadOp['tx'],
  ids: readonly number[],
  conditions: readonly Condition[],
  { limit, order }: { readonly limit: number; readonly order: 'asc' | 'desc' },
) => {
  if (ids.length === 0) return [];
  let query = tx.selectFrom('events').selectAll('events').where('events.id', 'in', ids);
  for (const [column, operator, value] of conditions) query = query.where(`events.${column}`, operator, value);
  return query.orderBy('events.id', order).limit(limit).execute();
};

const ownProjects = async (op: ReadOp, project: string | undefined): Promise<EventSource> => {
  if (project !== undefined && !mayActFor(op.caller, project)) {
    throw unauthorized(`${nameOf(op.caller)} has no access to project ${project}`);
  }
  const mine = op.caller.kind === 'user' ? [...op.caller.projects] : [];
  const labels = project === undefined ? mine : [project];
  const rows =
    labels.length === 0 ? [] : await op.tx.selectFrom('projects').select('id').where('label', 'in', labels).execute();
  // By id: a new project under an old label does not inherit the old one's history.
  return { kind: 'projects', ids: rows.map(({ id }) => id) };
};

type EventRow = {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly caller: string;
  readonly request_id: string | null;
  readonly project: string | null;
  readonly detail: string;
} & Readonly<Record<EventObject, string | null>>;

/** `hidden`: what is left out; an administrator is shown everything. */
export const eventView = (row: EventRow, hidden: readonly EventObject[] = []): EventView => ({
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
