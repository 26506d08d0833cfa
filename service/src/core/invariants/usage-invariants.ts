import { sql } from 'kysely';
import { always, type Invariant } from './invariant.ts';

/** What is open in the ledger of usage is what is so now. */
export const usageInvariants: readonly Invariant[] = [
  always(
    'the usage of a node in a project is being recorded',
    sql`select 'node ' || nodes.label || ' of project ' || projects.label as what
      from nodes join projects on projects.id = nodes.project_id
      where not exists (select 1 from usage_spans where usage_spans.node = nodes.label and usage_spans.until_at is null
        and usage_spans.kind = 'reserved' and usage_spans.project_id = nodes.project_id
        and usage_spans.class = nodes.class)`,
  ),
  always(
    'usage is recorded for the project that has the node',
    sql`select 'node ' || usage_spans.node || ' for project ' || usage_spans.project as what
      from usage_spans where usage_spans.until_at is null
        and not exists (select 1 from nodes where nodes.label = usage_spans.node
          and nodes.project_id = usage_spans.project_id and nodes.class = usage_spans.class)`,
  ),
];
