import { sql } from 'kysely';

/** Is a row of `nodes` a node that is offered to everybody? The one place that decides it for lists and claims. */
export const isFreeNode = sql<boolean>`nodes.project_id is null`;
