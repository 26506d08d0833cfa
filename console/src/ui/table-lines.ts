import { naturalOrder } from './natural-order.ts';

/** Rows that belong together, under a heading of their own. */
export interface Grouping<T> {
  /** What a row belongs to; an empty text: to nothing. */
  readonly of: (row: T) => string;
  readonly headingOf: (group: string) => string;
  /** Those whose rows are not shown. */
  readonly closed: ReadonlySet<string>;
  readonly onToggle: (group: string) => void;
}

/** A line of a table: a row, or the heading of those that follow. */
export type Line<T> =
  | { readonly kind: 'row'; readonly row: T }
  | { readonly kind: 'group'; readonly group: string; readonly count: number };

/** All lines in order: groups as people count, those that belong to nothing last, rows as they come. */
export const linesOf = <T>(rows: readonly T[], grouping: Grouping<T> | undefined): readonly Line<T>[] => {
  const asLine = (row: T): Line<T> => ({ kind: 'row', row });
  if (grouping === undefined) return rows.map(asLine);
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = grouping.of(row);
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [row]);
    else known.push(row);
  }
  return [...groups]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : naturalOrder(a, b)))
    .flatMap(([group, members]) => [
      { kind: 'group' as const, group, count: members.length },
      ...(grouping.closed.has(group) ? [] : members.map(asLine)),
    ]);
};
