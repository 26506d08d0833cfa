import { Type } from '@sinclair/typebox';
import { type EventFilter, listEvents } from '../../core/audit.ts';
import { invalid } from '../../core/corral-error.ts';
import { settledEvents } from '../../db/event-order.ts';
import { Label, PortLabel } from '../../schema/labels.ts';
import { eventsRoute, type Route, route } from '../route.ts';
import { exactly, orNull } from '../schemas.ts';
import { timeOf } from './time-parameter.ts';

const mostPerPage = 1000;
const usualPerPage = 100;

const only = (what: string) => Type.Optional(Type.String({ ...Label, description: `only events about this ${what}` }));
const Time = Type.Optional(
  Type.String({ maxLength: 64, description: 'a time such as 2026-01-31T12:00:00Z, or milliseconds since 1970' }),
);
const Id = Type.Optional(Type.String({ pattern: '^\\d{1,15}$', description: 'the id of an event' }));

/** What events can be about, to choose some of them. */
export const eventObjectFilters = {
  project: only('project'),
  node: only('node'),
  nic: only('nic'),
  network: only('network'),
  headnode: only('headnode'),
  hnic: only('hnic'),
  switch: only('switch'),
  port: Type.Optional(Type.String({ ...PortLabel, description: 'only events about this port' })),
  user: only('user'),
  caller: Type.Optional(Type.String({ ...Label, description: 'only events of this caller' })),
};

const filters = {
  ...eventObjectFilters,
  type: Type.Optional(Type.String({ ...Label, description: 'only events of this type, such as node_register' })),
  since: Time,
  until: Time,
};

const Query = exactly({
  ...filters,
  before: Id,
  after: Id,
  limit: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,3}$', description: `how many events, 1 to ${mostPerPage}` }),
  ),
});

/** Something that happened. */
export const Event = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  type: Type.String(),
  caller: Type.String(),
  request_id: orNull(Type.String()),
  project: orNull(Type.String()),
  node: Type.Optional(Type.String()),
  nic: Type.Optional(Type.String()),
  network: Type.Optional(Type.String()),
  headnode: Type.Optional(Type.String()),
  hnic: Type.Optional(Type.String()),
  switch: Type.Optional(Type.String()),
  port: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
  detail: Type.Record(Type.String(), Type.Unknown()),
});

export const eventRoutes: readonly Route[] = [
  route({
    name: 'list_events',
    endpoint: 'GET /events',
    summary: 'List events: newest first, or in order from `after` on',
    access: 'user',
    auth: 'Admin sees all, a project its own',
    query: Query,
    reply: Type.Object({
      events: Type.Array(Event),
      next: orNull(
        Type.Integer({
          description:
            'give it as `before` (or `after`) for the next page, also when this one is short or empty; null: no more',
        }),
      ),
    }),
    handle: async (context, { query }) => {
      const { before, after, limit: limitText, since, until, ...labels } = query;
      if (before !== undefined && after !== undefined) {
        throw invalid('query parameters "before" and "after" exclude each other; give one of them');
      }
      const limit = Math.min(mostPerPage, Number(limitText ?? usualPerPage));
      const filter: EventFilter = { ...labels, ...given('since', since), ...given('until', until) };
      const page =
        after === undefined ? { before: before === undefined ? null : Number(before) } : { after: Number(after) };
      const settled = await settledEvents(context.query);
      return context.read((op) => listEvents(op, filter, { ...page, settled, limit }));
    },
  }),
  eventsRoute({
    name: 'stream_events',
    endpoint: 'GET /events/stream',
    summary: 'Stream events as they happen (server-sent events); Last-Event-ID resumes',
    access: 'user',
    auth: 'Admin sees all, a project its own',
  }),
];

const given = (name: 'since' | 'until', text: string | undefined): Pick<EventFilter, 'since' | 'until'> =>
  text === undefined ? {} : { [name]: timeOf(name, text) };
