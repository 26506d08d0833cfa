import { sql } from 'kysely';

/** Of a row of `nodes`: it is in no project, and its gate is open. The one condition for lists and claims. */
export const isFreeNode = sql<boolean>`(nodes.project_id is null and nodes.gate is null)`;
