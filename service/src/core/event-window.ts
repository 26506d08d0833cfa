import type { SelectQueryBuilder } from 'kysely';
import type { Tx } from '../db/service-database.ts';
import type { Database } from '../db/service-schema.ts';

/** Where a page begins: events with a larger id (forward, up to the last that is wanted) or a smaller one (backward). */
export type EventStart = { readonly after: number; readonly upTo?: number } | { readonly before: number | null };

/** Columns of events with an index in the order of ids, the most telling first. */
export const indexedColumns = [
  'nic',
  'node',
  'hnic',
  'headnode',
  'port',
  'network',
  'user',
  'switch',
  'caller',
  'type',
] as const;

/** What one index of the database can find in the order of ids. */
export type EventSource =
  | { readonly kind: 'all' }
  | { readonly kind: 'column'; readonly column: (typeof indexedColumns)[number]; readonly value: string }
  /** By label, for administrators: also those of projects that are gone. */
  | { readonly kind: 'label'; readonly project: string }
  | { readonly kind: 'projects'; readonly ids: readonly number[] };

/** A statement has only so many parts. */
const projectsPerStatement = 50;

/** The ids of the next `most` events of a source, in the order of the page. Costs what it finds, however many there are. */
export const eventWindow = async (tx: Tx, source: EventSource, start: EventStart, most: number): Promise<number[]> => {
  if (source.kind !== 'projects') return idsOf(await windowQuery(tx, source, start, most).execute());
  const found = new Set<number>();
  for (let from = 0; from < source.ids.length; from += projectsPerStatement) {
    const ids = source.ids.slice(from, from + projectsPerStatement);
    for (const id of idsOf(await windowQuery(tx, { kind: 'projects', ids }, start, most).execute())) found.add(id);
  }
  const inOrder = [...found].sort((a, b) => ('after' in start ? a - b : b - a));
  return inOrder.slice(0, most);
};

const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);

type Ids = SelectQueryBuilder<Database, 'events' | 'event_projects', { id: number }>;

/** One statement of it, for at most 50 projects. */
export const windowQuery = (tx: Tx, source: EventSource, start: EventStart, most: number) => {
  if (source.kind === 'all') return limited(tx.selectFrom('events').select('events.id'), 'events.id', start, most);
  if (source.kind === 'column') {
    const query = tx.selectFrom('events').select('events.id').where(`events.${source.column}`, '=', source.value);
    return limited(query, 'events.id', start, most);
  }
  const ofProject = (column: 'project' | 'project_id', value: string | number): Ids =>
    limited(
      tx.selectFrom('event_projects').select('event_id as id').where(`event_projects.${column}`, '=', value),
      'event_projects.event_id',
      start,
      most,
    );
  if (source.kind === 'label') return ofProject('project', source.project);
  const [first = -1, ...others] = source.ids;
  // Each project's own few: the database would otherwise sort all that any of them has.
  const apart = (id: number) => tx.selectFrom(ofProject('project_id', id).as('own')).select('own.id');
  let query = apart(first);
  for (const id of others) query = query.union(apart(id));
  return tx
    .selectFrom(query.as('ids'))
    .select('ids.id')
    .orderBy('ids.id', 'after' in start ? 'asc' : 'desc')
    .limit(most);
};

const limited = (query: Ids, id: 'events.id' | 'event_projects.event_id', start: EventStart, most: number): Ids => {
  if ('after' in start) {
    const oldestFirst = query.where(id, '>', start.after).orderBy(id, 'asc').limit(most);
    return start.upTo === undefined ? oldestFirst : oldestFirst.where(id, '<=', start.upTo);
  }
  const newestFirst = query.orderBy(id, 'desc').limit(most);
  return start.before === null ? newestFirst : newestFirst.where(id, '<', start.before);
};
