import type { TableAccess, Cell } from './table-access.ts';
import { columnsOf, lastIdOf, type Table } from './table-columns.ts';

/** One row; its cells are in the order of the heading's columns. */
export type Row = readonly Cell[];

/** The beginning of a table. */
export interface Heading {
  readonly table: string;
  readonly columns: readonly string[];
  /** The last id that was ever given; null: ids are not counted. */
  readonly lastId: number | null;
}

/** All rows of some tables, table by table, in the order of their keys: the same for the same content, on any engine. */
export type RowStream = AsyncIterable<Heading | readonly Row[]>;

export const isHeading = (item: Heading | readonly Row[]): item is Heading => 'table' in item;

/** A statement takes 32,766 values at most on SQLite, and no table has more than 25 columns. */
const rowsAtOnce = 500;

/** Reads tables inside one transaction, so that all rows are of one moment. */
export async function* rowsIn(access: TableAccess, tables: readonly Table[]): RowStream {
  for (const table of tables) {
    const columns = await columnsOf(access, table);
    const heading = {
      table: table.name,
      columns: columns.map(({ name }) => name),
      lastId: await lastIdOf(access, table),
    };
    yield heading;
    // The order of bytes, not that of some language.
    const key = table.key.map((name) => {
      const isText = columns.find((column) => column.name === name)?.isText === true;
      return isText && access.engine === 'postgres' ? `"${name}" collate "C"` : `"${name}"`;
    });
    let after: readonly Cell[] = [];
    for (;;) {
      const beyond = after.length === 0 ? '' : `where (${key.join(', ')}) > (${after.map(() => '?').join(', ')})`;
      const rows = await access.all(
        `select * from "${table.name}" ${beyond} order by ${key.join(', ')} limit ${rowsAtOnce}`,
        after,
      );
      const last = rows.at(-1);
      if (last === undefined) break;
      yield rows.map((row) => heading.columns.map((name) => row[name] as Cell));
      if (rows.length < rowsAtOnce) break;
      after = table.key.map((name) => last[name] as Cell);
    }
  }
}

/** How many rows each table has. */
export const countRows = async ({ all }: TableAccess, tables: readonly Table[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await all(`select count(*) as count from "${name}"`);
    counts[name] = Number(row?.['count']);
  }
  return counts;
};
