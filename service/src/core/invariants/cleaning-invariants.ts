import { sql } from 'kysely';
import { always, type Invariant } from './invariant.ts';

/** What keeps nodes from their next project agrees with what is recorded of their cleanings. */
export const cleaningInvariants: readonly Invariant[] = [
  always(
    'a node that is kept from its next project has a cleaning that is not over',
    sql`select 'node ' || nodes.label as what from nodes
      where nodes.gate is not null and not exists (
        select 1 from cleanings where cleanings.node_id = nodes.id and cleanings.state =
          case nodes.gate when 'cleaning' then 'running' when 'maintenance' then 'maintenance' else 'failed' end)`,
  ),
  always(
    'a cleaning that is not over keeps its node from the next project',
    sql`select 'cleaning ' || cleanings.label || ' of node ' || nodes.label as what
      from cleanings join nodes on nodes.id = cleanings.node_id
      where cleanings.state <> 'passed' and nodes.gate is null`,
  ),
];
