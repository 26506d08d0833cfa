import { type RawBuilder, sql } from 'kysely';
import type { UsageKind } from '../db/service-schema.ts';
import { longestSpanMs } from '../db/usage-pieces.ts';
import { isAdmin, projectLabels } from './caller.ts';
import { invalid } from './corral-error.ts';
import { shownClass } from './node-classes.ts';
import type { ReadOp } from './request-context.ts';

/** By what usage can be added up. */
export const usageKeys = ['project', 'class', 'node', 'month'] as const;
export type UsageKey = (typeof usageKeys)[number];

interface UsageQuery {
  /** Milliseconds since 1970: from this on, and before that. */
  readonly from: number;
  readonly to: number;
  readonly by: readonly UsageKey[];
  readonly limit: number;
  readonly after: number;
}

interface UsageRow {
  readonly project?: string;
  readonly project_id?: number;
  readonly class?: string | null;
  readonly node?: string;
  readonly month?: string;
  readonly reserved_seconds: number;
  readonly powered_seconds: number;
}

type Reader = Pick<ReadOp, 'tx' | 'caller'>;

const mostMonths = 240;

/**
 * Node-seconds in a part of the past, of the caller's projects, added up. The past does not change, so pages of the same
 * part fit together, and parts that follow each other add up to the whole.
 */
export const listUsage = async (op: Reader, query: UsageQuery): Promise<{ rows: UsageRow[]; next: number | null }> => {
  const { by, limit, after } = query;
  const windows = by.includes('month') ? monthsOf(query) : [query];
  const known = windows.filter(({ from, to }) => from < to);
  if (known.length === 0) return { rows: [], next: null };
  const { rows } = await usageIn(op, known, query).execute(op.tx);
  return {
    rows: rows.slice(0, limit).map((row) => shown(row, by)),
    next: rows.length > limit ? after + limit : null,
  };
};

/** The sums of some windows of time: one statement. */
export const usageIn = (
  op: Pick<Reader, 'caller'>,
  windows: readonly Pick<UsageQuery, 'from' | 'to'>[],
  { by, limit, after }: Pick<UsageQuery, 'by' | 'limit' | 'after'>,
): RawBuilder<Sums> => {
  const keys = sql.join(by.flatMap((key) => columnsOf[key]).map((key) => sql.ref(key)));
  return sql<Sums>`with windows (starts, ends) as (values ${sql.join(windows.map(windowOf))}), used as (${spansIn(op)})
    select ${sql.join([keys, ...sumsOf('reserved'), ...sumsOf('powered')])} from used
    group by ${keys} order by ${keys} limit ${limit + 1} offset ${after}`;
};

/** A project that was made again under an old label is another project. */
const columnsOf: Readonly<Record<UsageKey, readonly string[]>> = {
  project: ['project', 'project_id'],
  class: ['class'],
  node: ['node'],
  month: ['starts'],
};

const windowOf = ({ from, to }: { readonly from: number; readonly to: number }) =>
  sql`(cast(${from} as bigint), cast(${to} as bigint))`;

/** What overlaps each window, cut to it. A span that has ended is no longer than `longestSpanMs`. */
const spansIn = (op: Pick<Reader, 'caller'>): RawBuilder<unknown> => {
  const what = sql`windows.starts, project, project_id, class, node, kind`;
  const begins = sql`case when from_at > windows.starts then from_at else windows.starts end`;
  const ends = sql`case when until_at < windows.ends then until_at else windows.ends end`;
  const own = isAdmin(op.caller)
    ? sql``
    : sql` and project_id in (select id from projects where label in (${sql.join(projectLabels(op.caller))}))`;
  return sql`select ${what}, ${ends} - ${begins} as ms from windows join usage_spans
      on from_at < windows.ends and from_at > windows.starts - ${sql.lit(longestSpanMs)}
      and until_at > windows.starts${own}
    union all
    select ${what}, windows.ends - ${begins} as ms from windows join usage_spans
      on until_at is null and from_at < windows.ends${own}`;
};

/** Whole seconds and the rest in two sums: milliseconds of a large site and many years would be no exact number. */
const sumsOf = (kind: UsageKind): RawBuilder<unknown>[] => {
  const isIt = sql`kind = ${sql.lit(kind)}`;
  return [
    sql`cast(sum(case when ${isIt} then ms / 1000 else 0 end) as bigint) as ${sql.ref(kind)}`,
    sql`cast(sum(case when ${isIt} then ms % 1000 else 0 end) as bigint) as ${sql.ref(`${kind}_ms`)}`,
  ];
};

interface Sums {
  readonly project: string;
  readonly project_id: number;
  readonly class: string;
  readonly node: string;
  readonly starts: number;
  readonly reserved: number;
  readonly reserved_ms: number;
  readonly powered: number;
  readonly powered_ms: number;
}

const seconds = (whole: number, ms: number): number => Number((whole + ms / 1000).toFixed(3));

const shown = (row: Sums, by: readonly UsageKey[]): UsageRow => ({
  ...(by.includes('project') && { project: row.project, project_id: row.project_id }),
  ...(by.includes('class') && { class: shownClass(row.class) }),
  ...(by.includes('node') && { node: row.node }),
  ...(by.includes('month') && { month: new Date(row.starts).toISOString().slice(0, 7) }),
  reserved_seconds: seconds(row.reserved, row.reserved_ms),
  powered_seconds: seconds(row.powered, row.powered_ms),
});

/** The first moment of a month, and of others before and after it, in UTC. */
export const monthStart = (at: number, later = 0): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

const monthsOf = ({ from, to }: UsageQuery): { from: number; to: number }[] => {
  const months = [];
  for (let start = from; start < to; start = monthStart(start, 1)) {
    if (months.length === mostMonths)
      throw invalid(`by month, a time of ${mostMonths} months at most can be asked for`);
    months.push({ from: start, to: Math.min(to, monthStart(start, 1)) });
  }
  return months;
};
