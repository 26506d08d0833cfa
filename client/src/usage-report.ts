import type { Calls } from './calls.ts';

type Usage = Calls['listUsage']['reply'];
export type UsageRow = Usage['rows'][number];

/** By what usage is added up. */
export const usageKeys = ['project', 'class', 'node', 'month'] as const;
export type UsageKey = (typeof usageKeys)[number];

interface UsageCalls {
  listUsage(args: Calls['listUsage']['args'], options?: { readonly signal?: AbortSignal }): Promise<Usage>;
}

/** Every page of the same part of the past. */
export const allUsage = async (
  corral: UsageCalls,
  args: Omit<Calls['listUsage']['args'], 'after'>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Omit<Usage, 'next'>> => {
  const first = await corral.listUsage(args, options);
  const rows = [...first.rows];
  const { from, to } = first;
  for (let next = first.next; next !== null;) {
    const page = await corral.listUsage({ ...args, from, to, after: String(next) }, options);
    rows.push(...page.rows);
    next = page.next;
  }
  return { from, to, rows };
};

/** Hours to two places, as reports show them. */
export const hoursOf = (seconds: number): string => (seconds / 3600).toFixed(2);

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** For spreadsheets and billing: seconds, and what tells projects of the same name apart. */
export const usageCsv = (rows: readonly UsageRow[], by: readonly UsageKey[]): string => {
  const columns = by.flatMap((key) => (key === 'project' ? ['project', 'project_id'] : [key]));
  const lines = rows.map((row) =>
    [
      ...by.flatMap((key) => [row[key] ?? '', ...(key === 'project' ? [String(row.project_id)] : [])]),
      String(row.reserved_seconds),
      String(row.powered_seconds),
    ]
      .map(quoted)
      .join(','),
  );
  return [[...columns, 'reserved_seconds', 'powered_seconds'].join(','), ...lines, ''].join('\r\n');
};
