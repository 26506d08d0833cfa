import { accessTo } from '@corral/base/db/access';
import { isHeading, rowsIn } from '@corral/base/db/row-stream';
import type { Violation } from '@corral/base/db/soundness';
import type { Key } from '@corral/base/secrets/key';
import { openWithAny } from '@corral/base/secrets/sealing';
import type { Db, Tx } from '../../db/db.ts';
import type { Database } from '../../db/schema.ts';
import { sealedColumns } from '../../db/sealed.ts';
import { tables } from '../../db/tables.ts';

/** Columns that hold JSON. */
const jsonColumns: Readonly<Partial<Record<keyof Database, readonly string[]>>> = {
  nodes: ['metadata'],
  switches: ['strangers'],
  ports: ['reading'],
  events: ['detail'],
  identities: ['projects'],
  api_tokens: ['made_projects'],
};

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
  engine: Db['engine'],
  tx: Tx,
  keys: readonly Key[] | null,
): Promise<Violation[]> => {
  const sealedIn = (table: string) => sealedColumns.filter((sealed) => sealed.table === table);
  const looked = tables.filter(({ name }) => name in jsonColumns || (keys !== null && sealedIn(name).length > 0));
  const found: Violation[] = [];
  let table = '';
  let columns: readonly string[] = [];
  for await (const item of rowsIn(accessTo(engine, tx), looked)) {
    if (isHeading(item)) {
      ({ table, columns } = item);
      continue;
    }
    for (const row of item) {
      const cell = (name: string): unknown => row[columns.indexOf(name)];
      const what = (column: string): string =>
        `${column} in ${table} of ${String(cell('label') ?? cell('name') ?? cell('id'))}`;
      for (const column of jsonColumns[table as keyof Database] ?? []) {
        const text = cell(column);
        if (typeof text === 'string' && !isJson(text)) found.push({ rule: 'JSON can be read', what: what(column) });
      }
      for (const { column } of keys === null ? [] : sealedIn(table)) {
        const sealed = cell(column);
        if (typeof sealed === 'string' && !opens(keys ?? [], sealed))
          found.push({ rule: 'a key of the key file opens what is sealed', what: what(column) });
      }
    }
  }
  return found;
};
