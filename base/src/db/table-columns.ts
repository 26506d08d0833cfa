import type { TableAccess } from './table-access.ts';

/** A table, and the columns that tell its rows apart and put them in order. */
export interface Table {
  readonly name: string;
  readonly key: readonly string[];
}

/** A column as far as it matters here: whole number or text. */
interface Column {
  readonly name: string;
  readonly isText: boolean;
}

/** The columns of a table, by name: their order is the same on both engines. */
export const columnsOf = async ({ engine, all }: TableAccess, table: Table): Promise<Column[]> => {
  const rows = await (engine === 'sqlite'
    ? all('select name, lower(type) as type from pragma_table_info(?)', [table.name])
    : all(
        `select column_name as name, data_type as type from information_schema.columns
          where table_name = ? and table_schema = any(current_schemas(false))`,
        [table.name],
      ));
  return rows
    .map(({ name, type }) => ({ name: String(name), isText: type === 'text' }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
};

/** Does the database count up the ids of this table? */
const isCounted = ({ key }: Table): boolean => key.length === 1 && key[0] === 'id';

/** The last id that was ever given, also to a row that is gone: none is given twice. null: ids are not counted here. */
export const lastIdOf = async (access: TableAccess, table: Table): Promise<number | null> => {
  const counted = await countedTo(access, table);
  return counted === null ? null : Math.max(counted, await largestId(access, table));
};

/** How far the database has counted; null: it does not. */
export const countedTo = async (access: TableAccess, table: Table): Promise<number | null> => {
  if (!isCounted(table)) return null;
  const [row] = await (access.engine === 'sqlite'
    ? access.all('select seq as last from sqlite_sequence where name = ?', [table.name])
    : access.all(
        `select case when is_called then last_value else last_value - 1 end as last from ${await sequenceOf(access, table)}`,
      ));
  return Number(row?.['last'] ?? 0);
};

export const largestId = async ({ all }: TableAccess, { name }: Table): Promise<number> => {
  const [row] = await all(`select coalesce(max(id), 0) as id from "${name}"`);
  return Number(row?.['id']);
};

/** Has the next id be the one after this. */
export const setLastId = async (access: TableAccess, table: Table, last: number): Promise<void> => {
  if (access.engine === 'sqlite') {
    await access.all('delete from sqlite_sequence where name = ?', [table.name]);
    if (last > 0) await access.all('insert into sqlite_sequence (name, seq) values (?, ?)', [table.name, last]);
    return;
  }
  // Not by setval, which stays when the transaction is rolled back.
  await access.all(`alter table "${table.name}" alter column id restart with ${Math.max(last, 0) + 1}`);
};

const sequenceOf = async ({ all }: TableAccess, { name }: Table): Promise<string> => {
  const [row] = await all('select pg_get_serial_sequence(?, ?) as name', [name, 'id']);
  return String(row?.['name']);
};
