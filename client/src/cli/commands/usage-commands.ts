import type { Calls, Corral } from '../../index.ts';
import type { Command } from '../cli-command.ts';
import { field } from '../simple-command.ts';
import { UsageError } from '../usage-error.ts';

type Usage = Calls['listUsage']['reply'];
type Row = Usage['rows'][number];

const keys = ['project', 'class', 'node', 'month'] as const;
type Key = (typeof keys)[number];

const keysIn = (text: string): readonly Key[] =>
  text.split(',').map((word) => {
    const known = keys.find((key) => key === word);
    if (known === undefined)
      throw new UsageError(`usage is not counted by ${word}; expected one or more of ${keys.join(', ')}`);
    return known;
  });

/** Every page of the same part of the past. */
const allUsage = async (
  corral: Corral,
  args: Omit<Calls['listUsage']['args'], 'after'>,
): Promise<Omit<Usage, 'next'>> => {
  const first = await corral.listUsage(args);
  const rows = [...first.rows];
  const { from, to } = first;
  for (let next = first.next; next !== null;) {
    const page = await corral.listUsage({ ...args, from, to, after: String(next) });
    rows.push(...page.rows);
    next = page.next;
  }
  return { from, to, rows };
};

const valueOf = (row: Row, key: Key): string => row[key] ?? '';
const hours = (seconds: number): string => (seconds / 3600).toFixed(2);

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** For spreadsheets and billing: seconds, and what tells projects of the same name apart. */
const csvOf = (rows: readonly Row[], by: readonly Key[]): string => {
  const columns = by.flatMap((key) => (key === 'project' ? ['project', 'project_id'] : [key]));
  const lines = rows.map((row) =>
    [
      ...by.flatMap((key) => [valueOf(row, key), ...(key === 'project' ? [String(row.project_id)] : [])]),
      String(row.reserved_seconds),
      String(row.powered_seconds),
    ]
      .map(quoted)
      .join(','),
  );
  return [[...columns, 'reserved_seconds', 'powered_seconds'].join(','), ...lines, ''].join('\r\n');
};

/** `corral usage`: for how long nodes were reserved and on. */
export const usageCommands: readonly Command[] = [
  {
    words: ['usage'],
    about: 'show for how many hours nodes were reserved and turned on; administrators see all projects',
    options: {
      from: { value: 'TIME', about: 'from this time on, such as 2026-01-01; default: this month (UTC)' },
      to: { value: 'TIME', about: 'before this time; default: now' },
      by: { value: 'WHAT', about: 'one or more of project, class, node, month, with commas; default: project' },
      csv: { about: 'as comma-separated values, in seconds' },
    },
    example: 'usage --from 2026-01-01 --by project,class',
    run: async ({ corral, output }, parsed) => {
      const by = keysIn(parsed.option('by') ?? 'project');
      const usage = await allUsage(await corral(), {
        by: by.join(','),
        ...field('from', parsed.option('from')),
        ...field('to', parsed.option('to')),
      });
      if (parsed.flag('csv')) return output.raw(Buffer.from(csvOf(usage.rows, by)));
      output.table(
        [...by, 'reserved hours', 'powered hours'],
        usage.rows.map((row) => [
          ...by.map((key) => valueOf(row, key) || '-'),
          hours(row.reserved_seconds),
          hours(row.powered_seconds),
        ]),
        usage,
        'no usage',
      );
    },
  },
];
