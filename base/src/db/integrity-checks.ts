import type { TableAccess } from './table-access.ts';
import { countedTo, largestId, type Table } from './table-columns.ts';

/** Something that must not be in a database: which rule it breaks, and where. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}

/** What an engine can say about its own state, whatever the tables mean. */
export const findIntegrityErrors = async (access: TableAccess, tables: readonly Table[]): Promise<Violation[]> => [
  ...(access.engine === 'sqlite' ? await sqliteErrors(access) : await postgresErrors(access)),
  ...(await findBackwardCounts(access, tables)),
];

const sqliteErrors = async ({ all }: TableAccess): Promise<Violation[]> => {
  const pages = await all('pragma integrity_check');
  const keys = await all('pragma foreign_key_check');
  return [
    ...pages
      .map((row) => String(row['integrity_check']))
      .filter((said) => said !== 'ok')
      .map((what) => ({ rule: 'the file is intact', what })),
    ...keys.map(({ table, rowid, parent }) => ({
      rule: 'every reference points to an existing row',
      what: `row ${String(rowid)} of ${String(table)} refers to ${String(parent)}`,
    })),
  ];
};

const postgresErrors = async ({ all }: TableAccess): Promise<Violation[]> => {
  const constraints = await all(
    `select conname as name, conrelid::regclass::text as "table" from pg_constraint
      where not convalidated and connamespace = any(select oid from pg_namespace where nspname = any(current_schemas(false)))`,
  );
  const indexes = await all(
    `select c.relname as name, i.indrelid::regclass::text as "table" from pg_index i
      join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      where not (i.indisvalid and i.indisready) and n.nspname = any(current_schemas(false))`,
  );
  const named = (rule: string) => (row: Readonly<Record<string, unknown>>) => ({
    rule,
    what: `${String(row['name'])} of table ${String(row['table'])}`,
  });
  return [
    ...constraints.map(named('every constraint was checked against all rows')),
    ...indexes.map(named('every index is valid')),
  ];
};

/** An id that is given a second time lets a new thing be taken for an old one. */
export const findBackwardCounts = async (access: TableAccess, tables: readonly Table[]): Promise<Violation[]> => {
  const found: Violation[] = [];
  for (const table of tables) {
    const counted = await countedTo(access, table);
    if (counted === null) continue;
    const largest = await largestId(access, table);
    if (largest > counted) {
      const what = `${table.name} has id ${largest}, and the next one would be ${counted + 1}`;
      found.push({ rule: 'ids only increase', what });
    }
  }
  return found;
};
