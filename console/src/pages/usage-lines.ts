import type { UsageRow } from '@corral/client';
import type { UsageBy } from './usage-search.ts';

/** The hours of one project, class or node, in seconds. */
export interface UsageLine {
  readonly key: string;
  readonly name: string;
  readonly reserved: number;
  readonly powered: number;
}

/** A project that was made again under an old name is another one. */
const keyOf = (row: UsageRow, by: UsageBy): string => (by === 'project' ? String(row.project_id) : (row[by] ?? ''));

export const usageLines = (rows: readonly UsageRow[], by: UsageBy): readonly UsageLine[] =>
  rows.map((row) => ({
    key: keyOf(row, by),
    name: row[by] ?? 'no class',
    reserved: row.reserved_seconds,
    powered: row.powered_seconds,
  }));

export const totalOf = (lines: readonly UsageLine[]): Pick<UsageLine, 'reserved' | 'powered'> => ({
  reserved: lines.reduce((sum, line) => sum + line.reserved, 0),
  powered: lines.reduce((sum, line) => sum + line.powered, 0),
});
