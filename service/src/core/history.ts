import type { Tx } from '../db/service-database.ts';
import { pending } from '../db/service-statement.ts';
import { plainSettings } from '../db/sealed-columns.ts';
import { type EventView, eventView } from './audit.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/** The setting that remembers the newest event that was deleted. */
const { prunedEvents } = plainSettings;

/** Which part of the history, and how much of it at once. */
interface HistoryRange {
  /** Milliseconds since 1970: from this on, and before that. */
  readonly since: number;
  readonly until: number;
  /** The last row of the page before. */
  readonly after?: HistoryPlace;
  readonly most: number;
}

/** A place in the order of the history: by time, and among equal times by id. */
interface HistoryPlace {
  readonly at: number;
  readonly id: number;
}

/** Something that happened, as it is written down outside. Never a secret. */
export interface HistoryEntry extends HistoryPlace {
  readonly line: Readonly<Record<string, unknown>>;
}

/** What can be read page by page, exported, and deleted. */
export interface HistoryKind {
  readonly name: 'events' | 'actions';
  readonly read: (op: Pick<ReadOp, 'tx'>, range: HistoryRange) => Promise<readonly HistoryEntry[]>;
  /** Tells how many there were. */
  readonly remove: (op: Pick<WriteOp, 'tx'>, ids: readonly number[]) => Promise<number>;
}

/** Everything that happened: what an administrator is shown, and the projects that were shown it. */
const events: HistoryKind = {
  name: 'events',
  read: async ({ tx }, { since, until, after, most }) => {
    let query = tx.selectFrom('events').selectAll('events').where('at', '>=', since).where('at', '<', until);
    if (after)
      query = query.where((where) =>
        where.or([where('at', '>', after.at), where.and([where('at', '=', after.at), where('id', '>', after.id)])]),
      );
    const rows = await query.orderBy('at').orderBy('id').limit(most).execute();
    const projects = await audiencesOf(
      tx,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({
      at: row.at,
      id: row.id,
      line: { ...eventView(row), projects: projects.get(row.id) ?? [] } satisfies EventView & { projects: unknown },
    }));
  },
  remove: async ({ tx }, ids) => {
    await tx.deleteFrom('event_projects').where('event_id', 'in', ids).execute();
    const deleted = await tx.deleteFrom('events').where('id', 'in', ids).executeTakeFirst();
    const value = String(Math.max(await prunedUpTo(tx), ...ids));
    await tx
      .insertInto('settings')
      .values({ name: prunedEvents, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    return Number(deleted.numDeletedRows);
  },
};

const audiencesOf = async (tx: Tx, ids: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> => {
  const found = new Map<number, string[]>();
  if (ids.length === 0) return found;
  const rows = await tx
    .selectFrom('event_projects')
    .select(['event_id', 'project'])
    .where('event_id', 'in', ids)
    .orderBy('event_id')
    .orderBy('project')
    .execute();
  for (const { event_id, project } of rows) found.set(event_id, [...(found.get(event_id) ?? []), project]);
  return found;
};

/** The newest event that was deleted because of its age; 0: none was. */
export const prunedUpTo = async (tx: Tx): Promise<number> => {
  const row = await tx.selectFrom('settings').select('value').where('name', '=', prunedEvents).executeTakeFirst();
  return Number(row?.value ?? 0);
};

/** Networking actions that are over. */
const actions: HistoryKind = {
  name: 'actions',
  read: async ({ tx }, { since, until, after, most }) => {
    let query = tx
      .selectFrom('actions')
      .innerJoin('nics', 'nics.id', 'actions.nic_id')
      .innerJoin('nodes', 'nodes.id', 'nics.node_id')
      .select(['actions.id', 'actions.created_at as at', 'actions.status_id', 'actions.kind', 'actions.network'])
      .select(['actions.channel', 'actions.status', 'actions.error', 'nodes.label as node', 'nics.label as nic'])
      .where('actions.status', '<>', pending)
      .where('actions.created_at', '>=', since)
      .where('actions.created_at', '<', until);
    if (after)
      query = query.where((where) =>
        where.or([
          where('actions.created_at', '>', after.at),
          where.and([where('actions.created_at', '=', after.at), where('actions.id', '>', after.id)]),
        ]),
      );
    const rows = await query.orderBy('actions.created_at').orderBy('actions.id').limit(most).execute();
    return rows.map(({ id, at, ...row }) => ({ at, id, line: { id, at: new Date(at).toISOString(), ...row } }));
  },
  remove: async ({ tx }, ids) => {
    const deleted = await tx
      .deleteFrom('actions')
      .where('id', 'in', ids)
      .where('status', '<>', pending)
      .executeTakeFirst();
    return Number(deleted.numDeletedRows);
  },
};

export const historyKinds = { events, actions } as const;
