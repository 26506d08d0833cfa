import type { TableAccess } from './table-access.ts';
import { DatabaseRefused } from './migrations.ts';
import { type Heading, isHeading, type Row, type RowStream, rowsIn } from './row-stream.ts';
import { columnsOf, setLastId, type Table } from './table-columns.ts';

/** Told how many rows have gone by. */
export type Progress = (rows: number) => void;

/** Writes rows into empty tables, with their ids, and has the database go on counting where the source was. */
export const writeRows = async (
  access: TableAccess,
  tables: readonly Table[],
  stream: RowStream,
  progress: Progress,
): Promise<void> => {
  let written = 0;
  let heading: Heading | null = null;
  for await (const item of stream) {
    if (isHeading(item)) {
      heading = item;
      await begin(access, tables, heading);
    } else if (heading !== null) {
      await insert(access, heading, item);
      written += item.length;
      progress(written);
    }
  }
};

const begin = async (access: TableAccess, tables: readonly Table[], { table: name, columns, lastId }: Heading) => {
  const table = tables.find((candidate) => candidate.name === name);
  const known = table === undefined ? [] : await columnsOf(access, table);
  if (table === undefined || known.map((column) => column.name).join() !== columns.join()) {
    throw new DatabaseRefused(
      `table ${name} has different columns in the source and in this database: use the same version of Corral for both`,
    );
  }
  if (lastId !== null) await setLastId(access, table, lastId);
};

const insert = async (
  { engine, all }: TableAccess,
  { table, columns }: Heading,
  rows: readonly Row[],
): Promise<void> => {
  const names = columns.map((name) => `"${name}"`).join(', ');
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const overriding = engine === 'postgres' ? 'overriding system value' : '';
  const text = `insert into "${table}" (${names}) ${overriding} values ${rows.map(() => marks).join(', ')}`;
  await all(text, rows.flat());
};

/** Compares what is in the tables with what it was made from, row by row. */
export const verifyRows = async (
  access: TableAccess,
  tables: readonly Table[],
  stream: RowStream,
  progress: Progress,
): Promise<void> => {
  const theirs = entriesOf(stream);
  const ours = entriesOf(rowsIn(access, tables));
  let rows = 0;
  for (;;) {
    const [one, other] = [await theirs.next(), await ours.next()];
    if (one.value?.text !== other.value?.text) {
      const table = one.value?.table ?? other.value?.table ?? '';
      throw new Error(
        `table ${table} differs from its source (row ${rows + 1} of all tables); the transaction was rolled back, try again`,
      );
    }
    if (one.done === true || !one.value.isRow) progress(rows);
    if (one.done === true) return;
    if (one.value.isRow) rows += 1;
  }
};

interface Entry {
  readonly table: string;
  readonly isRow: boolean;
  readonly text: string;
}

async function* entriesOf(stream: RowStream): AsyncGenerator<Entry, undefined> {
  let table = '';
  for await (const item of stream) {
    if (isHeading(item)) {
      ({ table } = item);
      yield { table, isRow: false, text: JSON.stringify(item) };
    } else {
      for (const row of item) yield { table, isRow: true, text: JSON.stringify(row) };
    }
  }
  return undefined;
}

/** A table that has rows; null: all are empty. */
export const firstWithRows = async ({ all }: TableAccess, tables: readonly Table[]): Promise<string | null> => {
  for (const { name } of tables) if ((await all(`select 1 as row from "${name}" limit 1`)).length > 0) return name;
  return null;
};

/** Takes all rows away, those that refer to others first. */
export const emptyTables = async ({ all }: TableAccess, tables: readonly Table[]): Promise<void> => {
  for (const { name } of tables.toReversed()) await all(`delete from "${name}"`);
};
