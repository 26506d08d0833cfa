import { sql } from 'kysely';
import { always, type Invariant } from './invariant.ts';

/** Nothing is taken from a node that has left the project that gave it back. */
export const releaseInvariants: readonly Invariant[] = [
  always(
    'a running release is about a node of its project',
    sql`select 'release ' || releases.label || ' of node ' || releases.node as what from releases
      left join nodes on nodes.id = releases.node_id and nodes.project_id = releases.project_id
      where releases.state = 'running' and nodes.id is null`,
  ),
];
