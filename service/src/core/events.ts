import { type Insertable, sql } from 'kysely';
import { locksRows } from '@corral/base/db/bound-kysely';
import { takeEventIds } from '../db/event-order.ts';
import type { Tx } from '../db/service-database.ts';
import type { Database } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { nameOf } from './caller.ts';
import type { Request } from './request.ts';

/** The objects an event can be about, by the interface's own words. */
export const eventObjects = ['node', 'nic', 'network', 'headnode', 'hnic', 'switch', 'port', 'user'] as const;
export type EventObject = (typeof eventObjects)[number];

/** A project as an event names it: by id for who may see it, by label for who reads it. */
interface Audience {
  readonly id: number;
  readonly label: string;
}

/** What an operation says it did. Never a secret. */
export type EventDraft = {
  /** The operation, in the interface's words: `node_connect_network`. */
  readonly type: string;
  /** The projects whose members may see it; the first one is the event's project. */
  readonly projects?: readonly (Audience | null)[];
  readonly detail?: Readonly<Record<string, unknown>>;
} & Readonly<Partial<Record<EventObject, string | null>>>;

/** Writes the events of one transaction: the last thing that it does. */
export const writeEvents = async (tx: Tx, request: Request, drafts: readonly EventDraft[]): Promise<void> => {
  const taken = await takeEventIds(tx, drafts.length);
  const [draft] = drafts;
  if (draft !== undefined && drafts.length === 1 && locksRows(tx)) return sendEvent(tx, request, draft);
  const ids = await insertEvents(tx, rowsOf(request, drafts), taken);
  const audiences = drafts.flatMap((draft, index) =>
    audienceOf(draft).map(({ id, label }) => ({ event_id: ids[index] ?? 0, project_id: id, project: label })),
  );
  const [first] = audiences;
  if (first === undefined) return;
  if (audiences.length === 1) await insertAudience.run(tx, first);
  else await tx.insertInto('event_projects').values(audiences).execute();
};

/** One event, without waiting for its id: the statements go with the commit. */
const sendEvent = async (tx: Tx, request: Request, draft: EventDraft): Promise<void> => {
  for (const row of rowsOf(request, [draft])) await insertEvent.send(tx, row);
  for (const { id, label } of audienceOf(draft)) await insertLastAudience.send(tx, { project_id: id, project: label });
};

type EventRow = Insertable<Database['events']>;

const rowsOf = (request: Request, drafts: readonly EventDraft[]): EventRow[] => {
  const at = Date.now();
  return drafts.map((draft) => ({
    at,
    type: draft.type,
    caller: nameOf(request.caller),
    request_id: request.requestId,
    project: audienceOf(draft)[0]?.label ?? null,
    node: draft.node ?? null,
    nic: draft.nic ?? null,
    network: draft.network ?? null,
    headnode: draft.headnode ?? null,
    hnic: draft.hnic ?? null,
    switch: draft.switch ?? null,
    port: draft.port ?? null,
    user: draft.user ?? null,
    detail: JSON.stringify(draft.detail ?? {}),
  }));
};

/** A statement takes 65,535 values at most (PostgreSQL) or 32,766 (SQLite). */
const rowsPerStatement = 1_000;

/** Most operations write one event, so that one has a statement of its own. */
const insertEvents = async (
  tx: Tx,
  rows: readonly EventRow[],
  taken: readonly number[] | null,
): Promise<readonly number[]> => {
  const [row] = rows;
  if (row !== undefined && rows.length === 1) {
    const one = await insertEvent.first(tx, row);
    return one ? [one.id] : [];
  }
  const written: number[] = [];
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows.slice(from, from + rowsPerStatement);
    if (taken === null) {
      const given = await tx.insertInto('events').values(some).returning('id').execute();
      written.push(...given.map(({ id }) => id));
    } else {
      await insertWithIds(tx, some, taken.slice(from, from + rowsPerStatement));
    }
  }
  return taken ?? written.sort((a, b) => a - b);
};

/** Ids that were taken from the database's own count. */
const insertWithIds = async (tx: Tx, rows: readonly EventRow[], ids: readonly number[]): Promise<void> => {
  const columns = Object.keys(rows[0] ?? {}) as (keyof EventRow)[];
  const lines = rows.map((row, index) => sql`(${sql.join([ids[index], ...columns.map((column) => row[column])])})`);
  await sql`insert into events (${sql.join(['id', ...columns].map((name) => sql.id(name)))}) overriding system value
    values ${sql.join(lines)}`.execute(tx);
};

const insertEvent = statement((tx, row: EventRow) =>
  tx
    .insertInto('events')
    .values({
      at: row.at,
      type: row.type,
      caller: row.caller,
      request_id: row.request_id,
      project: row.project,
      node: row.node,
      nic: row.nic,
      network: row.network,
      headnode: row.headnode,
      hnic: row.hnic,
      switch: row.switch,
      port: row.port,
      user: row.user,
      detail: row.detail,
    })
    .returning('id'),
);

const insertAudience = statement((tx, row: Insertable<Database['event_projects']>) =>
  tx.insertInto('event_projects').values({ event_id: row.event_id, project_id: row.project_id, project: row.project }),
);

const insertLastAudience = statement((tx, row: { project_id: number; project: string }) =>
  tx
    .insertInto('event_projects')
    .values({ project_id: row.project_id, project: row.project, event_id: sql<number>`currval('events_id_seq')` }),
);

const audienceOf = (draft: EventDraft): Audience[] => {
  const seen = new Map<number, Audience>();
  for (const project of draft.projects ?? []) if (project) seen.set(project.id, project);
  return [...seen.values()];
};
