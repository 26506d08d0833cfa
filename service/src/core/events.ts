import type { Tx } from '../db/db.ts';
import { nameOf } from './caller.ts';
import type { Request } from './op.ts';

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

/** Writes the events of one transaction. Their ids are in the order of commits. */
export const writeEvents = async (tx: Tx, request: Request, drafts: readonly EventDraft[]): Promise<void> => {
  const at = Date.now();
  const written = await tx
    .insertInto('events')
    .values(
      drafts.map((draft) => ({
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
      })),
    )
    .returning('id')
    .execute();
  const ids = written.map(({ id }) => id).sort((a, b) => a - b);
  const audiences = drafts.flatMap((draft, index) =>
    audienceOf(draft).map(({ id, label }) => ({ event_id: ids[index] ?? 0, project_id: id, project: label })),
  );
  if (audiences.length > 0) await tx.insertInto('event_projects').values(audiences).execute();
};

const audienceOf = (draft: EventDraft): Audience[] => {
  const seen = new Map<number, Audience>();
  for (const project of draft.projects ?? []) if (project) seen.set(project.id, project);
  return [...seen.values()];
};
