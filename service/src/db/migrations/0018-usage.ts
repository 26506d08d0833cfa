import type { Migration } from '@corral/base/db/migrations';
import { inPieces, longestSpanMs, spanColumns } from '../usage-pieces.ts';

/** Who had which node, and had it turned on, from when until when. Filled from the events that there are. */
export const usage: Migration = {
  version: 18,
  name: 'usage',
  statements: ({ id, bigint, now }) => [
    `create table usage_spans (
      ${id}, node text not null, class text not null, project_id ${bigint} not null, project text not null,
      kind text not null constraint kind_of_usage_is_known check (kind in ('reserved', 'powered')),
      from_at ${bigint} not null, until_at ${bigint},
      constraint a_span_does_not_end_before_it_begins check (until_at >= from_at),
      constraint a_span_that_ended_is_short check (until_at - from_at <= ${longestSpanMs}))`,
    `create unique index one_open_span_per_node_and_kind on usage_spans (node, kind) where until_at is null`,
    `create index usage_spans_by_node on usage_spans (node, kind, until_at)`,
    `create index usage_spans_by_time on usage_spans (from_at) where until_at is not null`,
    `create index usage_spans_by_project on usage_spans (project_id, from_at)`,

    `insert into usage_spans (${spanColumns}, until_at) ${inPieces(endedSpans)}`,
    `insert into usage_spans (${spanColumns})
      select nodes.label, nodes.class, nodes.project_id, projects.label, 'reserved',
        coalesce(${lastEvent('at', ...moves)}, (select min(at) from events), ${now})
      from nodes join projects on projects.id = nodes.project_id`,
    `insert into usage_spans (${spanColumns})
      select nodes.label, nodes.class, nodes.project_id, projects.label, 'powered', ${switchedOnAt}
      from nodes join projects on projects.id = nodes.project_id
      where ${lastEvent('type', ...moves, ...switchedOn, 'node_power_off')} in (${quoted(switchedOn)})`,
  ],
};

const moves = ['project_connect_node', 'project_detach_node'];
const switchedOn = ['node_power_on', 'node_power_cycle'];
const quoted = (types: readonly string[]): string => types.map((type) => `'${type}'`).join(', ');

/** Of the last event of these types about a node. */
const lastEvent = (column: string, ...types: readonly string[]): string => `(select ${column} from events
  where events.node = nodes.label and events.type in (${quoted(types)}) order by events.id desc limit 1)`;

/** When a node that is on was turned on, and not again. */
const switchedOnAt = `(select at from events where events.node = nodes.label and events.type in (${quoted(switchedOn)})
  and events.id > coalesce(${lastEvent('id', ...moves, 'node_power_off')}, 0) order by events.id limit 1)`;

/** When the next event of these types about the same node as `began` happened; null: there is none. */
const nextAt = (...types: readonly string[]): string => `(select next.at from events next
  where next.node = began.node and next.id > began.id and next.type in (${quoted(types)}) order by next.id limit 1)`;

const typeBefore = (...types: readonly string[]): string => `(select before.type from events before
  where before.node = began.node and before.id < began.id and before.type in (${quoted(types)})
  order by before.id desc limit 1)`;

/** Beginnings and ends; a clock that was set back in between makes nothing negative. */
const ended = (kind: string, beginnings: string): string => `
  select node, '' as class, project_id, project, '${kind}' as kind, from_at,
    case when ends > from_at then ends else from_at end as ends
  from (${beginnings}) spans where ends is not null`;

/** From a reservation, or a move to the maintenance pool, to the next move. */
const reservations = `
  select began.node, shown.project_id, shown.project, began.at as from_at, ${nextAt(...moves)} as ends
  from events began join event_projects shown on shown.event_id = began.id
  where began.node is not null and (began.type = 'project_connect_node'
    or (began.type = 'project_detach_node' and shown.project <> began.project))`;

/** A release whose reservation is not among the events any more: it is older than all of them. */
const begunBefore = `
  select began.node, shown.project_id, shown.project, (select min(at) from events) as from_at, began.at as ends
  from events began join event_projects shown on shown.event_id = began.id and shown.project = began.project
  where began.node is not null and began.type = 'project_detach_node' and ${typeBefore(...moves)} is null`;

/** From being turned on, in a project, to being turned off or leaving it. */
const poweredSpans = `
  select began.node, shown.project_id, shown.project, began.at as from_at, ${nextAt(...moves, 'node_power_off')} as ends
  from events began join event_projects shown on shown.event_id = began.id and shown.project = began.project
  where began.node is not null and began.type in (${quoted(switchedOn)})
    and coalesce(${typeBefore(...moves, ...switchedOn, 'node_power_off')}, '') not in (${quoted(switchedOn)})`;

const endedSpans = [
  ended('reserved', reservations),
  ended('reserved', begunBefore),
  ended('powered', poweredSpans),
].join(' union all ');
