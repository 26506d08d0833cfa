import { DatabaseRefused } from '@corral/base/db/migrations';
import { describeLocation } from '@corral/base/db/open-database';
import { countRows, type RowStream, rowsIn } from '@corral/base/db/row-stream';
import type { Table } from '@corral/base/db/table-columns';
import { emptyTables, firstWithRows, verifyRows, writeRows } from '@corral/base/db/write-rows';
import type { Terminal } from './admin-command.ts';
import { type DatabaseInTransaction, insideAll, lockOutOthers, type OpenDatabase } from './program-databases.ts';
import { progressOn } from './progress-line.ts';

/** Where rows come from: another database, or a backup. */
export interface Source {
  readonly rows: (tables: readonly Table[]) => RowStream;
  readonly counts: Readonly<Record<string, number>>;
}

/** The rows of open databases, as of one moment each. */
export const sourceIn = async (inside: readonly DatabaseInTransaction[]): Promise<Source> => {
  const counts: Record<string, number> = {};
  for (const { access, tables } of inside) Object.assign(counts, await countRows(access, tables));
  return {
    counts,
    rows: (tables) =>
      joined(
        inside.map(({ access, tables: own }) =>
          rowsIn(
            access,
            own.filter(({ name }) => tables.some((table) => table.name === name)),
          ),
        ),
      ),
  };
};

async function* joined(streams: readonly RowStream[]): RowStream {
  for (const stream of streams) yield* stream;
}

export const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Is there nothing in any of them? */
export const areEmpty = async (targets: readonly OpenDatabase[]): Promise<boolean> => {
  for (const { store, tables } of targets) {
    if ((await store.read((access) => firstWithRows(access, tables))) !== null) return false;
  }
  return true;
};

/** What becomes of rows that are there already: `refusal` is what to do then. */
export type ExistingRows = 'replaced' | { readonly refusal: string };

/**
 * Fills places with the rows of a source and compares them afterwards, before anything is committed: they are as they
 * were, or hold everything. `last` is done then, and can still refuse.
 */
export const fill = <T>(
  targets: readonly OpenDatabase[],
  source: Source,
  present: ExistingRows,
  terminal: Terminal,
  last: (inside: readonly DatabaseInTransaction[]) => Promise<T>,
): Promise<T> =>
  insideAll(targets, 'write', async (inside) => {
    for (const programDatabase of inside) {
      await lockOutOthers(programDatabase, 'reading');
      await clear(programDatabase, present);
    }
    const total = totalOf(source.counts).toLocaleString('en');
    const progress = progressOn(terminal);
    const showing = (done: string) => (rows: number) =>
      progress.show(`${done} ${rows.toLocaleString('en')} of ${total} rows`);
    try {
      for (const { access, tables } of inside) {
        await writeRows(access, tables, source.rows(tables), showing('wrote'));
      }
      for (const { access, tables } of inside) {
        await verifyRows(access, tables, source.rows(tables), showing('compared'));
      }
    } finally {
      progress.end();
    }
    return last(inside);
  });

const clear = async ({ access, tables, location }: DatabaseInTransaction, present: ExistingRows): Promise<void> => {
  if (present === 'replaced') return emptyTables(access, tables);
  const table = await firstWithRows(access, tables);
  if (table === null) return;
  throw new DatabaseRefused(
    `the database (${describeLocation(location)}) is not empty: table ${table} has rows; ${present.refusal}`,
  );
};
