import type { Key } from '../secrets/vault-key.ts';
import type { SealedColumn } from '../secrets/sealed-store.ts';
import { openWithAny } from '../secrets/sealing.ts';
import type { TableAccess } from './table-access.ts';
import { isHeading, rowsIn } from './row-stream.ts';
import type { Violation } from './integrity-checks.ts';
import type { Table } from './table-columns.ts';

/** The columns of some tables whose text has to mean something. */
export interface CheckedColumns {
  readonly tables: readonly Table[];
  /** Columns that hold JSON, by their tables. */
  readonly json: Readonly<Partial<Record<string, readonly string[]>>>;
  readonly sealed: readonly SealedColumn[];
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const opens = (keys: readonly Key[], sealed: string): boolean => {
  try {
    return openWithAny(keys, sealed) !== undefined;
  } catch {
    // Not sealed at all.
    return false;
  }
};

/** Reads every cell whose text has to mean something. Without keys, what is sealed is left alone. */
export const findUnreadable = async (
  access: TableAccess,
  { tables, json, sealed }: CheckedColumns,
  keys: readonly Key[] | null,
): Promise<Violation[]> => {
  const sealedIn = (table: string) => (keys === null ? [] : sealed.filter((column) => column.table === table));
  const looked = tables.filter(({ name }) => name in json || sealedIn(name).length > 0);
  const found: Violation[] = [];
  let table = '';
  let columns: readonly string[] = [];
  for await (const item of rowsIn(access, looked)) {
    if (isHeading(item)) {
      ({ table, columns } = item);
      continue;
    }
    for (const row of item) {
      const cell = (name: string): unknown => row[columns.indexOf(name)];
      const what = (column: string): string =>
        `${column} in ${table} of ${String(cell('label') ?? cell('name') ?? cell('id'))}`;
      for (const column of json[table] ?? []) {
        const text = cell(column);
        if (typeof text === 'string' && !isJson(text))
          found.push({ rule: 'JSON columns contain valid JSON', what: what(column) });
      }
      for (const { column, key, plain } of sealedIn(table)) {
        const text = cell(column);
        if (plain?.includes(String(cell(key)))) continue;
        if (typeof text === 'string' && !opens(keys ?? [], text))
          found.push({ rule: 'a key of the key file opens every sealed value', what: what(column) });
      }
    }
  }
  return found;
};
